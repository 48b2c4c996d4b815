import { randomBytes, randomFillSync, randomInt } from 'node:crypto';
import { v7 } from 'uuid';

const ID_BYTES = 16;
const stock = new Uint8Array(256 * ID_BYTES);
let used = stock.length;

/**
 * Returns a new UUID version 7 (RFC 9562 §5.7), ordered by time of creation. Random bytes are read in batches, because every request needs
 * an id.
 */
export function newId(): string {
  if (used === stock.length) {
    randomFillSync(stock);
    used = 0;
  }
  const random = stock.subarray(used, (used += ID_BYTES));
  return v7({ random });
}

/** Returns a secret of 256 random bits, base64url without padding (43 characters). */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

export function randomDigits(length: number): string {
  return Array.from({ length }, () => String(randomInt(10))).join('');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns whether a value is a UUID in canonical lower-case form. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}
