import cookie from '@fastify/cookie';
import staticFiles from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/config.types.js';
import { traceRequests } from '../tracing/tracing.public.js';
import { RequestTimes } from '../metrics/request-times.service.js';
import { withBasePath } from '../../kernel/base-path.js';
import { AppError } from '../../kernel/app-error.js';
import { readClientAddresses } from './client-addresses.js';
import { ConnectionDrain } from './connection-drain.service.js';
import { cookieScope } from './cookie-scope.js';
import { ErrorFilter } from './error.filter.js';
import { parseFormBody } from './form-body.js';
import { parseJsonBody } from './json-body.js';
import { ErrorPage } from './error-page.service.js';
import { Foreground } from './foreground.service.js';
import { RouteTable } from './route-table.js';
import { boundBodies } from './streamed-body.js';
import { RequestValidationPipe } from './validation.pipe.js';
import cors from '@fastify/cors';

/** Headers of an answer that pages of other origins may read beside its body. */
const EXPOSED = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Lintel-Consistency',
  'Lintel-Size',
  'Location',
  'Preference-Applied',
  'Retry-After',
  'Tus-Resumable',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Offset',
  'X-Request-Id',
];

const ACCEPTED = [
  'Authorization',
  'Content-Digest',
  'Content-Disposition',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Lintel-Consistency',
  'Prefer',
  'Range',
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Time for which a browser remembers the answer to a preflight, in seconds. */
const REMEMBERED_SECONDS = 600;

/** Probes ask every few seconds; only their failures are worth a line. */
const NEVER_LOGGED = new Set(['/healthz', '/readyz']);

/**
 * Returns everything that holds for all routes: bodies, security headers, request ids, the error filter and the validation pipe. Call
 * it once, before the application is initialised.
 */
export async function configureHttp(app: NestFastifyApplication, config: Config, logger: Logger): Promise<RouteTable> {
  const routes = new RouteTable();
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  readClientAddresses(fastify, config, logger);
  collectRoutes(fastify, routes);
  app.get(RequestTimes).watch(fastify);
  app.get(Foreground).watch(fastify);
  traceRequests(fastify, config);
  app.get(ConnectionDrain).watch(fastify);
  acceptBodies(fastify);
  boundBodies(fastify);
  refuseEncodings(fastify);
  await fastify.register(cookie);
  fastify.decorate('cookieScope', cookieScope(config));
  // For `reply.sendFile` alone: which files there are, each controller says.
  await fastify.register(staticFiles, { serve: false, preCompressed: true });
  await allowOrigins(fastify, config);
  fixHeaders(fastify, securityHeaders(config));
  placeRedirects(fastify, config);
  logRequests(fastify, logger);
  app.useGlobalPipes(new RequestValidationPipe());
  app.useGlobalFilters(new ErrorFilter(routes, app.get(ErrorPage)));
  return routes;
}

function collectRoutes(fastify: FastifyInstance, routes: RouteTable): void {
  fastify.addHook('onRoute', ({ method, url }) => {
    // A preflight may be sent to any address: that makes none of them known.
    if (url !== '*') for (const name of [method].flat()) routes.add(name, url);
  });
}

/**
 * Accepts JSON everywhere; form posts, zip archives and streams only if a route says so (`@AcceptsForm()`, `@AcceptsZip()`,
 * `@AcceptsStream()`). Anything else is 415.
 */
function acceptBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    parseInto(() => parseJsonBody(body as Buffer), done);
  });
  fastify.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (request, body, done) => {
    parseInto(() => {
      if (!accepts(request, 'acceptsForm')) throw new AppError('content_type_unsupported');
      return parseFormBody(body as Buffer);
    }, done);
  });
  fastify.addContentTypeParser('application/zip', { parseAs: 'buffer' }, (request, body, done) => {
    parseInto(() => {
      if (!accepts(request, 'acceptsZip')) throw new AppError('content_type_unsupported');
      return body;
    }, done);
  });
}

/**
 * Refuses a body that says it is encoded, rather than reading it as if it were plain (RFC 9110 §15.5.16): `@AcceptsStream({ packed:
 * true })` alone decodes one.
 */
function refuseEncodings(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const {
      'content-encoding': encoding = '',
      'content-length': length,
      'transfer-encoding': chunks,
    } = request.headers;
    const names = encoding.split(',').map((name) => name.trim().toLowerCase());
    const isEncoded = names.some((name) => !['', 'identity'].includes(name));
    const hasBody = chunks !== undefined || Number(length ?? 0) > 0;
    const takesPacked = accepts(request, 'acceptsGzip');
    const isPacked = names.length === 1 && ['gzip', 'x-gzip'].includes(names[0] ?? '');
    if (!isEncoded || !hasBody || (takesPacked && isPacked)) return done(null, payload);
    reply.header('accept-encoding', takesPacked ? 'gzip, identity' : 'identity');
    done(new AppError('content_encoding_unsupported'));
  });
}

function parseInto(parse: () => unknown, done: (error: Error | null, body?: unknown) => void): void {
  try {
    done(null, parse());
  } catch (error) {
    done(error as Error);
  }
}

function accepts(request: FastifyRequest, what: 'acceptsForm' | 'acceptsGzip' | 'acceptsZip'): boolean {
  return (request.routeOptions.config as Partial<Record<typeof what, boolean>>)[what] === true;
}

/** Puts its request's id and the security headers on every answer; nothing under `/api` is kept by a cache unless it says so itself. */
function fixHeaders(fastify: FastifyInstance, fixed: Readonly<Record<string, string>>): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(fixed);
    reply.header('x-request-id', request.id);
    if (request.raw.url?.startsWith('/api') === true) reply.header('cache-control', 'no-store');
    done();
  });
}

/** Adds the base path to `Location`, for every route and redirect. */
function placeRedirects(fastify: FastifyInstance, { basePath }: Pick<Config, 'basePath'>): void {
  if (basePath === '') return;
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string') reply.header('location', withBasePath(location, basePath));
    done();
  });
}

/** Logs one line a request: a refusal at `info`, the rest at `debug`. The route's pattern, never its address, which may hold a secret. */
function logRequests(fastify: FastifyInstance, logger: Logger): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const level = reply.statusCode < 400 ? 'debug' : 'info';
    const route = request.routeOptions.url ?? '';
    if (logger.isLevelEnabled(level) && !(level === 'debug' && NEVER_LOGGED.has(route))) {
      const { id: requestId, method, ip: address } = request;
      logger[level](
        { requestId, method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime), address },
        'answered',
      );
    }
    done();
  });
}

/**
 * Returns the security headers of every answer (OWASP Secure Headers Project), made once at start. The policy is for answers of the
 * API; pages bring their own.
 */
function securityHeaders(config: Pick<Config, 'appUrl'>): Readonly<Record<string, string>> {
  return {
    'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
    ...(config.appUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

/**
 * Lets pages of the configured origins call the API (Fetch Standard, "CORS protocol"). A token has to be sent in the header:
 * browsers send no cookies along, for credentials are not allowed. Without origins nothing is registered, and nothing answered.
 */
async function allowOrigins(fastify: FastifyInstance, { corsOrigins }: Pick<Config, 'corsOrigins'>): Promise<void> {
  if (corsOrigins.length === 0) return;
  await fastify.register(cors, {
    origin: [...corsOrigins],
    methods: METHODS,
    allowedHeaders: ACCEPTED,
    exposedHeaders: EXPOSED,
    credentials: false,
    maxAge: REMEMBERED_SECONDS,
  });
}
