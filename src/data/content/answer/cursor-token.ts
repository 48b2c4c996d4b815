import type { ContentCipher } from '../../../kernel/keys/content-cipher.js';

export type CursorKeys = readonly (string | null)[];

/**
 * Encodes a cursor: the keys, encrypted together with their scope. Keys may be values that the reader may not see, such as the primary key
 * that ends every sort order.
 *
 * @param scope the schema and the order that the keys belong to.
 */
export function writeCursor(keys: CursorKeys, scope: string, cipher: ContentCipher): string {
  return cipher.seal(scope, keys).toString('base64url');
}

/** Decodes a cursor. Returns null if it was not issued by this server or belongs to another list. */
export function readCursor(cursor: string, scope: string, cipher: ContentCipher): CursorKeys | null {
  const sealed = Buffer.from(cursor, 'base64url');
  return sealed.toString('base64url') === cursor ? (cipher.open(scope, sealed) as CursorKeys | null) : null;
}
