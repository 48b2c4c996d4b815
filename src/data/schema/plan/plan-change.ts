import { hash } from 'node:crypto';

import type { SchemaModel } from '../../model/schema-model.types.js';
import { modelHash } from '../snapshot/model-hash.js';
import { actionSql, concurrentSql } from './action-sql.js';
import { actionWords } from './action-words.js';
import { diffModels } from './diff-models.js';
import type { PlanAction, PlannedAction, PlanStep, SchemaPlan } from './plan.types.js';

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Plans how one model becomes another: what differs by stable ids, as steps in the order in which they can be taken.
 * `version` is that of the model before; it names what is archived. `archived` are the names in `before` of what is kept
 * aside: renaming that brings it back. Equal models give a plan without steps.
 */
export function planChange(before: SchemaModel, after: SchemaModel, version: number, archived = NOTHING): SchemaPlan {
  const actions = diffModels(before, after, version);
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
