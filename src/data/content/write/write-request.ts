import type { AuthenticatedRequest } from '../../../identity/auth/access/access.decorators.js';
import { originOf } from '../../../identity/auth/auth.public.js';
import { GUEST, type Principal, type RequestOrigin } from '../../../kernel/principal.types.js';
import {
  type IdempotencyKey,
  parseIdempotencyKey,
  requestHash,
  type ReturnPreference,
  returnPreference,
} from '../request/idempotency-key.js';
import type { RawQuery } from '../request/parse-list-query.js';
import type { FastifyReply } from 'fastify';
import type { EntityManager } from 'typeorm';
import type { WriteAnswer } from '../answer/write-answer.js';

/** The type of every answer with a body. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Request that writes, whatever it writes. */
export interface WriteRequest {
  readonly principal: Principal;
  /** Origin of the request; nothing if code of the application asks. */
  readonly origin?: RequestOrigin;
  /** A schema, by its name or namespace; empty if the route names none. */
  readonly schema: string;
  /** A record; empty if the route names none. */
  readonly id: string;
  readonly body: unknown;
  readonly query: RawQuery;
  /** Entity tags of which one must be the record's; null if any is fine (RFC 9110 §13.1.1). */
  readonly ifMatch: string | null;
  /** Answer that the client wants; null if it does not say. */
  readonly prefer: ReturnPreference | null;
  /** Set for a request that is to be done once. */
  readonly idempotencyKey: IdempotencyKey | null;
  /** The transaction that it joins, where code of the application asks; it has one of its own unless given. */
  readonly within?: EntityManager | undefined;
}

/** Reads what a request says beside its body. Throws `field_invalid` for a malformed `Idempotency-Key`. */
export function writeRequestOf(request: AuthenticatedRequest): WriteRequest {
  const { schema = '', id = '' } = request.params as Partial<Record<string, string>>;
  const { headers, method, body } = request;
  const key = parseIdempotencyKey(headers['idempotency-key']);
  return {
    principal: request.user ?? GUEST,
    origin: originOf(request),
    schema,
    id,
    body,
    query: request.query as RawQuery,
    ifMatch: headers['if-match'] ?? null,
    prefer: returnPreference(headers['prefer'] as string | undefined),
    idempotencyKey: key === null ? null : { key, requestHash: requestHash(method, request.url, body) },
  };
}

/** Sends the answer to a write. */
export async function sendWritten(reply: FastifyReply, { status, headers, body }: WriteAnswer): Promise<void> {
  void reply.code(status).headers(headers);
  if (body === '') await reply.send();
  else await reply.header('content-type', JSON_TYPE).send(body);
}
