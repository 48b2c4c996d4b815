import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The keys of the last record of a page. */
export type CursorKeys = readonly (string | null)[];

/**
 * Writes a cursor: the keys, signed together with what they belong to, so that nobody learns or makes up another place.
 *
 * @param scope the schema and the order that the keys belong to.
 */
export function writeCursor(keys: CursorKeys, scope: string, key: KeyObject): string {
  const body = Buffer.from(JSON.stringify(keys)).toString('base64url');
  return `${body}.${signature(body, scope, key).toString('base64url')}`;
}

/** Reads a cursor; null for one that is not ours or belongs to another list. */
export function readCursor(cursor: string, scope: string, key: KeyObject): CursorKeys | null {
  const [body = '', signed = '', ...rest] = cursor.split('.');
  const given = Buffer.from(signed, 'base64url');
  const expected = signature(body, scope, key);
  if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as CursorKeys;
}

function signature(body: string, scope: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(`${scope}\0${body}`).digest();
}
