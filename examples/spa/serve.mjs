#!/usr/bin/env node
/**
 * Serves the pages of `web/` on loopback. Needs only Node. Any web server works that sends these headers.
 *
 *   node examples/spa/serve.mjs [--url http://localhost:8000] [--port 5173]
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
/** Names of files in `web/`. Paths outside of it do not match. */
const PAGE = /^\/([a-z]+\.(html|js|css))$/;

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: process.env.LINTEL_URL ?? 'http://localhost:8000' },
    port: { type: 'string', default: '5173' },
  },
});
const lintel = options.url.replace(/\/+$/, '');
const { origin } = new URL(lintel);
const HEADERS = {
  // No inline scripts, no foreign resources, and requests to Lintel only.
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src ${origin}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  // After a sign-in, the address contains a code until the page removes it.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

const server = createServer((request, response) => void answer(request, response));
server.on('error', (error) => {
  console.error(`The server did not start: ${error.message}`);
  process.exitCode = 1;
});
server.listen(Number(options.port), '127.0.0.1', () =>
  console.log(`The app is at http://localhost:${server.address().port}, with Lintel at ${lintel}.`),
);

/** Sends a file. */
async function answer({ method, url }, response) {
  const [path] = url.split('?');
  const [, name, ending] = PAGE.exec(path === '/' ? '/index.html' : path) ?? [];
  const file = name && (await contentOf(name));
  const status = !file ? 404 : method === 'GET' || method === 'HEAD' ? 200 : 405;
  const type = status === 200 ? TYPES[ending] : 'text/plain; charset=utf-8';
  response.writeHead(status, { ...HEADERS, 'content-type': type });
  response.end(status === 200 ? file : status === 404 ? 'Not found.\n' : 'Use GET or HEAD.\n');
}

async function contentOf(name) {
  if (name === 'config.js') return `export const LINTEL = ${JSON.stringify(lintel)};\n`;
  return readFile(new URL(`web/${name}`, import.meta.url)).catch(() => undefined);
}
