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

interface ColumnAction {
  readonly column: LinkedColumn;
}

interface ActionData {
  drop_foreign_key: { readonly foreignKey: LinkedForeignKey };
  drop_index: { readonly index: LinkedIndex };
  drop_check: { readonly check: LinkedCheck };
  /** The primary key is renamed too, because a table created again may need its name. */
  archive_table: { readonly archived: string; readonly primaryKey: string; readonly archivedPrimaryKey: string };
  archive_column: ColumnAction & { readonly archived: string };
  rename_table: { readonly to: string };
  /** Restores an archived table or column. `table` or `column` is the archived name. */
  restore_table: { readonly to: string };
  restore_column: { readonly column: string; readonly to: string };
  rename_column: { readonly column: string; readonly to: string };
  rename_index: { readonly index: string; readonly to: string };
  rename_constraint: { readonly constraint: string; readonly to: string };
  create_table: { readonly definition: LinkedTable };
  add_column: ColumnAction;
  copy_links: { readonly to?: string; readonly schema: string; readonly field: string; readonly sql: string };
  drop_default: ColumnAction;
  change_type: ColumnAction & { readonly from: LinkedColumn; readonly using: string };
  drop_not_null: ColumnAction;
  set_not_null: ColumnAction;
  add_identity: ColumnAction;
  drop_identity: ColumnAction;
  set_default: ColumnAction & { readonly value: JsonValue };
  add_check: { readonly check: LinkedCheck };
  /** `populated`: the table may have rows. The index can then be built without blocking writes. */
  create_index: { readonly index: LinkedIndex; readonly populated: boolean };
  /** `populated`: the table may have rows. The key is then validated later by `validate_foreign_key`. */
  add_foreign_key: { readonly foreignKey: LinkedForeignKey; readonly populated: boolean };
  validate_foreign_key: { readonly foreignKey: LinkedForeignKey };
}

export type ActionKind = keyof ActionData;

/** One change of the database. Names are those at the time of the step. */
export type PlanAction<Kind extends ActionKind = ActionKind> = {
  [K in Kind]: { readonly kind: K; readonly table: string } & ActionData[K];
}[Kind];

export interface PlannedAction {
  readonly action: PlanAction;
  readonly schema: string;
  readonly field?: string;
  readonly checks?: readonly DataCheck[];
  /** Returns one row with `count`, the number of rows that would lose data. Uses the names before the plan. */
  readonly lossSql?: string;
}

export interface PlanStep {
  readonly kind: ActionKind | 'rebuild_table';
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
