import type { ContentLimits } from './content-limits.js';
import type { FilterNode } from './filter.types.js';
import type { SelectNode } from './parse-select.js';

/** One key of an order. */
export interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

/** How the records of an expanded relation are chosen. */
export interface RelationQuery {
  readonly filter: FilterNode | null;
  readonly sort: readonly SortKey[];
  readonly limit: number;
}

/** What is read of one record. */
export interface RecordQuery {
  /** What the request is held against, when it is read and when it is planned. */
  readonly limits: ContentLimits;
  readonly select: SelectNode;
  /** By dotted path of the relation. */
  readonly relations: ReadonlyMap<string, RelationQuery>;
  readonly withDeleted: boolean;
}

/** How much of a list there is to be told. */
export type CountMode = 'exact' | 'capped' | 'none';

/** A list request, read and bounded; its names are not looked up yet. */
export interface ListQuery extends RecordQuery {
  readonly filter: FilterNode | null;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  readonly page: number;
  /** The cursor as it was sent, empty for the first page; null where the list goes by pages. */
  readonly cursor: string | null;
  readonly count: CountMode;
}
