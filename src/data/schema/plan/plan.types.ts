import type { JsonValue } from '../../../kernel/schema-definition.types.js';
import type {
  LinkedCheck,
  LinkedColumn,
  LinkedForeignKey,
  LinkedIndex,
  LinkedTable,
} from '../../model/schema-model.types.js';

/** A check of the data before a plan is applied. Its SQL uses the names before the plan. */
export interface DataCheck {
  readonly kind: 'empty_table' | 'not_null' | 'unique' | 'value' | 'foreign_key' | 'cast' | 'columns';
  readonly words: string;
  /** Returns one row with `count`. The plan can be applied only if it is 0. */
  readonly countSql: string;
  /** Returns up to five rows with `example`, as text. */
  readonly examplesSql: string;
  readonly full?: string;
}

/** One change of the database. Names are those at the time of the step. */
export type PlanAction =
  | { readonly kind: 'drop_foreign_key'; readonly table: string; readonly foreignKey: LinkedForeignKey }
  | { readonly kind: 'drop_index'; readonly table: string; readonly index: LinkedIndex }
  | { readonly kind: 'drop_check'; readonly table: string; readonly check: LinkedCheck }
  | {
      readonly kind: 'archive_table';
      readonly table: string;
      readonly archived: string;
      /** The primary key is renamed too, because a table created again may need its name. */
      readonly primaryKey: string;
      readonly archivedPrimaryKey: string;
    }
  | {
      readonly kind: 'archive_column';
      readonly table: string;
      readonly column: LinkedColumn;
      readonly archived: string;
    }
  | { readonly kind: 'rename_table'; readonly table: string; readonly to: string }
  /** Restores an archived table or column. `table` or `column` is the archived name. */
  | { readonly kind: 'restore_table'; readonly table: string; readonly to: string }
  | { readonly kind: 'restore_column'; readonly table: string; readonly column: string; readonly to: string }
  | { readonly kind: 'rename_column'; readonly table: string; readonly column: string; readonly to: string }
  | { readonly kind: 'rename_index'; readonly table: string; readonly index: string; readonly to: string }
  | { readonly kind: 'rename_constraint'; readonly table: string; readonly constraint: string; readonly to: string }
  | { readonly kind: 'create_table'; readonly table: string; readonly definition: LinkedTable }
  | { readonly kind: 'add_column'; readonly table: string; readonly column: LinkedColumn }
  | {
      readonly kind: 'copy_links';
      readonly table: string;
      readonly to?: string;
      readonly schema: string;
      readonly field: string;
      readonly sql: string;
    }
  | { readonly kind: 'drop_default'; readonly table: string; readonly column: LinkedColumn }
  | {
      readonly kind: 'change_type';
      readonly table: string;
      readonly column: LinkedColumn;
      readonly from: LinkedColumn;
      readonly using: string;
    }
  | { readonly kind: 'drop_not_null'; readonly table: string; readonly column: LinkedColumn }
  | { readonly kind: 'set_not_null'; readonly table: string; readonly column: LinkedColumn }
  | { readonly kind: 'add_identity'; readonly table: string; readonly column: LinkedColumn }
  | { readonly kind: 'drop_identity'; readonly table: string; readonly column: LinkedColumn }
  | {
      readonly kind: 'set_default';
      readonly table: string;
      readonly column: LinkedColumn;
      readonly value: JsonValue;
    }
  | { readonly kind: 'add_check'; readonly table: string; readonly check: LinkedCheck }
  | {
      readonly kind: 'create_index';
      readonly table: string;
      readonly index: LinkedIndex;
      /** True if the table may have rows. The index can then be built without blocking writes. */
      readonly populated: boolean;
    }
  | {
      readonly kind: 'add_foreign_key';
      readonly table: string;
      readonly foreignKey: LinkedForeignKey;
      /** True if the table may have rows. The key is then validated later by `validate_foreign_key`. */
      readonly populated: boolean;
    }
  | { readonly kind: 'validate_foreign_key'; readonly table: string; readonly foreignKey: LinkedForeignKey };

export interface PlannedAction {
  readonly action: PlanAction;
  readonly schema: string;
  readonly field?: string;
  readonly checks?: readonly DataCheck[];
  /** Returns one row with `count`, the number of rows that would lose data. Uses the names before the plan. */
  readonly lossSql?: string;
}

export interface PlanStep {
  readonly kind: PlanAction['kind'] | 'rebuild_table';
  readonly schema: string;
  readonly field?: string;
  readonly table: string;
  readonly words: string;
  readonly sql: readonly string[];
  /** The same without blocking writes. Must run outside a transaction. */
  readonly concurrentSql?: readonly string[];
  /** `post_commit`: runs outside the transaction, after the commit. Nothing depends on the step until then. */
  readonly phase: 'transaction' | 'post_commit';
  readonly losesData: boolean;
  readonly lossSql?: string;
  readonly checks: readonly DataCheck[];
  /** Name of the archived table or column, until it is purged. */
  readonly archived?: { readonly table: string; readonly column?: string };
  /** Archived name of the table or column that the step restores. */
  readonly restores?: string;
}

export interface SchemaPlan {
  readonly steps: readonly PlanStep[];
  readonly losesData: boolean;
  /** SHA-256 of both models and all statements. Equal hashes mean equal plans. */
  readonly hash: string;
}

export interface StatementRunner {
  query<T>(text: string, parameters?: unknown[]): Promise<T>;
}

export type ChangeOrigin = 'api' | 'files' | 'command' | 'undo';
