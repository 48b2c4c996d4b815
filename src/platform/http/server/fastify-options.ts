import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import {
  type ConnectionError,
  type FastifyHttpOptions,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.types.js';
import { withoutBasePath } from '../../../kernel/addresses/base-path.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { ErrorCode } from '../../../kernel/errors/error-catalogue.js';
import { newId } from '../../../kernel/keys/random.js';
import { rawAnswer, toEnvelope } from '../output/envelope.js';
import { defineLimit } from '../../../kernel/limits.js';
import { ClientAddresses } from '../client/client-address.js';
import { ResponseHeaders } from '../output/response-headers.js';
import { discardRemaining, LINGER_MS } from '../input/streamed-body.js';

const BODY_LIMIT_BYTES = defineLimit(
  1_048_576,
  'Requests',
  'bytes of a request body, except uploads of files and imports of records',
  'body_too_large',
);
const BROKEN: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};
const INBOUND_ID = /^[A-Za-z0-9._-]{1,64}$/;

export function fastifyOptions(config: Config, logger: Logger): FastifyHttpOptions<Server> {
  const headers = new ResponseHeaders(config);
  const addresses = new ClientAddresses(config.trustProxy, logger);
  return {
    loggerInstance: logger as never,
    // No separate logger per request: log lines contain the request id themselves.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // Each route limits the time of its body itself (streamed-body.ts).
    requestTimeout: 0,
    // Node answers a missing `Host` without a body. `configureHttp` checks it for every route.
    http: { requireHostHeader: false },
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: (request: IncomingMessage) => requestId(request, addresses),
    ...(config.basePath === ''
      ? {}
      : { rewriteUrl: ({ url = '/' }: IncomingMessage) => withoutBasePath(url, config.basePath) }),
    frameworkErrors: (_error, request, reply) =>
      answerFrameworkError(headers, request as FastifyRequest, reply as unknown as FastifyReply),
    clientErrorHandler: (error, socket) => answerBrokenRequest(headers, error, socket as Socket),
    routerOptions: { maxParamLength: 1_024 },
  };
}

/** Returns the id of a request. Only an id of a trusted proxy is kept, so that both logs have the same id. */
function requestId(request: IncomingMessage, addresses: ClientAddresses): string {
  const inbound = addresses.isProxied(request) ? request.headers['x-request-id'] : undefined;
  return typeof inbound === 'string' && INBOUND_ID.test(inbound) ? inbound : newId();
}

/** Answers a URL that the router cannot parse. No hook runs for it. */
function answerFrameworkError(headers: ResponseHeaders, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = new AppError('request_malformed');
  discardRemaining(request.raw, reply.raw);
  void reply
    .headers(headers.of(request.headers.origin))
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .code(refusal.status)
    .send(toEnvelope(refusal));
}

/** Answers bytes that are no valid request. The connection is closed later, so that a client that still sends can read the response. */
function answerBrokenRequest(headers: ResponseHeaders, { code, rawPacket }: ConnectionError, socket: Socket): void {
  // Each further packet of the same client arrives here too.
  if (socket.writableEnded) return;
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(
    rawAnswer(
      new AppError(BROKEN[code] ?? 'request_malformed'),
      headers.ofPacket(Buffer.isBuffer(rawPacket) ? rawPacket : undefined),
    ),
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
