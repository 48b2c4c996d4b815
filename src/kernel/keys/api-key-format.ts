import { hash, randomInt } from 'node:crypto';
import { API_KEY_MARK, apiKeyChecksum, isApiKey } from '../../../packages/guards/src/guards.js';

/** Personal access token, or key of a service account. */
export type ApiKeyKind = 'pat' | 'svc';

export interface NewApiKey {
  readonly key: string;
  /** Non-secret beginning of the key, to identify it in lists. */
  readonly prefix: string;
  readonly keyHash: string;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 30;
const PREFIX_CHARACTERS = 4;

export function createApiKey(kind: ApiKeyKind): NewApiKey {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => BASE62[randomInt(BASE62.length)]).join('');
  const start = `${API_KEY_MARK}${kind}_${random}`;
  const key = start + apiKeyChecksum(start);
  return { key, prefix: start.slice(0, -RANDOM_CHARACTERS + PREFIX_CHARACTERS), keyHash: hash('sha256', key) };
}

/** Returns the hash under which a key is stored; null if the text has no valid format and checksum, which saves a query. */
export function apiKeyHash(text: string): string | null {
  return isApiKey(text) ? hash('sha256', text) : null;
}
