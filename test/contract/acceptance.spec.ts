import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const PAGES = [
  'test/browser/README.md',
  'test/e2e/second-factors/README.md',
  'test/e2e/api-keys/README.md',
  'test/e2e/files/README.md',
  'test/e2e/content/IMPORTS.md',
];

interface Line {
  readonly promise: string;
  readonly file: string;
  readonly title: string;
}

const linesOf = (page: string): Line[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^\| (.+?) +\| `(\S+)`: (.+?) +\|$/gm)].map(
    ([, promise = '', file = '', title = '']) => ({ promise, file, title }),
  );

describe.each(PAGES)('the acceptance list %s', (page) => {
  const lines = linesOf(page);

  it('names a test in every line', () => {
    const rows = readFileSync(join(ROOT, page), 'utf8').match(/^\| (?!-|Behaviour)/gm) ?? [];
    expect(lines.length).toBeGreaterThan(10);
    expect(lines).toHaveLength(rows.length);
  });

  it('names existing tests', () => {
    const missing = lines.filter(({ file, title }) => {
      const path = join(ROOT, file);
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title}'`);
    });
    expect(missing).toEqual([]);
  });
});
