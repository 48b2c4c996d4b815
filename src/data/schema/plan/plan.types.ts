import type { JsonValue } from '../../../kernel/schema-definition.types.js';
import type {
  LinkedCheck,
  LinkedColumn,
  LinkedForeignKey,
  LinkedIndex,
  LinkedTable,
} from '../../model/schema-model.types.js';

/** A question to the data before a plan is applied, in the names that the database has before it. */
export interface DataCheck {
  readonly kind: 'empty_table' | 'not_null' | 'unique' | 'value' | 'foreign_key' | 'cast' | 'columns';
  readonly words: string;
  /** Returns one row with `count`: the plan can only be applied where it is 0. */
  readonly countSql: string;
  /** Returns up to five rows with `example`, as text. */
  readonly examplesSql: string;
  readonly full?: string;
}

/** One change of the database, before it is written as SQL. Names are those at the moment of the step. */
export type PlanAction =
  | { readonly kind: 'drop_foreign_key'; readonly table: string; readonly foreignKey: LinkedForeignKey }
  | { readonly kind: 'drop_index'; readonly table: string; readonly index: LinkedIndex }
  | { readonly kind: 'drop_check'; readonly table: string; readonly check: LinkedCheck }
  | {
      readonly kind: 'archive_table';
      readonly table: string;
      readonly archived: string;
      /** The primary key gives its name free, which a table made again could need. */
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
  /** Brings a table or column back that was archived; `table` or `column` is the name that it was kept by. */
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
      /** True if the table has rows, so that the index can be built without stopping writes. */
      readonly populated: boolean;
    }
  | {
      readonly kind: 'add_foreign_key';
      readonly table: string;
      readonly foreignKey: LinkedForeignKey;
      /** True if the table has rows: the key is then checked afterwards, by `validate_foreign_key`. */
      readonly populated: boolean;
    }
  | { readonly kind: 'validate_foreign_key'; readonly table: string; readonly foreignKey: LinkedForeignKey };

/** Describes one action on the database, with the data that it has to be examined for. */
export interface PlannedAction {
  readonly action: PlanAction;
  readonly schema: string;
  readonly field?: string;
  readonly checks?: readonly DataCheck[];
  /** Returns one row with `count`, the rows whose data would be lost, in the names before the plan. */
  readonly lossSql?: string;
}

export interface PlanStep {
  readonly kind: PlanAction['kind'] | 'rebuild_table';
  readonly schema: string;
  readonly field?: string;
  readonly table: string;
  readonly words: string;
  readonly sql: readonly string[];
  /** The same without stopping writes; only outside a transaction. */
  readonly concurrentSql?: readonly string[];
  /** `afterwards`: outside the transaction, once it is committed; until then the step is not needed. */
  readonly phase: 'transaction' | 'post_commit';
  readonly losesData: boolean;
  readonly lossSql?: string;
  readonly checks: readonly DataCheck[];
  /** The name under which a dropped table or column is kept until it is purged. */
  readonly archived?: { readonly table: string; readonly column?: string };
  /** The name under which the table or column was kept that the step brings back. */
  readonly restores?: string;
}

export interface SchemaPlan {
  readonly steps: readonly PlanStep[];
  readonly losesData: boolean;
  /** SHA-256 over both models and all statements: equal hashes are equal plans. */
  readonly hash: string;
}

/** Runs statements: a transaction, or the DataSource itself. */
export interface StatementRunner {
  query<T>(text: string, parameters?: unknown[]): Promise<T>;
}

export type ChangeOrigin = 'api' | 'files' | 'command' | 'undo';
