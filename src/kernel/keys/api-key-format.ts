import { hash, randomInt } from 'node:crypto';
import { API_KEY_MARK, apiKeyChecksum, isApiKey } from '../../../packages/guards/src/guards.js';

/** Kinds of keys: a person's, or a service account's. */
export type ApiKeyKind = 'pat' | 'svc';

/** A key that was just made. It is told once. */
export interface NewApiKey {
  readonly key: string;
  /** Its beginning, which tells nothing of the rest. */
  readonly prefix: string;
  readonly keyHash: string;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 30;
const SHOWN_CHARACTERS = 4;

/** Makes a key of 178 random bits. */
export function makeApiKey(kind: ApiKeyKind): NewApiKey {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => BASE62[randomInt(BASE62.length)]).join('');
  const start = `${API_KEY_MARK}${kind}_${random}`;
  const key = start + apiKeyChecksum(start);
  return { key, prefix: start.slice(0, -RANDOM_CHARACTERS + SHOWN_CHARACTERS), keyHash: hash('sha256', key) };
}

/** Returns the hash by which a key is stored; null for a text without the form and checksum of a key, which needs no look at a table. */
export function apiKeyHash(text: string): string | null {
  return isApiKey(text) ? hash('sha256', text) : null;
}
