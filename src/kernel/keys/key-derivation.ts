import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { assertDistinct } from '../errors/definition-error.js';

/**
 * Effect of a change of `APP_KEY`: values of a derived key become invalid (`dies`), or stay readable while `APP_KEY_PREVIOUS` has the old
 * key (`survives`).
 */
type OnKeyChange = 'dies' | 'survives';

/** The purpose of a derived key. Each purpose has its own key, so values of one purpose are invalid for others. */
export interface KeyPurpose<Change extends OnKeyChange = OnKeyChange> {
  readonly name: string;
  readonly onKeyChange: Change;
}

const names: string[] = [];

/**
 * Defines the purpose of a key, next to the code that uses it.
 *
 * @param name unique. If it changes, all values of the key become invalid.
 */
export function defineKeyPurpose<Change extends OnKeyChange>(name: string, onKeyChange: Change): KeyPurpose<Change> {
  names.push(name);
  return { name, onKeyChange };
}

/** @throws DefinitionError for a name of two purposes, because they would share a key. */
export function assertKeyPurposesDistinct(): void {
  assertDistinct(names, 'Two purposes of a key have the name');
}

/** Derives the key of a purpose that ends with a change of `APP_KEY`. Values that must survive it use a `KeyRing`. */
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
