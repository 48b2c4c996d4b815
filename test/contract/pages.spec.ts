import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '../..');
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const foldersOf = (folder: string) =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );

const existsModule = (folder: string, name: string) =>
  readdirSync(join(ROOT, 'src', folder, name)).some((file) => file.endsWith('.module.ts'));
const pagesOf = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
    .sort();
const DOCS = pagesOf('docs');
const INTERNALS = pagesOf('docs/internals');
const MAX_PAGE_LINES = 400;
/** Pages about this repository. The paths on other pages are those of a reader's application. */
const PAGES_OF_CODE = ['README.md', 'CONTRIBUTING.md', 'dash/README.md', ...INTERNALS];
const PATH =
  /(?<![\w/.@:$*-])(?:(?:[\w@-]+\/)+[\w.-]+\.(?:ts|mjs|cjs|js|css|md|json|sql|sh|ya?ml|html)|(?:src|test|docs|scripts|dash|packages|examples|bench)\/[\w./-]*\w)(?![\w/*<-])/g;
/** Folders that paths can be relative to. */
const BASES = ['', 'src', 'dash/src', 'data'];

describe('the pages', () => {
  const PAGES = [
    'README.md',
    'CONTRIBUTING.md',
    'examples/blog/README.md',
    'examples/spa/README.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'examples/enterprise-app/README.md',
    ...DOCS,
  ];
  const anchorsOf = (text: string): string[] =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );

  it.each(PAGES)('%s has no broken link', (page) => {
    const text = read(page).replace(/^```.*?^```$/gms, '');
    const lost = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^(https?|mailto):/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
        if (!existsSync(file)) return true;
        return anchor !== undefined && file.endsWith('.md') && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
      });
    expect(lost).toEqual([]);
  });

  it.each(PAGES_OF_CODE)('%s names files and folders that exist', (page) => {
    const text = read(page).replace(/^```diff.*?^```$/gms, '');
    const paths = new Set([...text.matchAll(PATH)].map(([path]) => path));
    const exists = (path: string) => [dirname(page), ...BASES].some((base) => existsSync(join(ROOT, base, path)));
    // The build creates `dist`.
    expect([...paths].filter((path) => !path.startsWith('dist/') && !exists(path))).toEqual([]);
  });

  it.each(DOCS.filter((page) => !page.startsWith('docs/internals/adr/')))('docs/index.md links to %s', (page) => {
    const links = [...read('docs/index.md').matchAll(/\]\(([^)#]+)/g)].map(([, target]) => join('docs', target!));
    expect(['docs/index.md', ...links]).toContain(page);
  });

  it.each(DOCS)('%s has at most 400 lines', (page) => {
    expect(read(page).split('\n').length).toBeLessThanOrEqual(MAX_PAGE_LINES + 1);
  });

  it.each(DOCS.filter((page) => /docs\/(?:start|guides)\//.test(page)))(
    '%s begins with a title and a sentence',
    (page) => {
      expect(read(page)).toMatch(/^# [^\n]+\n\n[A-Z][^\n]+[.:]/);
    },
  );

  it('docs/internals/architecture.md lists every folder of src', () => {
    const listed = [...read('docs/internals/architecture.md').matchAll(/^\| `([\w/-]+)` +\|/gm)].map(
      ([, path]) => path,
    );
    const isDivided = (folder: string) => foldersOf(join('src', folder)).some((name) => existsModule(folder, name));
    const folders = foldersOf('src').flatMap((folder) =>
      isDivided(folder) ? foldersOf(join('src', folder)).map((name) => `${folder}/${name}`) : [folder],
    );
    const ofSource = listed.filter((path) => path !== 'bench' && !path!.startsWith('test/'));
    expect(new Set(ofSource)).toEqual(new Set(folders));
  });
});
