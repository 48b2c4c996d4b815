import type { ContentLimits } from './content-limits.js';
import type { SelectNode } from './parse-select.js';

/** One key of an order. */
export interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

/** Query of the records of an expanded relation. */
export interface RelationQuery {
  readonly filter: FilterNode | null;
  readonly sort: readonly SortKey[];
  /** Null for all records. */
  readonly limit: number | null;
}

/** Query of one record. */
export interface RecordQuery {
  /** Limits against which the request is held, when it is read and when it is planned. */
  readonly limits: ContentLimits;
  readonly select: SelectNode;
  /** By dotted path of the relation. */
  readonly relations: ReadonlyMap<string, RelationQuery>;
  /** Records of an expanded relation to many where `relations` has no limit; null for all of them. */
  readonly childLimit: number | null;
  /** Whether deleted records are included, or only these. */
  readonly withDeleted: boolean | 'only';
}

/** Counts of a list that may be asked for. */
export type CountMode = 'exact' | 'capped' | 'none';

/** A list request, read and bounded; its names are not looked up yet. */
export interface ListQuery extends RecordQuery {
  readonly filter: FilterNode | null;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  readonly page: number;
  /** The cursor as it was sent, empty for the first page; null if the list goes by pages. */
  readonly cursor: string | null;
  readonly count: CountMode;
}

/** The forms in which records leave. */
export const EXPORT_FORMATS = ['csv', 'ndjson', 'json'] as const;

/** One of {@link EXPORT_FORMATS}. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A list request without its pages. */
export interface ExportQuery extends ListQuery {
  readonly format: ExportFormat;
  /** Whether text that a spreadsheet would compute is made harmless. */
  readonly escapesFormulas: boolean;
}

/** A value in a filter, as JSON has it. */
export type FilterScalar = string | number | boolean;

/** Conditions that hold or do not; the negative operators are their complements. */
export type FilterOperator =
  | 'eq'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'like'
  | 'ilike'
  | 'contains'
  | 'icontains'
  | 'null';

/** A filter, read and bounded; its names are not looked up yet. */
export type FilterNode =
  | { readonly kind: 'and' | 'or'; readonly of: readonly FilterNode[] }
  | { readonly kind: 'not'; readonly of: FilterNode }
  | { readonly kind: 'search'; readonly text: string }
  | {
      readonly kind: 'quantified';
      readonly quantifier: 'some' | 'none' | 'every';
      readonly path: readonly string[];
      readonly of: FilterNode;
    }
  | {
      readonly kind: 'condition';
      readonly path: readonly string[];
      readonly operator: FilterOperator;
      /** Several for `in`, none for `null`. */
      readonly values: readonly FilterScalar[];
    };
