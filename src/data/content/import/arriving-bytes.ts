import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/app-error.js';

/**
 * Yields the bytes of a body of a route with `@AcceptsStream({ packed: true })`, unpacked (RFC 9110 §8.4.1.3).
 *
 * @throws AppError `body_malformed` for one that ends before its time, or is not packed as it says.
 */
export function arrivingBytes(request: FastifyRequest): AsyncIterable<Uint8Array> {
  const body = (request.body ?? []) as Readable;
  const encoding = (request.raw.headers['content-encoding'] ?? '').toLowerCase();
  return whole(encoding.includes('gzip') ? unpacked(body) : body);
}

function unpacked(body: Readable): Readable {
  const gunzip = createGunzip();
  // It may say once more what is wrong, after whoever reads it has gone.
  gunzip.on('error', () => undefined);
  return pipeline(body, gunzip, () => undefined);
}

async function* whole(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    throw new AppError('body_malformed', { cause: error });
  }
}
