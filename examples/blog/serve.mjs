#!/usr/bin/env node
/**
 * Serves the pages of `web/` on loopback, and forwards everything below `/api` to Lintel, so that both have one origin.
 * Needs only Node and uses plain HTTP. In production a reverse proxy does the same.
 *
 *   node examples/blog/serve.mjs [--url http://localhost:8000] [--port 8080]
 */
import { readFile } from 'node:fs/promises';
import { Agent, createServer, request as ask } from 'node:http';
import { pipeline } from 'node:stream';
import { parseArgs } from 'node:util';

const UPSTREAM_TIMEOUT_MS = 30_000;
const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
/** Names of files in `web/`. Paths outside of it do not match. */
const PAGE = /^\/([a-z][a-z-]*\.(html|js|css|svg))$/;
/** No foreign resources, and no inline scripts or styles. `blob:` is for the preview of a cover before its upload. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
};
/** Headers of one connection (RFC 9110 §7.6.1), and those that only the receiving server may use. */
const NOT_FORWARDED = new Set(
  [
    'connection',
    'keep-alive',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'host',
    'expect',
  ].concat(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-request-id']),
);

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: process.env.LINTEL_URL ?? 'http://localhost:8000' },
    port: { type: 'string', default: '8080' },
  },
});
const lintel = new URL(options.url);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

const server = createServer((request, response) => {
  if (request.url.startsWith('/api/')) return forward(request, response);
  const [path] = request.url.split('?');
  return void page(path === '/' ? '/index.html' : path, request, response);
});
server.on('error', (error) => {
  console.error(`The server did not start: ${error.message}`);
  process.exitCode = 1;
});
server.listen(Number(options.port), '127.0.0.1', () =>
  console.log(`The blog is at http://localhost:${server.address().port}, with Lintel at ${lintel.origin}.`),
);

/** Sends a file. */
async function page(path, { method }, response) {
  const [, name, ending] = PAGE.exec(path) ?? [];
  const file = name && (await readFile(new URL(`web/${name}`, import.meta.url)).catch(() => undefined));
  const status = file === undefined ? 404 : method === 'GET' || method === 'HEAD' ? 200 : 405;
  if (status !== 200) {
    response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' });
    return response.end(status === 404 ? 'Not found.\n' : 'Use GET or HEAD.\n');
  }
  response.writeHead(200, { ...HEADERS, 'content-type': TYPES[ending], 'content-length': file.length });
  return response.end(method === 'HEAD' ? undefined : file);
}

/** Forwards a request and its response as streams. */
function forward(request, response) {
  const { method, url, headers } = request;
  const passed = Object.entries(headers).filter(([name]) => !NOT_FORWARDED.has(name));
  const upstream = ask({
    hostname: lintel.hostname,
    port: lintel.port,
    path: url,
    method,
    agent,
    headers: Object.fromEntries(passed),
    timeout: UPSTREAM_TIMEOUT_MS,
  });
  upstream.on('response', (answer) => {
    const { connection: _connection, 'keep-alive': _keepAlive, ...rest } = answer.headers;
    response.writeHead(answer.statusCode, rest);
    pipeline(answer, response, () => undefined);
  });
  upstream.on('timeout', () => upstream.destroy(new Error('timeout')));
  pipeline(request, upstream, (error) => error && refuse(response, error));
  upstream.on('error', (error) => refuse(response, error));
  response.on('close', () => upstream.destroy());
}

/** Sends an error in the format of Lintel. */
function refuse(response, error) {
  if (response.destroyed || response.writableEnded) return;
  if (response.headersSent) return response.destroy();
  console.error(`Lintel did not respond: ${error.code ?? error.message}`);
  const body = {
    code: '502',
    message: 'Lintel does not respond. Check that it is running.',
    data: { error: 'bad_gateway' },
  };
  response.writeHead(502, { 'content-type': 'application/json; charset=utf-8' });
  return response.end(JSON.stringify(body));
}
