import { createHash } from 'node:crypto';
import type { ReturnPreference } from '../request/idempotency-key.js';
import { recordAnswer, type RecordRow } from './list-answer.js';

/** The answer to a write, complete: it can be sent now or, with an `Idempotency-Key`, again later. */
export interface WriteAnswer {
  readonly status: number;
  /** JSON; empty for an answer without a body. */
  readonly body: string;
  /** The same with no more of the records than their keys: for a request that comes again from somebody who may see less. */
  readonly bare: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A record that was written. */
export interface WrittenRow extends RecordRow {
  readonly id: string;
  /** Its key alone, as JSON. */
  readonly key: string;
}

/** Returns the answer to a write of one record; without a body where the client asked for none (RFC 7240 §4.2). */
export function recordWritten(
  { item, key, version }: WrittenRow,
  prefer: ReturnPreference | null,
  location: string | null,
): WriteAnswer {
  const isMinimal = prefer === 'minimal';
  return {
    status: location !== null ? 201 : isMinimal ? 204 : 200,
    body: isMinimal ? '' : recordAnswer(item),
    bare: isMinimal ? '' : recordAnswer(key),
    headers: {
      ...(location === null ? {} : { location }),
      ...(version === '' ? {} : { etag: entityTag(version) }),
      ...applied(prefer),
    },
  };
}

/** Returns the answer to a write of a list of new records. */
export function recordsWritten(rows: readonly WrittenRow[], prefer: ReturnPreference | null): WriteAnswer {
  const list = (items: readonly string[]): string => (prefer === 'minimal' ? '' : recordAnswer(`[${items.join(',')}]`));
  return {
    status: 201,
    body: list(rows.map(({ item }) => item)),
    bare: list(rows.map(({ key }) => key)),
    headers: applied(prefer),
  };
}

/**
 * Returns the answer of a result as JSON.
 *
 * @param bare the same without what records hold, where it has any of that.
 */
export function resultWritten(result: string, bare = result): WriteAnswer {
  return { status: 200, body: recordAnswer(result), bare: recordAnswer(bare), headers: {} };
}

/** Returns the entity tag of a version of a row (RFC 9110 §8.8.3). */
export function entityTag(version: string): string {
  return `"${version}"`;
}

/**
 * Returns the entity tag of what was read: of the very text, since what is answered of a row depends on what it refers to and on who
 * asks; before it the version of the row, by which it can be changed.
 */
export function readTag(body: string, version: string | null): string {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, TAG_LENGTH);
  return entityTag(version === null || version === '' ? hash : `${version}${BEFORE_HASH}${hash}`);
}

/** Returns the version in an entity tag without its quotes: of a write, or of what was read. */
export function versionInTag(tag: string): string {
  return tag.split(BEFORE_HASH, 1)[0] ?? '';
}

/** 132 bits. */
const TAG_LENGTH = 22;
/** Stands in no version, and in no hash. */
const BEFORE_HASH = '.';

function applied(prefer: ReturnPreference | null): Readonly<Record<string, string>> {
  return prefer === null ? {} : { 'preference-applied': `return=${prefer}` };
}
