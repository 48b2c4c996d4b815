import type { ContentLimits } from './query-faults.js';
import type { SelectNode } from './parse-select.js';

export interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

export interface RelationQuery {
  readonly filter: FilterNode | null;
  readonly sort: readonly SortKey[];
  /** Null for all records. */
  readonly limit: number | null;
}

export interface RecordQuery {
  readonly limits: ContentLimits;
  readonly select: SelectNode;
  /** By dotted path of the relation. */
  readonly relations: ReadonlyMap<string, RelationQuery>;
  /** Default limit of an expanded to-many relation; null for all records. */
  readonly childLimit: number | null;
  readonly withDeleted: boolean | 'only';
}

export type CountMode = 'exact' | 'capped' | 'none';

/** A parsed list request. Its field names are not resolved yet. */
export interface ListQuery extends RecordQuery {
  readonly filter: FilterNode | null;
  readonly sort: readonly SortKey[];
  readonly limit: number;
  readonly page: number;
  /** The cursor as sent, empty for the first page. Null for page numbers. */
  readonly cursor: string | null;
  readonly count: CountMode;
}

export const EXPORT_FORMATS = ['csv', 'ndjson', 'json'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportQuery extends ListQuery {
  readonly format: ExportFormat;
  /** Whether CSV text that a spreadsheet would evaluate gets a leading apostrophe. */
  readonly escapesFormulas: boolean;
}

export type FilterScalar = string | number | boolean;

/** Positive operators. Negative ones are parsed to `not`. */
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
