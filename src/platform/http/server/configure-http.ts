import type { IncomingMessage } from 'node:http';
import cookie from '@fastify/cookie';
import staticFiles from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.types.js';
import { traceRequests } from '../../tracing/tracing.public.js';
import { RequestTimes } from '../../metrics/request-times.service.js';
import { withBasePath } from '../../../kernel/addresses/base-path.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { readClientAddresses } from '../client/client-address.js';
import { ConnectionDrain } from './connection-drain.service.js';
import { cookieScope } from '../client/cookie-scope.js';
import { ErrorFilter } from '../output/error.filter.js';
import { parseFormBody, parseJsonBody } from '../input/parse-body.js';
import { ErrorPage } from '../output/error-page.service.js';
import { Foreground } from './foreground.service.js';
import { ResponseHeaders } from '../output/response-headers.js';
import { RouteTable } from '../route-table.js';
import { boundBodies, hasBody } from '../input/streamed-body.js';
import { RequestValidationPipe } from '../input/validation.pipe.js';

const HOST_INVALID = 'The request must have exactly one valid Host header.';

/** Probes run every few seconds. Only their failures are logged. */
const NEVER_LOGGED = new Set(['/healthz', '/readyz']);

/** Sets up everything that applies to all routes. Call it once, before the application is initialised. */
export async function configureHttp(app: NestFastifyApplication, config: Config, logger: Logger): Promise<RouteTable> {
  const routes = new RouteTable();
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  readClientAddresses(fastify, config, logger);
  const headers = new ResponseHeaders(config);
  setHeaders(fastify, headers);
  collectRoutes(fastify, routes);
  app.get(RequestTimes).watch(fastify);
  app.get(Foreground).watch(fastify);
  traceRequests(fastify, config);
  app.get(ConnectionDrain).watch(fastify);
  acceptBodies(fastify);
  boundBodies(fastify, headers);
  refuseHosts(fastify);
  answerPreflights(fastify, headers);
  refuseEncodings(fastify);
  await fastify.register(cookie);
  fastify.decorate('cookieScope', cookieScope(config));
  // Only for `reply.sendFile`: each controller decides which files exist.
  await fastify.register(staticFiles, { serve: false, preCompressed: true });
  addRedirects(fastify, config);
  logRequests(fastify, logger);
  app.useGlobalPipes(new RequestValidationPipe());
  app.useGlobalFilters(new ErrorFilter(routes, app.get(ErrorPage)));
  return routes;
}

function collectRoutes(fastify: FastifyInstance, routes: RouteTable): void {
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) routes.add(name, url);
  });
}

const BODY_TYPES = [
  { type: 'application/json', option: null, parse: parseJsonBody },
  { type: 'application/x-www-form-urlencoded', option: 'acceptsForm', parse: parseFormBody },
  { type: 'application/zip', option: 'acceptsZip', parse: (body: Buffer): unknown => body },
] as const;

/** Routes accept JSON, and other types only with `@AcceptsForm()`, `@AcceptsZip()` or `@AcceptsStream()`. */
function acceptBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  for (const { type, option, parse } of BODY_TYPES)
    fastify.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
      try {
        if (option !== null && !accepts(request, option)) throw new AppError('content_type_unsupported');
        done(null, parse(body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    });
}

/** Rejects an encoded body (RFC 9110 §15.5.16). Only `@AcceptsStream({ packed: true })` decodes one. */
function refuseEncodings(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-encoding': encoding = '' } = request.headers;
    const names = encoding.split(',').map((name) => name.trim().toLowerCase());
    const isEncoded = names.some((name) => !['', 'identity'].includes(name));
    const acceptsCompressed = accepts(request, 'acceptsGzip');
    const isPacked = names.length === 1 && ['gzip', 'x-gzip'].includes(names[0] ?? '');
    if (!isEncoded || !hasBody(request) || (acceptsCompressed && isPacked)) return done(null, payload);
    reply.header('accept-encoding', acceptsCompressed ? 'gzip, identity' : 'identity');
    done(new AppError('content_encoding_unsupported'));
  });
}

function accepts(request: FastifyRequest, what: 'acceptsForm' | 'acceptsGzip' | 'acceptsZip'): boolean {
  return (request.routeOptions.config as Partial<Record<typeof what, boolean>>)[what] === true;
}

/** Call it before other hooks, so that their responses have the headers too. By default nothing under `/api` is cached. */
function setHeaders(fastify: FastifyInstance, headers: ResponseHeaders): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers.of(request.headers.origin));
    reply.header('x-request-id', request.id);
    if (request.raw.url?.startsWith('/api') === true) reply.header('cache-control', 'no-store');
    done();
  });
  if (headers.preflight === null) return;
  // A route that sets `Vary` itself would remove `Origin`.
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    const vary = String(reply.getHeader('vary') ?? '');
    if (!/\borigin\b/i.test(vary)) reply.header('vary', vary === '' ? 'Origin' : `${vary}, Origin`);
    done();
  });
}

/** Rejects requests without exactly one valid `Host`. Node's own response would have no body. */
function refuseHosts(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    done(isHostValid(request.raw) ? undefined : new AppError('request_malformed', { message: HOST_INVALID }));
  });
  // Node answers 417 without a body. RFC 9110 §10.1.1 allows to ignore an unknown expectation.
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
}

/** Answers preflights for all paths, before routes and their guards. Other `OPTIONS` requests go to their route. */
function answerPreflights(fastify: FastifyInstance, { preflight }: ResponseHeaders): void {
  if (preflight === null) return;
  fastify.addHook('onRequest', ({ method, headers }, reply, done) => {
    const isPreflight =
      method === 'OPTIONS' && headers.origin !== undefined && 'access-control-request-method' in headers;
    if (!isPreflight) return done();
    void reply.code(204).headers(preflight).send();
  });
}

function addRedirects(fastify: FastifyInstance, { basePath }: Pick<Config, 'basePath'>): void {
  if (basePath === '') return;
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string') reply.header('location', withBasePath(location, basePath));
    done();
  });
}

/** Logs one line per request: errors at `info`, others at `debug`. It logs the route pattern, never the URL, which may contain a secret. */
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

/** `uri-host [ ":" port ]` (RFC 9110 §7.2). The host of an http address must not be empty (§4.2.1). */
const HOST =
  /^(?:\[[\da-f:.]+\]|\[v[\da-f]+\.[\w.~!$&'()*+,;=:-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d{0,5})?$/i;

/** Requires exactly one valid `Host` (RFC 9112 §3.2). Otherwise a proxy and this server could read different hosts. */
function isHostValid({ rawHeaders, httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean {
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return false;
    host = rawHeaders[index + 1] ?? '';
  }
  if (host === undefined) return httpVersionMajor === 1 && httpVersionMinor === 0;
  return HOST.test(host);
}
