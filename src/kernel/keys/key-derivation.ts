import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { assertDistinct } from '../errors/definition-error.js';

/**
 * Effects of a change of `APP_KEY` on what was made with a derived key: it ends, as tokens do, or it is read with the previous key for
 * as long as `APP_KEY_PREVIOUS` has that one (CONTRACT §13).
 */
type OnKeyChange = 'dies' | 'survives';

/** The purpose of a derived key. One a purpose: a value made for one is worthless for another. */
export interface KeyPurpose<Change extends OnKeyChange = OnKeyChange> {
  readonly name: string;
  readonly onKeyChange: Change;
}

const names: string[] = [];

/**
 * Defines the purpose of a key, beside what uses it.
 *
 * @param name unique; what was made with the key is lost when it is changed.
 */
export function defineKeyPurpose<Change extends OnKeyChange>(name: string, onKeyChange: Change): KeyPurpose<Change> {
  names.push(name);
  return { name, onKeyChange };
}

/** @throws DefinitionError for a name that two purposes have: their keys would be one. */
export function assertKeyPurposesDistinct(): void {
  assertDistinct(names, 'Two purposes of a key are called');
}

/** Derives the key of one purpose that ends with `APP_KEY`. What survives it is sealed with a `KeyRing`. */
export function deriveKey(appKey: string, purpose: KeyPurpose<'dies'>): KeyObject {
  return deriveNamedKey(appKey, purpose.name);
}

/** Derives a 256-bit key from `APP_KEY` by HKDF-SHA-256 (RFC 5869). */
export function deriveNamedKey(appKey: string, name: string): KeyObject {
  const salt = Buffer.from('lintel');
  const bytes = hkdfSync('sha256', Buffer.from(appKey, 'utf8'), salt, `lintel/${name}/v1`, 32);
  return createSecretKey(Buffer.from(bytes));
}

/** Returns a keyed hash (HMAC-SHA-256, base64url) of a secret, so that a stolen table cannot be searched offline. */
export function keyedHash(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('base64url');
}
