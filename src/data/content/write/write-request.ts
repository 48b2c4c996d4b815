import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuthenticatedRequest } from '../../../identity/auth/access/access.decorators.js';
import { originOf } from '../../../identity/auth/auth.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { GUEST, type Principal, type RequestOrigin } from '../../../kernel/principal.types.js';
import type { ReturnPreference } from '../answers.js';
import { fieldInvalid } from '../resolve/writes/write-faults.js';
import type { RawQuery } from '../request/parse-list-query.js';

export interface IdempotencyKey {
  readonly key: string;
  /** SHA-256 of the method, the URL and the body, base64url. */
  readonly requestHash: string;
}

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

/** Unquoted, as most clients send it: visible ASCII. */
const TOKEN = /^[!#-+\--~]{1,255}$/;
/** A string of structured fields (RFC 9651 §3.3.3), as specified by the draft. */
const STRING = /^"((?:[ !#-[\]-~]|\\["\\]){1,255})"$/;

/**
 * Parses an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a structured string, or the same without quotes.
 *
 * @throws AppError `field_invalid` for anything but 1 to 255 printable characters.
 */
function parseIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  const text = typeof header === 'string' ? header : header.join(',');
  if (TOKEN.test(text)) return text;
  const quoted = STRING.exec(text)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(["\\])/g, '$1');
  throw keyFault('must be 1 to 255 printable ASCII characters');
}

/** Requests with the same hash count as repetitions. */
function requestHash(method: string, url: string, body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([method, url, body]))
    .digest('base64url');
}

export function keyFault(message: string): AppError {
  return fieldInvalid('Idempotency-Key', 'value_invalid', message);
}

const PREFERENCE = /^return[ \t]*=[ \t]*("?)(minimal|representation)\1[ \t]*(?:;|$)/i;

/**
 * Returns the first `return` preference of a `Prefer` header. Null if there is none or if its value is unknown, which is ignored (RFC 7240
 * §2).
 */
function returnPreference(header: string | undefined): ReturnPreference | null {
  const entries = header?.split(',').map((entry) => entry.trim()) ?? [];
  const first = entries.find((entry) => /^return[ \t]*(?:=|;|$)/i.test(entry));
  return (PREFERENCE.exec(first ?? '')?.[2]?.toLowerCase() ?? null) as ReturnPreference | null;
}
