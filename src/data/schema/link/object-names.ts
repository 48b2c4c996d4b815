import { fittedIdentifier, shortHash } from '../../model/identifiers.js';

const HASH_DIGITS = 8;

/** What a name stands for: primary key, index, unique index, check, foreign key. */
export type ObjectPrefix = 'pk' | 'ix' | 'ux' | 'ck' | 'fk';

/**
 * The name of an index or constraint: readable, at most 63 bytes, and unique in the database by a hash of what makes
 * it itself, so that the objects of a table that was archived never collide with those of a new one.
 */
export function objectName(prefix: ObjectPrefix, parts: readonly string[], key: string): string {
  return fittedIdentifier([prefix, ...parts].join('_'), shortHash(key, HASH_DIGITS));
}
