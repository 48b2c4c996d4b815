import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from '../../src/edge/dash/pages.controller.js';

describe('the pages of the web application', () => {
  it('are the paths for which the service returns its document, so that all others return 404', () => {
    const files = ['router.tsx', 'entry-routes.ts'];
    const router = files.map((file) => readFileSync(join(__dirname, '../../dash/src/app', file), 'utf8')).join();
    const shown = [...router.matchAll(/path: '\/dash\/?([^']*)'/g)].map(([, name]) => name);
    expect(new Set(shown)).toEqual(PAGES);
  });
});
