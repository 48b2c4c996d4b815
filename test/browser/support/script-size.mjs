import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const ASSETS = fileURLToPath(new URL('../../../dist/dash/assets/', import.meta.url));

export async function scriptsOf(page, open) {
  const scripts = new Set();
  const note = (request) => request.resourceType() === 'script' && scripts.add(request.url());
  page.on('request', note);
  await open();
  page.off('request', note);
  const names = [...scripts].map((url) => url.split('/').at(-1));
  return { names, bytes: names.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name))).length, 0) };
}
