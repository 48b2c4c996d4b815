import { crc32 } from 'node:zlib';

const KEY = /^(lin_(?:pat|svc)_[0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;
/** Prefix of every API key, and of no other bearer token. */
export const API_KEY_MARK = 'lin_';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECK_CHARACTERS = 6;

export function hasKeyPrefix(token: string): boolean {
  return token.startsWith(API_KEY_MARK);
}

/** Returns whether a text has the format and the checksum of an API key. Only the issuer knows whether the key exists. */
export function isApiKey(text: string): boolean {
  const [, start, check] = KEY.exec(text) ?? [];
  return start !== undefined && check === apiKeyChecksum(start);
}

/** Returns the checksum of an API key, its last six characters: the CRC-32 of the rest in base 62, most significant digit first. */
export function apiKeyChecksum(text: string): string {
  let remainder = crc32(text);
  let digits = '';
  for (let position = 0; position < CHECK_CHARACTERS; position += 1) {
    digits = `${BASE62[remainder % BASE62.length]}${digits}`;
    remainder = Math.floor(remainder / BASE62.length);
  }
  return digits;
}
