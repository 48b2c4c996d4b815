import { finished, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { bodyParts } from '../../../../platform/http/http.public.js';

const GZIP_DAMAGED = 'The body is damaged or incomplete: it is not valid gzip.';
const INCOMPLETE = 'The body is incomplete: the connection was closed before its end.';

/**
 * Yields the body of a route with `@AcceptsStream({ packed: true })`, decompressed (RFC 9110 §8.4.1.3).
 *
 * @throws AppError `body_malformed` for a body that is incomplete or is not valid gzip.
 */
export function arrivingBytes(request: FastifyRequest): AsyncIterable<Uint8Array> {
  const body = (request.body as Readable | undefined) ?? Readable.from([]);
  const encoding = (request.raw.headers['content-encoding'] ?? '').toLowerCase();
  return encoding.includes('gzip') ? whole(unpacked(body), GZIP_DAMAGED) : whole(bodyParts(body), INCOMPLETE);
}

/** The body itself is never destroyed, because its connection needs a response. */
function unpacked(body: Readable): Readable {
  const gunzip = createGunzip();
  // gunzip can emit another error after the consumer has stopped.
  gunzip.on('error', () => undefined);
  finished(body, { writable: false }, (error) => error && gunzip.destroy(error));
  return body.pipe(gunzip);
}

async function* whole(body: AsyncIterable<unknown>, message: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('body_malformed', { cause: error, message });
  }
}
