import type { JunctionJoin } from '../../model/schema-model.types.js';
import type { Condition } from '../resolve/resolved.types.js';
import type { KeyColumn, WrittenValue } from '../resolve/writes/write.types.js';
import type { PlannedLock } from './plan-locks.js';
import type { PlannedRecord } from './query-plan.types.js';

/** Records of a table, and which of them may be seen. */
export interface SeenRecords {
  readonly table: string;
  readonly key: KeyColumn;
  readonly where: Condition;
}

/** Records that a write refers to: all of them must be there and be seen. */
export interface ReferredRecords extends SeenRecords {
  /** Each once. */
  readonly ids: readonly unknown[];
}

/** Pairs that go into a junction and out of it. */
export interface PlannedLinks {
  readonly join: JunctionJoin;
  readonly target: SeenRecords;
  readonly add: readonly unknown[];
  /** None of those that are added. */
  readonly remove: readonly unknown[];
  /** True if what is not added and may be seen is to go. */
  readonly replaces: boolean;
  /** Links that may be there at most and be seen; null for any number. */
  readonly mostReplaced: number | null;
}

/** A rule that is judged of a row before it is written. */
export interface RowGuard {
  readonly rule: Condition;
  /** Values of the columns of a new row that are not given. */
  readonly rest: ReadonlyMap<string, WrittenValue>;
  /** Columns of a row that is there that stay as they are. */
  readonly kept: readonly string[];
}

/** Answer of a record that was written, if it may be seen. */
export interface WrittenAnswer {
  readonly visible: Condition;
  readonly record: PlannedRecord;
}

/** A new record that one statement can write, check and answer. */
export interface CreatePlan extends WrittenAnswer {
  readonly table: string;
  readonly key: KeyColumn;
  /** By column. */
  readonly values: ReadonlyMap<string, WrittenValue>;
  /** Values of the columns that are not given. */
  readonly rest: ReadonlyMap<string, WrittenValue>;
  /** Must hold of the new record. */
  readonly rule: Condition;
  /** In the order of their tables. */
  readonly refers: readonly ReferredRecords[];
  /** Rows that are locked in this order before any other, if the rest of the statement would lock them in another order. */
  readonly locks: readonly PlannedLock[];
  readonly links: readonly PlannedLinks[];
  /** Event for the audit log, but for the record's key; nothing if it is told nothing. */
  readonly event?: readonly (string | null)[] | null;
}

/** A change of a record that one statement can make, check and answer. */
export interface ChangePlan extends Omit<CreatePlan, 'rest'> {
  /** Condition of the record, and whether it may be changed; `rule` must hold before and after. */
  readonly where: Condition;
  /** Of which versions; null for any. */
  readonly versions: readonly string[] | null;
  /** True if the record must not have changed since the statement began: it would not see the links of that change. */
  readonly unchanged: boolean;
  /** Columns that stay as they are. */
  readonly kept: readonly string[];
}

/** A deletion that one statement can make. */
export interface RemovePlan extends Pick<CreatePlan, 'table' | 'key' | 'event'> {
  readonly where: Condition;
  readonly versions: readonly string[] | null;
  /** Values that are set in place of deleting for good; null for that. */
  readonly values: ReadonlyMap<string, WrittenValue> | null;
}
