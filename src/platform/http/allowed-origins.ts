import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.types.js';

/** What pages of other origins may read of an answer beside its body. */
const EXPOSED = ['ETag', 'Location', 'Preference-Applied', 'Retry-After', 'X-Request-Id'];
const ACCEPTED = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Prefer'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** How long a browser remembers the answer to a preflight, in seconds. */
const REMEMBERED_SECONDS = 600;

/**
 * Lets pages of the configured origins call the API (Fetch Standard, "CORS protocol"). A token has to be sent in the header:
 * browsers send no cookies along, for credentials are not allowed. Without origins nothing is registered, and nothing answered.
 */
export async function allowOrigins(
  fastify: FastifyInstance,
  { corsOrigins }: Pick<Config, 'corsOrigins'>,
): Promise<void> {
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
