import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors/app-error.js';
import { rawAnswer } from '../output/envelope.js';
import type { ResponseHeaders } from '../output/response-headers.js';

/** Internal content type of the parser that does not read the body. Clients do not send it. */
const STREAMED = 'application/vnd.lintel.streamed';

/** Time for a complete body, or for the next byte of a streamed body. */
const BODY_MS = 30_000;
/** Time that the rest of a body is read and discarded if the response was sent before its end. */
export const LINGER_MS = 5_000;

function isStreamed({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as { readonly acceptsStream?: boolean }).acceptsStream === true;
}

/**
 * Passes the body of a route with `@AcceptsStream()` to it as it arrives, and limits the time of all bodies. A buffered body has one
 * timeout for the whole body. A streamed body has a timeout between bytes. Node has only one such limit for all routes.
 *
 * A response can be sent before the body has arrived, for example an error. The rest of the body is then discarded, so that the client can
 * read the response and reuse the connection.
 */
export function boundBodies(
  fastify: FastifyInstance,
  headers: ResponseHeaders,
  { bodyMs = BODY_MS, lingerMs = LINGER_MS } = {},
): void {
  fastify.server.headersTimeout = BODY_MS;
  fastify.addContentTypeParser(STREAMED, (request, payload, done) => {
    if (isStreamed(request)) done(null, payload);
    else done(new AppError('content_type_unsupported'));
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    const isBodySent = hasBody(request.raw);
    if (isStreamed(request)) request.headers = { 'content-type': STREAMED };
    if (isBodySent) {
      discardRemaining(request.raw, reply.raw, lingerMs);
      boundBodyTime(request, headers, bodyMs);
    }
    done();
  });
}

/** A loop that ends early leaves the stream open: destroying it would close the connection before the response. */
export function bodyParts(body: Readable): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => body.iterator({ destroyOnReturn: false }) };
}

/**
 * Discards the rest of a body after an early response, for a limited time. Then it closes the connection.
 *
 * Node immediately closes a connection that it does not keep alive. Unread bytes then reset it, and a client or proxy that still sends
 * loses the response. So the connection is only half closed until the client has sent everything.
 */
export function discardRemaining(request: IncomingMessage, response: ServerResponse, lingerMs = LINGER_MS): void {
  // Must run before Node's own listener, which closes the connection.
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    const { socket } = request;
    let isLast = false;
    socket.destroySoon = () => {
      isLast = true;
      socket.end();
    };
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
    const finish = (): void => {
      clearTimeout(timer);
      Reflect.deleteProperty(socket, 'destroySoon');
      if (isLast) socket.destroySoon();
    };
    request.once('end', finish);
    request.once('close', finish);
    request.on('error', () => undefined);
    request.unpipe();
    request.resume();
  });
}

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function boundBodyTime(request: FastifyRequest, headers: ResponseHeaders, bodyMs: number): void {
  const { raw, id } = request;
  const { socket } = raw;
  const isProgress = isStreamed(request);
  let read = socket.bytesRead;
  const timer = setInterval(() => {
    if (raw.complete || socket.destroyed) return clearInterval(timer);
    if (isProgress && socket.bytesRead > read) {
      read = socket.bytesRead;
      return;
    }
    if (!socket.writable) return socket.destroy();
    const timeout = rawAnswer(new AppError('request_timeout'), {
      ...headers.of(raw.headers.origin),
      'x-request-id': id,
    });
    socket.end(timeout, () => socket.destroy());
  }, bodyMs);
  timer.unref();
  raw.once('close', () => clearInterval(timer));
}
