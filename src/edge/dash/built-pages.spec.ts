import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readBuiltPages } from './built-pages.js';

describe('readBuiltPages', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lintel-pages-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('answers null where nothing was built', () => expect(readBuiltPages(join(directory, 'none'))).toBeNull());

  it('reads the document and the files of known types', () => {
    const script = 'export const x = 1;\n'.repeat(200);
    mkdirSync(join(directory, 'assets'));
    writeFileSync(join(directory, 'index.html'), '<p>');
    writeFileSync(join(directory, 'assets', 'a.js'), script);
    writeFileSync(join(directory, 'assets', 'b.css'), 'p{}');
    writeFileSync(join(directory, 'assets', 'c.js.map'), '{}');
    const pages = readBuiltPages(directory);
    expect(pages?.index).toBe('<p>');
    expect([...(pages?.assets.keys() ?? [])]).toEqual(['a.js', 'b.css']);
    expect(gunzipSync(pages?.assets.get('a.js')?.packed() ?? '').toString()).toBe(script);
    expect(pages?.assets.get('b.css')?.packed()).toBeNull();
  });
});
