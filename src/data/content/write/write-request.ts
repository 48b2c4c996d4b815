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
import type { WriteAnswer } from '../answer/answers.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

export interface WriteRequest {
  readonly principal: Principal;
  /** Undefined if application code writes. */
  readonly origin?: RequestOrigin;
  /** Name or namespace of a schema; empty if the route names none. */
  readonly schema: string;
  readonly id: string;
  readonly body: unknown;
  readonly query: RawQuery;
  /** Accepted entity tags (RFC 9110 §13.1.1); null for any. */
  readonly ifMatch: string | null;
  readonly prefer: ReturnPreference | null;
  readonly idempotencyKey: IdempotencyKey | null;
  /** Transaction to join, if application code writes. Otherwise the write has its own. */
  readonly within?: EntityManager | undefined;
}

/** Reads the parts of a write request. Throws `field_invalid` for a malformed `Idempotency-Key`. */
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

export async function sendWritten(reply: FastifyReply, { status, headers, body }: WriteAnswer): Promise<void> {
  void reply.code(status).headers(headers);
  if (body === '') await reply.send();
  else await reply.header('content-type', JSON_TYPE).send(body);
}
