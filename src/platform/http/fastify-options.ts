import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/config.types.js';
import { withoutBasePath } from '../../kernel/base-path.js';
import { AppError } from '../../kernel/app-error.js';
import { newId } from '../../kernel/random.js';
import { rawAnswer, toEnvelope } from './envelope.js';

/** Largest request body, in bytes: 1 MiB. */
const BODY_LIMIT_BYTES = 1_048_576;
const INBOUND_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns how the HTTP server is set up: bounds, identities of requests, and answers for what is no request at all. */
export function fastifyOptions(config: Config, logger: Logger): FastifyServerOptions {
  return {
    loggerInstance: logger as never,
    // No logger of its own for each request: what is logged names its request itself.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // Each route bounds the time of its body itself (streamed-body.ts).
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: (request: IncomingMessage) => requestId(request, config),
    ...(config.basePath === ''
      ? {}
      : { rewriteUrl: ({ url = '/' }: IncomingMessage) => withoutBasePath(url, config.basePath) }),
    frameworkErrors: (error, request, reply) =>
      answerFrameworkError(error, request as FastifyRequest, reply as unknown as FastifyReply),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket as Socket),
    routerOptions: { maxParamLength: 1_024 },
  };
}

/** Returns the id of a request. An id of a trusted proxy is kept, so that its log and ours meet; anybody else's is replaced. */
function requestId(request: IncomingMessage, config: Config): string {
  const inbound = config.trustProxy === false ? undefined : request.headers['x-request-id'];
  return typeof inbound === 'string' && INBOUND_ID.test(inbound) ? inbound : newId();
}

function answerFrameworkError(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = new AppError('request_malformed');
  void reply
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .code(refusal.status)
    .send(toEnvelope(refusal));
}

function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new AppError('headers_too_large')
      : new AppError(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'request_malformed');
  socket.end(rawAnswer(refusal));
}
