import { hash } from 'node:crypto';

import type { SchemaModel, LinkedColumn } from '../../model/schema-model.types.js';
import { modelHash } from '../snapshot/schema-snapshot.js';
import { actionSql, concurrentSql } from './action-sql.js';
import type { CastDirection } from './column-casts.js';
import { diffModels } from './diff-models.js';
import type { PlanAction, PlannedAction, PlanStep, SchemaPlan } from './plan.types.js';

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Plans how one model becomes another: what differs by stable ids, as steps in the order in which they can be taken.
 * `version` is that of the model before; it names what is archived. `archived` are the names in `before` of what is kept
 * aside: renaming that brings it back. Equal models give a plan without steps.
 */
export function planChange(
  before: SchemaModel,
  after: SchemaModel,
  version: number,
  archived = NOTHING,
  direction: CastDirection = 'forward',
): SchemaPlan {
  const actions = diffModels(before, after, version, direction);
  const steps = actions.map((planned) => planStep({ ...planned, action: restoring(planned.action, archived) }));
  const statements = steps.flatMap((step) => [...step.sql, ...(step.concurrentSql ?? []), step.lossSql ?? '']);
  const checks = steps.flatMap((step) => step.checks.map((check) => check.countSql));
  const facts = JSON.stringify([modelHash(before), modelHash(after), statements, checks]);
  return {
    steps,
    losesData: steps.some((step) => step.losesData),
    hash: hash('sha256', facts),
  };
}

function planStep({ action, schema, field, checks = [], lossSql }: PlannedAction): PlanStep {
  const concurrent = concurrentSql(action);
  const archived = archivedOf(action);
  return {
    kind: action.kind,
    schema,
    ...(field ? { field } : {}),
    table: action.table,
    words: actionWords(action),
    sql: actionSql(action),
    ...(concurrent ? { concurrentSql: concurrent } : {}),
    phase: action.kind === 'validate_foreign_key' ? 'post_commit' : 'transaction',
    losesData: lossSql !== undefined,
    ...(lossSql ? { lossSql } : {}),
    checks,
    ...(archived ? { archived } : {}),
    ...(action.kind === 'restore_table' ? { restores: action.table } : {}),
    ...(action.kind === 'restore_column' ? { restores: action.column } : {}),
  };
}

function restoring(action: PlanAction, archived: ReadonlySet<string>): PlanAction {
  if (action.kind === 'rename_table' && archived.has(action.table)) return { ...action, kind: 'restore_table' };
  if (action.kind === 'rename_column' && archived.has(action.column)) return { ...action, kind: 'restore_column' };
  return action;
}

function archivedOf(action: PlanAction): PlanStep['archived'] {
  if (action.kind === 'archive_table') return { table: action.archived };
  return action.kind === 'archive_column' ? { table: action.table, column: action.archived } : undefined;
}

/** Returns a step in words, for people. */
export function actionWords(action: PlanAction): string {
  const { table } = action;
  switch (action.kind) {
    case 'create_table':
      return `Creates the table "${table}" with ${action.definition.columns.length} columns.`;
    case 'archive_table':
      return `Drops the table "${table}"; it is kept as "${action.archived}" until it is purged.`;
    case 'rename_table':
      return `Renames the table "${table}" to "${action.to}".`;
    case 'rename_column':
      return `Renames the column "${action.column}" of "${table}" to "${action.to}".`;
    case 'restore_table':
      return `Brings the table "${action.to}" back with its rows.`;
    case 'restore_column':
      return `Brings the column "${action.to}" of "${table}" back with its values; rows that are new since have none yet.`;
    case 'copy_links':
      return linkWords(action);
    case 'rename_index':
      return `Renames the index "${action.index}" to "${action.to}".`;
    case 'rename_constraint':
      return `Renames the constraint "${action.constraint}" of "${table}" to "${action.to}".`;
    case 'create_index':
      return `Creates ${action.index.unique ? 'a unique' : 'an'} index on ${listed(action.index.columns)} of "${table}".`;
    case 'drop_index':
      return `Drops the index on ${listed(action.index.columns)} of "${table}".`;
    case 'add_check':
      return `Limits the values of "${action.check.column}" of "${table}".`;
    case 'drop_check':
      return `Lifts the limit on the values of "${action.check.column}" of "${table}".`;
    case 'add_foreign_key':
      return `Makes "${action.foreignKey.column}" of "${table}" lead to "${action.foreignKey.targetTable}".`;
    case 'drop_foreign_key':
      return `Drops the foreign key on "${action.foreignKey.column}" of "${table}".`;
    case 'validate_foreign_key':
      return `Checks the references in "${action.foreignKey.column}" of "${table}".`;
    default:
      return columnWords(action);
  }
}

function linkWords({ table, to, schema, field }: Extract<PlanAction, { readonly kind: 'copy_links' }>): string {
  const links = `Copies the links of "${field}" of "${schema}" into`;
  return to === undefined
    ? `${links} the table "${table}".`
    : `${links} the column "${to}" of "${table}", which has room for one each.`;
}

type ColumnAction = Extract<PlanAction, { readonly column: LinkedColumn }>;

function columnWords(action: ColumnAction): string {
  const { table, column } = action;
  const name = `"${column.name}" of "${table}"`;
  switch (action.kind) {
    case 'add_column':
      return `Adds the ${column.nullable ? 'optional' : 'required'} column "${column.name}" (${column.sqlType}) to "${table}".`;
    case 'archive_column':
      return `Drops the column ${name}; it is kept as "${action.archived}" until it is purged.`;
    case 'change_type':
      return `Changes the type of ${name} from ${action.from.sqlType} to ${column.sqlType}.`;
    case 'set_not_null':
      return column.default === undefined
        ? `Makes ${name} required.`
        : `Fills empty values of ${name} with the default and makes it required.`;
    case 'drop_not_null':
      return `Makes ${name} optional.`;
    case 'set_default':
      return `Sets the default of ${name}.`;
    case 'drop_default':
      return `Drops the default of ${name}.`;
    case 'add_identity':
      return `Lets the database count ${name}.`;
    case 'drop_identity':
      return `Stops the database from counting ${name}.`;
  }
}

function listed(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ');
}
