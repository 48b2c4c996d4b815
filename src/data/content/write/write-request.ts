import type { AuthenticatedRequest } from '../../../identity/auth/access/access.decorators.js';
import { GUEST, type Principal } from '../../../kernel/principal.types.js';
import { type IdempotencyKey, parseIdempotencyKey, requestHash } from '../request/idempotency-key.js';
import type { RawQuery } from '../request/parse-list-query.js';
import { type ReturnPreference, returnPreference } from '../request/prefer-header.js';

/** What a request that writes says, whatever it writes. */
export interface WriteRequest {
  readonly principal: Principal;
  /** A schema, by its name or namespace; empty where the route names none. */
  readonly schema: string;
  /** A record; empty where the route names none. */
  readonly id: string;
  readonly body: unknown;
  readonly query: RawQuery;
  /** Entity tags of which one must be the record's; null where any is fine (RFC 9110 §13.1.1). */
  readonly ifMatch: string | null;
  /** What the client wants to be answered; null where it does not say. */
  readonly prefer: ReturnPreference | null;
  /** Set for a request that is to be done once. */
  readonly idempotencyKey: IdempotencyKey | null;
}

/** Reads what a request says beside its body. Throws `field_invalid` for a malformed `Idempotency-Key`. */
export function writeRequestOf(request: AuthenticatedRequest): WriteRequest {
  const { schema = '', id = '' } = request.params as Partial<Record<string, string>>;
  const { headers, method, body } = request;
  const key = parseIdempotencyKey(headers['idempotency-key']);
  return {
    principal: request.user ?? GUEST,
    schema,
    id,
    body,
    query: request.query as RawQuery,
    ifMatch: headers['if-match'] ?? null,
    prefer: returnPreference(headers['prefer'] as string | undefined),
    idempotencyKey: key === null ? null : { key, requestHash: requestHash(method, request.url, body) },
  };
}
