import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPage } from '../../support/shell-page.js';

describe('docs/security.md', () => {
  const page = readPage('security.md');

  it('names tests and pages that there are', () => {
    const links = [...page.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(40);
    expect(links.filter((link) => !existsSync(join(__dirname, '../../../docs', link)))).toEqual([]);
  });

  it('speaks of every chapter of the standard', () => {
    const chapters = Array.from({ length: 17 }, (_, at) => `V${at + 1}`);
    expect(chapters.filter((chapter) => !new RegExp(`\\b${chapter}\\b`).test(page))).toEqual([]);
  });
});
