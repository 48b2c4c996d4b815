import type { FieldType } from '../../../kernel/schema-definition.types.js';
import type { LinkedExpression, RelationJoin } from '../../model/schema-model.types.js';
import type { Condition, Operand, ResolvedSort } from '../resolve/resolved.types.js';
import type { KeyColumn } from '../resolve/writes/write.types.js';

/** A member of a record in an answer, and where its value is from. */
export interface PlannedColumn {
  readonly name: string;
  readonly operand: Operand;
  readonly type: FieldType;
}

/** A relation that is expanded. */
export interface PlannedRelation {
  readonly name: string;
  readonly many: boolean;
  readonly join: RelationJoin;
  /** Condition of the records of the target. */
  readonly where: Condition;
  /** Of which records the relation may be seen; null for all. */
  readonly guard: Condition | null;
  /** The column of the junction that comes before `sort`; null if the list has no order of its own, or another is asked for. */
  readonly order: string | null;
  readonly sort: readonly ResolvedSort[];
  /** Records of a relation to many that are returned at most; null for all of them. */
  readonly limit: number | null;
  /** The value that is returned of each record instead of `record`. */
  readonly key?: PlannedColumn;
  readonly record: PlannedRecord;
}

/** A value that is computed after the statement. */
export interface PlannedGetter {
  readonly name: string;
  readonly schema: string;
  readonly expression: LinkedExpression;
}

/** Columns, relations and getters that are answered of a record. */
export interface PlannedRecord {
  readonly columns: readonly PlannedColumn[];
  readonly relations: readonly PlannedRelation[];
  readonly getters: readonly PlannedGetter[];
}

/** A list of records: one page of it, and how many there are. */
export interface ListPlan {
  readonly table: string;
  readonly where: Condition;
  readonly sort: readonly ResolvedSort[];
  readonly limit: number;
  readonly offset: number;
  /** True if the page ends with a cursor. */
  readonly byCursor: boolean;
  /** Number that is counted to; null for everything, 0 for nothing. */
  readonly countTo: number | null;
  /** Condition of what is counted: that of the list without the place of the cursor. */
  readonly counted: Condition;
  /**
   * The key by which the page is taken out of all that were found to be counted; null if both are looked for by themselves: a page
   * may then end where an index has its order.
   */
  readonly foundOnce: KeyColumn | null;
  /** The record that all of them are linked to and that the caller must be able to read; null for a list of a schema. */
  readonly linkedTo: Pick<RecordPlan, 'table' | 'where'> | null;
  readonly record: PlannedRecord;
}

/** One record. */
export interface RecordPlan {
  readonly table: string;
  readonly where: Condition;
  readonly record: PlannedRecord;
}

/** Members whose names begin so are for getters, and taken out of the answer. */
export const FOR_GETTERS = '~';

/** The member of a record that names its relations of which not all records are returned. */
export const TRUNCATED = '_truncated';
