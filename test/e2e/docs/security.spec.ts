import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPage } from '../../support/shell-page.js';

describe('docs/reference/security.md', () => {
  const page = readPage('reference/security.md');

  it('names existing tests and pages', () => {
    const links = [...page.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(40);
    expect(links.filter((link) => !existsSync(join(__dirname, '../../../docs/reference', link)))).toEqual([]);
  });

  it('covers every chapter of the standard', () => {
    const chapters = Array.from({ length: 17 }, (_, at) => `V${at + 1}`);
    expect(chapters.filter((chapter) => !new RegExp(`\\b${chapter}\\b`).test(page))).toEqual([]);
  });
});
