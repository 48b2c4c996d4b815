import type { FieldType } from '../../../kernel/schema-definition.types.js';
import type { LinkedExpression, RelationJoin } from '../../model/schema-model.types.js';
import type { Condition, Operand, ResolvedSort } from '../resolve/conditions.js';
import type { KeyColumn } from '../resolve/sql-values.js';

export interface PlannedColumn {
  readonly name: string;
  readonly operand: Operand;
  readonly type: FieldType;
}

export interface PlannedRelation {
  readonly name: string;
  readonly many: boolean;
  readonly join: RelationJoin;
  readonly where: Condition;
  /** Condition for records of which the relation is visible; null for all. */
  readonly guard: Condition | null;
  /** Order column of the junction, applied before `sort`. Null if the list is unordered or the request specifies an order. */
  readonly order: string | null;
  readonly sort: readonly ResolvedSort[];
  /** Maximum records of a to-many relation; null for all. */
  readonly limit: number | null;
  /** If set, only this value of each record is returned instead of `record`. */
  readonly key?: PlannedColumn;
  readonly record: PlannedRecord;
}

export interface PlannedGetter {
  readonly name: string;
  readonly schema: string;
  readonly expression: LinkedExpression;
}

export interface PlannedRecord {
  readonly columns: readonly PlannedColumn[];
  readonly relations: readonly PlannedRelation[];
  readonly getters: readonly PlannedGetter[];
}

export interface RecordPlan {
  readonly table: string;
  readonly where: Condition;
  readonly record: PlannedRecord;
}

export interface ListPlan extends RecordPlan {
  readonly sort: readonly ResolvedSort[];
  readonly limit: number;
  readonly offset: number;
  readonly byCursor: boolean;
  /** Upper limit of the count; null for no limit, 0 for no count. */
  readonly countTo: number | null;
  readonly counted: Condition;
  /**
   * Key that selects the page from the rows found for the count. Null if page and count are separate queries: the page query can then stop
   * early in an index.
   */
  readonly distinctKey: KeyColumn | null;
  /** The parent record of a related list, which the caller must be able to read. Null for a list of a schema. */
  readonly linkedTo: Pick<RecordPlan, 'table' | 'where'> | null;
}

/** A record of which nothing is read. */
export const EMPTY_RECORD: PlannedRecord = { columns: [], relations: [], getters: [] };

/** Prefix of fields that only getters read. They are removed from the response. */
export const FOR_GETTERS = '~';

/** Field of a record that names its truncated to-many relations. */
export const TRUNCATED = '_truncated';
