import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** Names the purpose of a derived key. One label a purpose: a value made for one is worthless for another. */
export type KeyPurpose =
  | 'access-token'
  | 'one-time-secret'
  | 'refresh-token'
  | 'oauth-state'
  | 'cli-carrier'
  | 'rate-limit'
  | 'mailbox-budget'
  | 'code-session'
  | 'cursor'
  | 'idempotency-key'
  | 'mail-outbox'
  | 'setup-token';

/** Derives a 256-bit key for one purpose from `APP_KEY` by HKDF-SHA-256 (RFC 5869). */
export function deriveKey(appKey: string, purpose: KeyPurpose): KeyObject {
  const salt = Buffer.from('lintel');
  const bytes = hkdfSync('sha256', Buffer.from(appKey, 'utf8'), salt, `lintel/${purpose}/v1`, 32);
  return createSecretKey(Buffer.from(bytes));
}

/** A keyed hash (HMAC-SHA-256, base64url) of a secret, so that a stolen table cannot be searched offline. */
export function keyedHash(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('base64url');
}
