import { createHash } from 'node:crypto';
import { AppError } from '../../../kernel/errors/app-error.js';

const PREFERENCE = /^return[ \t]*=[ \t]*("?)(minimal|representation)\1[ \t]*(?:;|$)/i;

/** The `Idempotency-Key` of a request that is done once, however often it is sent. */
export interface IdempotencyKey {
  /** Key that the client chose. */
  readonly key: string;
  /** SHA-256 over the method, the address and the body, base64url. */
  readonly requestHash: string;
}

/** Bare, as most clients send it: visible ASCII. */
const TOKEN = /^[!#-+\--~]{1,255}$/;
/** A string of structured fields (RFC 9651 §3.3.3), as the draft has it. */
const STRING = /^"((?:[ !#-[\]-~]|\\["\\]){1,255})"$/;

/**
 * Reads an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a structured string, or the same without its quotes.
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

/** Returns what makes two requests the same. */
export function requestHash(method: string, url: string, body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([method, url, body]))
    .digest('base64url');
}

/** Returns the refusal of a key, or of what was sent with it. */
export function keyFault(message: string): AppError {
  const errors = [{ field: 'Idempotency-Key', code: 'value_invalid', message }];
  return new AppError('field_invalid', { details: { errors } });
}

/** Preference of a client for the answer after a write (RFC 7240 §4.2). */
export type ReturnPreference = 'minimal' | 'representation';

/** Returns the first `return` of a `Prefer` header; null if there is none or another value, which is ignored (RFC 7240 §2). */
export function returnPreference(header: string | undefined): ReturnPreference | null {
  const entries = header?.split(',').map((entry) => entry.trim()) ?? [];
  const first = entries.find((entry) => /^return[ \t]*(?:=|;|$)/i.test(entry));
  return (PREFERENCE.exec(first ?? '')?.[2]?.toLowerCase() ?? null) as ReturnPreference | null;
}
