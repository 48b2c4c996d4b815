import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBuiltPages } from './built-pages.js';

describe('readBuiltPages', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lintel-pages-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('answers null where nothing was built', () => expect(readBuiltPages(join(directory, 'none'))).toBeNull());

  it('finds the document and the files of known types', () => {
    mkdirSync(join(directory, 'assets'));
    writeFileSync(join(directory, 'index.html'), '<p>');
    for (const name of ['a.js', 'a.js.br', 'a.js.gz', 'b.css', 'c.js.map'])
      writeFileSync(join(directory, 'assets', name), '{}');
    const pages = readBuiltPages(directory);
    expect(pages?.index).toBe('<p>');
    expect([...(pages?.assets ?? [])]).toEqual(['a.js', 'b.css']);
  });
});
