import { crc32 } from 'node:zlib';

const MARK = 'lin_';
const KEY = /^(lin_(?:pat|svc)_[0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECK_CHARACTERS = 6;

/** Returns whether a bearer token is meant as an API key. */
export function isMeantAsKey(token: string): boolean {
  return token.startsWith(MARK);
}

/** Returns whether a text has the form and the checksum of an API key. Whether the key exists, only the issuer knows. */
export function isApiKey(text: string): boolean {
  const [, start, check] = KEY.exec(text) ?? [];
  return start !== undefined && check === checksum(start);
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
