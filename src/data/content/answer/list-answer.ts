import type { TextRow } from '../../../platform/database/database.public.js';
import type { ListQuery } from '../request/list-query.types.js';

/** Row in the answer of the statement of a list. */
export interface ListRow {
  /** JSON of the records of the page. */
  readonly items: string;
  /** Number of records that were found; a page by cursor looks one further. */
  readonly size: number;
  /** JSON of the keys of the last record; null if there is none or no cursor. */
  readonly last: string | null;
  /** Number of all records; null if nobody asked. */
  readonly total: string | null;
  /** False if the record that the records of the list are linked to is not there. */
  readonly isThere: boolean;
}

/** Returns the columns of the statement of a list. */
export function listRow([items = null, size = null, last = null, total = null, there = null]: TextRow): ListRow {
  return { items: items ?? '[]', size: Number(size), last, total, isThere: there !== 'false' };
}

/** Row in the answer of the statement of a record. */
export interface RecordRow {
  readonly item: string;
  readonly version: string;
}

/** Returns the columns of the statement of a record. */
export function recordRow([item, version]: TextRow): RecordRow {
  return { item: item ?? 'null', version: version ?? '' };
}

/** The body of a record as text, and the version of its row, which is its entity tag (RFC 9110 §8.8.3). */
export interface RecordBody {
  readonly body: string;
  readonly version: string | null;
}

/** Returns the body of a list, put together as text: what PostgreSQL built is not parsed (CONTRACT §7). */
export function listAnswer({ items, total }: ListRow, { limit, page, count, limits }: ListQuery): string {
  const number = total === null ? null : Number(total);
  const lastPage = number === null ? null : Math.max(1, Math.ceil(number / limit));
  const isCapped = count === 'capped' && number === limits.cappedCount;
  const capped = isCapped ? ',"capped":true' : '';
  return `{"data":{"total":${number},"per_page":${limit},"current_page":${page},"last_page":${lastPage}${capped},"items":${items}}}`;
}

/** Returns the body of a list by cursor. */
export function cursorAnswer(items: string, next: string | null, { limit }: ListQuery): string {
  return `{"data":{"per_page":${limit},"next_cursor":${JSON.stringify(next)},"items":${items}}}`;
}

/** Returns the body of one record. */
export function recordAnswer(item: string): string {
  return `{"data":${item}}`;
}
