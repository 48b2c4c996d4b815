import type { ContentCipher } from '../../../kernel/keys/content-cipher.js';

/** The keys of the last record of a page. */
export type CursorKeys = readonly (string | null)[];

/**
 * Writes a cursor: the keys, sealed together with what they belong to. They may be values that the reader may not see, such
 * as the primary key, by which every order ends.
 *
 * @param scope the schema and the order that the keys belong to.
 */
export function writeCursor(keys: CursorKeys, scope: string, cipher: ContentCipher): string {
  return cipher.seal(scope, keys).toString('base64url');
}

/** Reads a cursor; null for one that is not ours or belongs to another list. */
export function readCursor(cursor: string, scope: string, cipher: ContentCipher): CursorKeys | null {
  const sealed = Buffer.from(cursor, 'base64url');
  return sealed.toString('base64url') === cursor ? (cipher.open(scope, sealed) as CursorKeys | null) : null;
}
