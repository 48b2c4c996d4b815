import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Kinds of keys: a person's, or a service account's. */
export type ApiKeyKind = 'pat' | 'svc';

/** A key that was just made. It is told once. */
export interface NewApiKey {
  readonly key: string;
  /** Its beginning, which tells nothing of the rest. */
  readonly prefix: string;
  readonly keyHash: string;
}

/** Beginning of every key: that of no other bearer token. */
export const KEY_MARK = 'lin_';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 30;
const CHECK_CHARACTERS = 6;
const SHOWN_CHARACTERS = 4;
const KEY = /^(lin_(?:pat|svc)_[0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** Makes a key of 178 random bits. */
export function makeApiKey(kind: ApiKeyKind): NewApiKey {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => BASE62[randomInt(BASE62.length)]).join('');
  const start = `${KEY_MARK}${kind}_${random}`;
  const key = start + checksum(start);
  return { key, prefix: start.slice(0, -RANDOM_CHARACTERS + SHOWN_CHARACTERS), keyHash: hash('sha256', key) };
}

/** Returns the hash by which a key is kept; null for what is no key, which the checksum tells without a look at any table. */
export function apiKeyHash(text: string): string | null {
  const [, start, check] = KEY.exec(text) ?? [];
  return start !== undefined && check === checksum(start) ? hash('sha256', text) : null;
}

/** Returns the CRC-32 of a text in base 62, most significant digit first. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECK_CHARACTERS; place += 1) {
    digits = `${BASE62[rest % BASE62.length]}${digits}`;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}
