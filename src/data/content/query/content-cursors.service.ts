import { Inject, Injectable } from '@nestjs/common';
import { ContentCipher } from '../../../kernel/keys/content-cipher.js';
import { defineKeyPurpose, deriveKey } from '../../../kernel/keys/key-derivation.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import type { RawQuery } from '../request/parse-list-query.js';
import type { QueryFaults } from '../request/query-faults.js';

export type CursorKeys = readonly (string | null)[];

const CURSOR_KEY = defineKeyPurpose('cursor', 'dies');

/**
 * Encodes and decodes cursors: the keys of the last record, encrypted together with their scope. Keys may be values that the reader may not
 * see, such as the primary key that ends every sort order. The scope is the schema and the order that the keys belong to.
 */
@Injectable()
export class ContentCursors {
  private readonly cipher: ContentCipher;

  constructor(@Inject(CONFIG) config: Config) {
    this.cipher = new ContentCipher(deriveKey(config.appKey, CURSOR_KEY));
  }

  read({ cursor }: RawQuery, scope: string, faults: QueryFaults): CursorKeys | null {
    if (typeof cursor !== 'string' || cursor === '') return null;
    const sealed = Buffer.from(cursor, 'base64url');
    const isPlain = sealed.toString('base64url') === cursor;
    const keys = isPlain ? (this.cipher.open(scope, sealed) as CursorKeys | null) : null;
    if (keys === null) faults.add('cursor', 'malformed', 'is not a cursor of this list');
    return keys;
  }

  /**
   * Returns the cursor of the next page; null on the last page.
   *
   * @param last JSON of the sort keys of the last record.
   * @param found number of records found. A cursor page reads one more than its limit.
   */
  next(last: string | null, found: number, limit: number, scope: string): string | null {
    if (last === null || found <= limit) return null;
    return this.cipher.seal(scope, JSON.parse(last) as CursorKeys).toString('base64url');
  }
}
