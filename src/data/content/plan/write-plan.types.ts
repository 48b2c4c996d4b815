import type { JunctionJoin } from '../../model/schema-model.types.js';
import type { Condition } from '../resolve/conditions.js';
import type { KeyColumn } from '../resolve/keys.js';
import type { WrittenValue } from '../resolve/sql-values.js';
import type { PlannedLock } from './plan-locks.js';
import type { PlannedRecord } from './query-plan.types.js';

export interface SeenRecords {
  readonly table: string;
  readonly key: KeyColumn;
  readonly where: Condition;
}

/** Records that a write refers to. All must exist and be visible. */
export interface ReferredRecords extends SeenRecords {
  readonly ids: readonly unknown[];
}

export interface PlannedLinks {
  readonly join: JunctionJoin;
  readonly target: SeenRecords;
  readonly add: readonly unknown[];
  readonly remove: readonly unknown[];
  /** True if visible links that are not in `add` are deleted. */
  readonly replaces: boolean;
  /** Maximum number of visible links that may be replaced; null for no limit. */
  readonly maxReplaced: number | null;
}

export interface RowGuard {
  readonly rule: Condition;
  readonly otherColumns: ReadonlyMap<string, WrittenValue>;
  readonly unchangedColumns: readonly string[];
}

export interface WrittenAnswer {
  readonly visible: Condition;
  readonly record: PlannedRecord;
}

export interface CreatePlan extends WrittenAnswer {
  readonly table: string;
  readonly key: KeyColumn;
  /** By column. */
  readonly values: ReadonlyMap<string, WrittenValue>;
  readonly otherColumns: ReadonlyMap<string, WrittenValue>;
  readonly rule: Condition;
  /** Sorted by table. */
  readonly refers: readonly ReferredRecords[];
  /** Rows to lock first, in this order, if the statement would otherwise lock them in another order. */
  readonly locks: readonly PlannedLock[];
  readonly links: readonly PlannedLinks[];
  /** Event for the audit log, without the record key. Null or undefined if the audit log is off for this record. */
  readonly event?: readonly (string | null)[] | null;
}

export interface ChangePlan extends Omit<CreatePlan, 'otherColumns'> {
  /** Condition for the record and for the permission to change it. `rule` must match before and after the change. */
  readonly where: Condition;
  /** Accepted row versions; null for any. */
  readonly versions: readonly string[] | null;
  /** True if the record must not have changed since the statement began, because the statement would not see the links of that change. */
  readonly unchanged: boolean;
  readonly unchangedColumns: readonly string[];
}

export interface RemovePlan extends Pick<CreatePlan, 'table' | 'key' | 'event' | 'locks'> {
  readonly where: Condition;
  readonly versions: readonly string[] | null;
  /** Values of a soft deletion; null for a permanent deletion. */
  readonly values: ReadonlyMap<string, WrittenValue> | null;
}
