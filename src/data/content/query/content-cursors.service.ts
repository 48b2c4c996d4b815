import { Inject, Injectable } from '@nestjs/common';
import { ContentCipher } from '../../../kernel/keys/content-cipher.js';
import { defineKeyPurpose, deriveKey } from '../../../kernel/keys/key-derivation.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { type CursorKeys, readCursor, writeCursor } from '../answer/cursor-token.js';
import type { RawQuery } from '../request/parse-list-query.js';
import type { QueryFaults } from '../request/query-faults.js';

const CURSOR_KEY = defineKeyPurpose('cursor', 'dies');

/** Encodes and decodes cursors. They are encrypted and bound to the sort fields of a list. */
@Injectable()
export class ContentCursors {
  private readonly cipher: ContentCipher;

  constructor(@Inject(CONFIG) config: Config) {
    this.cipher = new ContentCipher(deriveKey(config.appKey, CURSOR_KEY));
  }

  read({ cursor }: RawQuery, scope: string, faults: QueryFaults): CursorKeys | null {
    if (typeof cursor !== 'string' || cursor === '') return null;
    const keys = readCursor(cursor, scope, this.cipher);
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
    return writeCursor(JSON.parse(last) as CursorKeys, scope, this.cipher);
  }
}
