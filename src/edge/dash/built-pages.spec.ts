import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBuiltPages } from './built-pages.js';

describe('readBuiltPages', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lintel-pages-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('returns null before a build', () => expect(readBuiltPages(join(directory, 'none'))).toBeNull());

  it('returns null if one of the two pages is missing', () => {
    const half = join(directory, 'half');
    mkdirSync(half);
    writeFileSync(join(half, 'index.html'), '<p>');
    expect(readBuiltPages(half)).toBeNull();
  });

  it('finds the documents and the files of known types', () => {
    mkdirSync(join(directory, 'assets'));
    writeFileSync(join(directory, 'index.html'), '<p>');
    writeFileSync(join(directory, 'reference.html'), '<main>');
    for (const name of ['a.js', 'a.js.br', 'a.js.gz', 'b.css', 'c.js.map'])
      writeFileSync(join(directory, 'assets', name), '{}');
    const pages = readBuiltPages(directory);
    expect([pages?.index, pages?.reference]).toEqual(['<p>', '<main>']);
    expect([...(pages?.assets ?? [])]).toEqual(['a.js', 'b.css']);
  });
});
