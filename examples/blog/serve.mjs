#!/usr/bin/env node
/**
 * Serves the pages of `web/` on loopback, and hands everything below `/api` on to Lintel, so that both have one origin.
 * Only Node, plain HTTP. In production a reverse proxy does the same.
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
/** Names of files in `web/`: no path leads out of it. */
const PAGE = /^\/([a-z][a-z-]*\.(html|js|css|svg))$/;
/** Headers that let nothing come from elsewhere, and no scripts or styles in the text; `blob:` is a picture before it is sent. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
};
/** Of one connection only (RFC 9110 §7.6.1), or for whoever answers last. */
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
  console.error(`Not served: ${error.message}`);
  process.exitCode = 1;
});
server.listen(Number(options.port), '127.0.0.1', () =>
  console.log(`The blog is at http://localhost:${server.address().port}, and asks Lintel at ${lintel.origin}.`),
);

/** Answers one file. */
async function page(path, { method }, response) {
  const [, name, ending] = PAGE.exec(path) ?? [];
  const file = name && (await readFile(new URL(`web/${name}`, import.meta.url)).catch(() => undefined));
  const status = file === undefined ? 404 : method === 'GET' || method === 'HEAD' ? 200 : 405;
  if (status !== 200) {
    response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' });
    return response.end(status === 404 ? 'There is nothing here.\n' : 'Pages are only read.\n');
  }
  response.writeHead(200, { ...HEADERS, 'content-type': TYPES[ending], 'content-length': file.length });
  return response.end(method === 'HEAD' ? undefined : file);
}

/** Hands a request on, and the answer back, as they come: neither is held in memory. */
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
  upstream.on('timeout', () => upstream.destroy(new Error('no answer in time')));
  pipeline(request, upstream, (error) => error && refuse(response, error));
  upstream.on('error', (error) => refuse(response, error));
  response.on('close', () => upstream.destroy());
}

/** Refuses in the form of Lintel's own refusals. */
function refuse(response, error) {
  if (response.destroyed || response.writableEnded) return;
  if (response.headersSent) return response.destroy();
  console.error(`Lintel did not answer: ${error.code ?? error.message}`);
  const body = { code: '502', message: 'Lintel does not answer. Is it running?', data: { error: 'bad_gateway' } };
  response.writeHead(502, { 'content-type': 'application/json; charset=utf-8' });
  return response.end(JSON.stringify(body));
}
