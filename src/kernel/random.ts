import { randomBytes, randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/** A new identifier: UUID version 7 (RFC 9562 §5.7), ordered by time of creation. */
export function newId(): string {
  return v7();
}

/** An opaque secret of 256 uniformly random bits, base64url without padding (43 characters). */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** `length` uniformly random decimal digits, leading zeros included. */
export function randomDigits(length: number): string {
  return Array.from({ length }, () => String(randomInt(10))).join('');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a value is a UUID in its canonical, lower-case text form. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}
