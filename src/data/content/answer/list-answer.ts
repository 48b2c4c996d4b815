import type { TextRow } from '../../../platform/database/database.public.js';
import type { ListQuery } from '../request/list-query.types.js';

export interface ListRow {
  readonly items: string;
  /** Number of records found. A cursor page reads one extra record. */
  readonly size: number;
  /** JSON of the sort keys of the last record. Null if there is no record or no cursor. */
  readonly last: string | null;
  readonly total: string | null;
  /** False if the parent record of a related list does not exist. */
  readonly isThere: boolean;
}

export function listRow([items = null, size = null, last = null, total = null, there = null]: TextRow): ListRow {
  return { items: items ?? '[]', size: Number(size), last, total, isThere: there !== 'false' };
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

/** Concatenates the body as text: JSON built by PostgreSQL is not parsed (CONTRACT §7). */
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
