import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packInto, runIn } from '../../support/packed-package.mjs';

jest.setTimeout(120_000);

describe('the tarball', () => {
  let directory = '';
  const inPackage = (name: string): string => join(directory, 'package', name);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'lintel-tarball-'));
    const { code } = await runIn(directory, 'tar', '-xzf', await packInto(directory));
    expect(code).toBe(0);
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('contains the build and its sources, and nothing else', () => {
    const names = readdirSync(inPackage('.'), { recursive: true, encoding: 'utf8' });
    expect(readdirSync(inPackage('.')).sort()).toEqual([
      '.env.example',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist',
      'docker',
      'docs',
      'examples',
      'package.json',
      'packages',
      'src',
    ]);
    expect(readdirSync(inPackage('dist')).sort()).toEqual(['dash', 'libraries', 'packages', 'src']);
    const ours = names.filter((name) => !name.startsWith('examples/') && name !== '.env.example');
    expect(ours.filter((name) => /\.spec\.|\.tsbuildinfo|\.env|(^|\/)test\//.test(name))).toEqual([]);
  });

  it('contains the target of every link in its pages', () => {
    const names = readdirSync(inPackage('.'), { recursive: true, encoding: 'utf8' });
    const pages = names.filter((name) => name.endsWith('.md'));
    const dead = pages.flatMap((page) => {
      const text = readFileSync(inPackage(page), 'utf8').replaceAll(/```.*?```/gs, '');
      return (
        [...text.matchAll(/(?:\]\(|(?:src|srcset|href)=")([^)\s"]+)/g)]
          .map(([, link]) => link!.split('#')[0]!)
          // Tests are only in the repository.
          .filter(
            (link) =>
              link !== '' && !/^[a-z]+:|\.spec\.ts$/.test(link) && !existsSync(inPackage(join(dirname(page), link))),
          )
          .map((link) => `${page}: ${link}`)
      );
    });
    expect(pages.length).toBeGreaterThan(20);
    expect(dead).toEqual([]);
  });

  it('imports only declared packages', () => {
    const description = JSON.parse(readFileSync(inPackage('package.json'), 'utf8')) as Record<string, object>;
    const declared = Object.keys({ ...description['dependencies'], ...description['peerDependencies'] });
    const code = readdirSync(inPackage('dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^(src|packages|libraries)\/.*\.js$/.test(name),
    );
    const imported = code.flatMap((name) =>
      [
        ...readFileSync(inPackage(join('dist', name)), 'utf8').matchAll(
          /^(?:import|export) .*?from ['"]([^'".][^'"]*)/gm,
        ),
      ].map(([, specifier]) => /^(@[^/]+\/)?[^/]+/.exec(specifier!)![0]),
    );
    const missing = new Set(imported.filter((one) => !one.startsWith('node:') && !declared.includes(one)));
    expect([...missing].filter((one) => !builtinModules.includes(one))).toEqual(['lintel']);
  });

  it('maps every declaration to its source', () => {
    const maps = readdirSync(inPackage('dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.d.ts.map'),
    );
    const sources = maps.flatMap((name) => {
      const path = inPackage(join('dist', name));
      const map = JSON.parse(readFileSync(path, 'utf8')) as { sources: string[] };
      return map.sources.map((source) => join(dirname(path), source));
    });
    expect(maps.length).toBeGreaterThan(300);
    expect(sources.filter((source) => !existsSync(source))).toEqual([]);
  });
});
