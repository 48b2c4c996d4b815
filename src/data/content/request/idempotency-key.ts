import { createHash } from 'node:crypto';
import { AppError } from '../../../kernel/errors/app-error.js';

const PREFERENCE = /^return[ \t]*=[ \t]*("?)(minimal|representation)\1[ \t]*(?:;|$)/i;

export interface IdempotencyKey {
  readonly key: string;
  /** SHA-256 of the method, the URL and the body, base64url. */
  readonly requestHash: string;
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
export function parseIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  const text = typeof header === 'string' ? header : header.join(',');
  if (TOKEN.test(text)) return text;
  const quoted = STRING.exec(text)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(["\\])/g, '$1');
  throw keyFault('must be 1 to 255 printable ASCII characters');
}

/** Requests with the same hash count as repetitions. */
export function requestHash(method: string, url: string, body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([method, url, body]))
    .digest('base64url');
}

export function keyFault(message: string): AppError {
  const errors = [{ field: 'Idempotency-Key', code: 'value_invalid', message }];
  return new AppError('field_invalid', { details: { errors } });
}

/** Preference for the response to a write (RFC 7240 §4.2). */
export type ReturnPreference = 'minimal' | 'representation';

/**
 * Returns the first `return` preference of a `Prefer` header. Null if there is none or if its value is unknown, which is ignored (RFC 7240
 * §2).
 */
export function returnPreference(header: string | undefined): ReturnPreference | null {
  const entries = header?.split(',').map((entry) => entry.trim()) ?? [];
  const first = entries.find((entry) => /^return[ \t]*(?:=|;|$)/i.test(entry));
  return (PREFERENCE.exec(first ?? '')?.[2]?.toLowerCase() ?? null) as ReturnPreference | null;
}
