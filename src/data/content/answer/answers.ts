import type { TextRow } from '../../../platform/database/database.public.js';
import type { ListQuery } from '../request/list-query.types.js';
import { createHash } from 'node:crypto';
import type { ReturnPreference } from '../request/idempotency-key.js';

/** A complete response to a write. It is sent now or replayed later for the same `Idempotency-Key`. */
export interface WriteAnswer {
  readonly status: number;
  readonly body: string;
  /** The same body, reduced to record keys. It is replayed if the caller may no longer see everything. */
  readonly bare: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface WrittenRow extends RecordRow {
  readonly id: string;
  readonly key: string;
}

/** Without a body if the client sent `Prefer: return=minimal` (RFC 7240 §4.2). */
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

export function recordsWritten(rows: readonly WrittenRow[], prefer: ReturnPreference | null): WriteAnswer {
  const list = (items: readonly string[]): string => (prefer === 'minimal' ? '' : recordAnswer(`[${items.join(',')}]`));
  return {
    status: 201,
    body: list(rows.map(({ item }) => item)),
    bare: list(rows.map(({ key }) => key)),
    headers: applied(prefer),
  };
}

/** @param bare the same result without record contents, if it has any. */
export function resultWritten(result: string, bare = result): WriteAnswer {
  return { status: 200, body: recordAnswer(result), bare: recordAnswer(bare), headers: {} };
}

export function entityTag(version: string): string {
  return `"${version}"`;
}

/**
 * Returns the entity tag of a read response. The hash covers the text, because the response depends on related records and on the caller.
 * The row version precedes it and can be used in `If-Match`.
 */
export function readTag(body: string, version: string | null): string {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, TAG_LENGTH);
  return entityTag(version === null || version === '' ? hash : `${version}${BEFORE_HASH}${hash}`);
}

export function versionInTag(tag: string): string {
  return tag.split(BEFORE_HASH, 1)[0] ?? '';
}

/** 132 bits. */
const TAG_LENGTH = 22;
/** Separator that occurs in neither a version nor a hash. */
const BEFORE_HASH = '.';

function applied(prefer: ReturnPreference | null): Readonly<Record<string, string>> {
  return prefer === null ? {} : { 'preference-applied': `return=${prefer}` };
}

export interface ListRow {
  readonly items: string;
  /** Number of records found. A cursor page reads one extra record. */
  readonly size: number;
  /** JSON of the sort keys of the last record. Null if there is no record or no cursor. */
  readonly last: string | null;
  readonly total: string | null;
  /** False if the parent record of a related list does not exist. */
  readonly parentExists: boolean;
}

export function listRow([items = null, size = null, last = null, total = null, parentExists = null]: TextRow): ListRow {
  return { items: items ?? '[]', size: Number(size), last, total, parentExists: parentExists !== 'false' };
}

export interface RecordRow {
  readonly item: string;
  readonly version: string;
}

export function recordRow([item, version]: TextRow): RecordRow {
  return { item: item ?? 'null', version: version ?? '' };
}

/** `version` is the row version, which is the entity tag (RFC 9110 §8.8.3). */
export interface RecordBody {
  readonly body: string;
  readonly version: string | null;
}

/** Concatenates the body as text: JSON built by PostgreSQL is not parsed. */
export function listAnswer({ items, total }: ListRow, { limit, page, count, limits }: ListQuery): string {
  const number = total === null ? null : Number(total);
  const lastPage = number === null ? null : Math.max(1, Math.ceil(number / limit));
  const isCapped = count === 'capped' && number === limits.cappedCount;
  const capped = isCapped ? ',"capped":true' : '';
  return `{"data":{"total":${number},"per_page":${limit},"current_page":${page},"last_page":${lastPage}${capped},"items":${items}}}`;
}

export function cursorAnswer(items: string, next: string | null, { limit }: ListQuery): string {
  return `{"data":{"per_page":${limit},"next_cursor":${JSON.stringify(next)},"items":${items}}}`;
}

export function recordAnswer(item: string): string {
  return `{"data":${item}}`;
}
