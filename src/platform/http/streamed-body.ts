import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../kernel/app-error.js';
import { rawAnswer } from './envelope.js';

/** The type under which a body reaches the one parser that does not read it: no client's own. */
const STREAMED = 'application/vnd.lintel.streamed';

/** Time that a request may take to arrive; a streamed body, to bring the next byte. */
const BODY_MS = 30_000;
/** Time for which the rest of a body is let in that was refused before its end, so that the client reads the answer. */
const LINGER_MS = 5_000;

/** Periods of {@link boundBodies}, in milliseconds; shorter in tests. */
export interface BodyPeriods {
  readonly bodyMs?: number;
  readonly lingerMs?: number;
}

/** Returns whether the route of a request takes its body as a stream (`@AcceptsStream()`). */
function isStreamed({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as { readonly acceptsStream?: boolean }).acceptsStream === true;
}

/**
 * Hands the body of a route with `@AcceptsStream()` to it as it arrives, whatever its type, and bounds the time of all bodies: of one
 * that is read first from its beginning to its end, of a streamed one from byte to byte. The server's own bound would be one for both.
 */
export function boundBodies(fastify: FastifyInstance, periods: BodyPeriods = {}): void {
  const { bodyMs = BODY_MS, lingerMs = LINGER_MS } = periods;
  fastify.server.headersTimeout = BODY_MS;
  fastify.addContentTypeParser(STREAMED, (request, payload, done) => {
    if (isStreamed(request)) done(null, payload);
    else done(new AppError('content_type_unsupported'));
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    const { 'content-length': length, 'transfer-encoding': chunks } = request.raw.headers;
    const hasBody = chunks !== undefined || Number(length ?? 0) > 0;
    if (isStreamed(request)) {
      request.headers = { 'content-type': STREAMED };
      if (hasBody) boundRest(request, reply, lingerMs);
    }
    if (hasBody) boundBodyTime(request, bodyMs);
    done();
  });
}

/** Ends a connection whose request does not arrive. */
function boundBodyTime(request: FastifyRequest, bodyMs: number): void {
  const { raw } = request;
  const { socket } = raw;
  const isProgress = isStreamed(request);
  let read = socket.bytesRead;
  const timer = setInterval(() => {
    if (raw.complete || socket.destroyed) return clearInterval(timer);
    if (isProgress && socket.bytesRead > read) read = socket.bytesRead;
    else endWith(socket, new AppError('request_timeout'));
  }, bodyMs);
  timer.unref();
  raw.once('close', () => clearInterval(timer));
}

/** Ends a connection on which a body goes on that was answered already. */
function boundRest({ raw }: FastifyRequest, reply: FastifyReply, lingerMs: number): void {
  const { socket } = raw;
  reply.raw.once('finish', () => {
    if (raw.complete) return;
    const timer = setTimeout(() => raw.complete || socket.destroy(), lingerMs);
    timer.unref();
    raw.once('end', () => clearTimeout(timer));
  });
}

function endWith(socket: Socket, refusal: AppError): void {
  if (socket.writable) socket.end(rawAnswer(refusal), () => socket.destroy());
  else socket.destroy();
}
