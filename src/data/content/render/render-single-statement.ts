import { auditStep } from '../../../platform/audit/audit.public.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type {
  ChangePlan,
  CreatePlan,
  PlannedLinks,
  ReferredRecords,
  RemovePlan,
  SeenRecords,
  ResponsePlan,
} from '../plan/plan-write.js';
import { ALWAYS } from '../resolve/conditions.js';
import type { WrittenValue } from '../resolve/sql-values.js';
import { bracketed, renderCondition, ruleOverRow, parameters } from './render-condition.js';
import { insertPairs } from './render-links.js';
import { lockedFirst } from './render-write.js';
import { renderRecord } from './render-record.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

/**
 * Renders one statement that inserts a record with its links if all checks pass. It returns the key, the version and, if the record is
 * visible, its JSON. If a check fails, it returns no row and changes nothing. A statement cannot read its own changes, so the JSON is built
 * from `RETURNING`.
 */
export function renderSingleCreate(plan: CreatePlan): SqlStatement {
  const sql = new SqlWriter();
  const created = sql.alias();
  const inputs = parameters(plan.values, sql);
  const checks = [...renderReferencesExist(plan, sql)];
  if (plan.rule !== ALWAYS)
    checks.push(ruleOverRow(plan.rule, new Map([...inputs, ...parameters(plan.otherColumns, sql)]), sql));
  const where = checks.length === 0 ? '' : ` WHERE ${checks.join(' AND ')}`;
  const columns = [...inputs.keys()].map(q).join(', ');
  const insert = `INSERT INTO ${q(plan.table)} (${columns}) SELECT ${[...inputs.values()].join(', ')}${where} RETURNING *`;
  return written(created, insert, { ...plan, isNew: true }, sql);
}

export function renderSingleChange(plan: ChangePlan): SqlStatement {
  const sql = new SqlWriter();
  const [changed, row] = [sql.alias(), sql.alias()];
  const inputs = parameters(plan.values, sql);
  const checks = [...found(plan, row, sql), ...renderReferencesExist(plan, sql)];
  if (plan.unchanged) checks.push(isAsSeen(plan, row, sql));
  checks.push(...plan.links.flatMap((link) => replacesAll(link, columnOf(row, plan.key.column), sql)));
  if (plan.rule !== ALWAYS) {
    const unchangedValues = plan.unchangedColumns.map((column) => [column, columnOf(row, column)] as const);
    checks.push(bracketed(plan.rule, row, sql), ruleOverRow(plan.rule, new Map([...unchangedValues, ...inputs]), sql));
  }
  const sets = [...inputs].map(([column, value]) => `${q(column)} = ${value}`).join(', ');
  const update = `UPDATE ${q(plan.table)} ${row} SET ${sets} WHERE ${checks.join(' AND ')} RETURNING ${row}.*`;
  return written(changed, update, plan, sql);
}

/** Renders one statement that deletes a record if all checks pass. Returns one row if it was deleted. */
export function renderSingleRemove(plan: RemovePlan): SqlStatement {
  const sql = new SqlWriter();
  const row = sql.alias();
  const sets = [...parameters(plan.values ?? new Map<string, WrittenValue>(), sql)].map(
    ([column, value]) => `${q(column)} = ${value}`,
  );
  const prefix =
    plan.values === null
      ? `DELETE FROM ${q(plan.table)} ${row}`
      : `UPDATE ${q(plan.table)} ${row} SET ${sets.join(', ')}`;
  const key = `${columnOf(row, plan.key.column)}::text AS id`;
  const first = plan.locks.length === 0 ? [] : [lockedFirst(plan.locks, sql)];
  const change = `${prefix} WHERE ${[...first, ...found(plan, row, sql)].join(' AND ')} RETURNING ${key}`;
  const gone = sql.alias();
  const steps = [
    `${gone} AS (${change})`,
    ...recorded(gone, `${gone}.id`, plan, sql).map((step) => `${sql.alias()} AS (${step})`),
  ];
  return sql.statement(`WITH ${steps.join(', ')} SELECT id FROM ${gone}`);
}

function written(row: string, change: string, plan: ResponsePlan & LinkedWrite, sql: SqlWriter): SqlStatement {
  const links = plan.links.flatMap((link) =>
    renderLinks(link, columnOf(row, plan.key.column), { row, isNew: plan.isNew }, sql),
  );
  const key = `${columnOf(row, plan.key.column)}::text`;
  const steps = [
    `${row} AS (${change})`,
    ...[...links, ...recorded(row, key, plan, sql)].map((step) => `${sql.alias()} AS (${step})`),
  ];
  const id = `${key} AS id`;
  const record = `(CASE WHEN ${renderCondition(plan.visible, row, sql)} THEN ${renderRecord(plan.record, row, sql)} END)`;
  const version = `pg_current_xact_id()::xid::text AS version`;
  return sql.statement(`WITH ${steps.join(', ')} SELECT ${id}, ${record}::text AS item, ${version} FROM ${row}`);
}

function recorded(from: string, key: string, { event }: Pick<CreatePlan, 'event'>, sql: SqlWriter): readonly string[] {
  const parameter = (value: string | null, sqlType: string): string => sql.parameter(value, sqlType);
  // The event names the fields whose columns the statement writes.
  return event === null || event === undefined
    ? []
    : [auditStep(event, { from, key, parameter, isTextParameter: true })];
}

type LinkedWrite = Pick<CreatePlan, 'key' | 'links' | 'event'> & { readonly isNew?: boolean };

/** Renders the changes of a junction. Deleted and inserted pairs differ, so their order does not matter. */
function renderLinks(
  { join, target, add, remove, replaces }: PlannedLinks,
  own: string,
  { row, isNew }: { readonly row: string; readonly isNew?: boolean },
  sql: SqlWriter,
): readonly string[] {
  const [table, ownColumn, other] = [q(join.junctionTable), q(join.junctionOwnColumn), q(join.junctionTargetColumn)];
  const list = (ids: readonly unknown[]): string => sql.parameter(ids, `${target.key.sqlType}[]`);
  const steps: string[] = [];
  const gone = `DELETE FROM ${table} j USING ${row} WHERE j.${ownColumn} = ${own} AND j.${other}`;
  if (replaces) steps.push(`${gone} <> ALL(${list(add)})${among(`j.${other}`, target, sql)}`);
  else if (remove.length > 0) steps.push(`${gone} = ANY(${list(remove)})`);
  if (add.length > 0) steps.push(insertPairs(join, { own, from: row, list: list(add), replaces, isNew }));
  return steps;
}

function replacesAll({ join, target, maxReplaced }: PlannedLinks, own: string, sql: SqlWriter): readonly string[] {
  if (maxReplaced === null) return [];
  const [link, links] = [sql.alias(), sql.alias()];
  const linked = `${columnOf(link, join.junctionOwnColumn)} = ${own}`;
  const seen = among(columnOf(link, join.junctionTargetColumn), target, sql);
  const limit = sql.parameter(maxReplaced + 1, 'bigint');
  const found = `SELECT 1 FROM ${q(join.junctionTable)} ${link} WHERE ${linked}${seen} LIMIT ${limit}`;
  return [`(SELECT count(*) FROM (${found}) ${links}) <= ${sql.parameter(maxReplaced, 'bigint')}`];
}

/** Renders the condition that a key belongs to a visible record. Links to records that are not visible are kept. */
function among(key: string, { table, key: { column }, where }: SeenRecords, sql: SqlWriter): string {
  if (where === ALWAYS) return '';
  const seen = sql.alias();
  const satisfies = bracketed(where, seen, sql);
  return ` AND EXISTS (SELECT 1 FROM ${q(table)} ${seen} WHERE ${columnOf(seen, column)} = ${key} AND ${satisfies})`;
}

function renderReferencesExist(
  { locks, refers }: Pick<CreatePlan, 'locks' | 'refers'>,
  sql: SqlWriter,
): readonly string[] {
  const first = locks.length === 0 ? null : lockedFirst(locks, sql);
  const checks = refers.map((refer) => renderAllExist(refer, sql));
  return first === null ? checks : [`CASE WHEN ${first} THEN ${checks.join(' AND ')} END`];
}

/** Renders the check that the referenced records all exist and are visible. Locks them against deletion. */
function renderAllExist({ table, key, ids, where }: ReferredRecords, sql: SqlWriter): string {
  const row = sql.alias();
  const among = `${columnOf(row, key.column)} = ANY(${sql.parameter(ids, `${key.sqlType}[]`)})`;
  const seen = `SELECT 1 FROM ${q(table)} ${row} WHERE ${among} AND ${bracketed(where, row, sql)} ORDER BY ${columnOf(row, key.column)} FOR KEY SHARE OF ${row}`;
  return `(SELECT count(*) FROM (${seen}) ${sql.alias()}) = ${sql.parameter(ids.length, 'bigint')}`;
}

/**
 * Renders the check that a row has not changed since the statement began. After waiting for a lock, PostgreSQL rechecks the new version of
 * the row, but a subquery still reads the old version.
 */
function isAsSeen({ table, key }: ChangePlan, row: string, sql: SqlWriter): string {
  const seen = sql.alias();
  const same = `${columnOf(seen, key.column)} = ${columnOf(row, key.column)}`;
  return `${row}.xmin = (SELECT ${seen}.xmin FROM ${q(table)} ${seen} WHERE ${same})`;
}

function found(
  { where, versions }: Pick<ChangePlan, 'where' | 'versions'>,
  row: string,
  sql: SqlWriter,
): readonly string[] {
  const condition = bracketed(where, row, sql);
  return versions === null ? [condition] : [condition, `${row}.xmin::text = ANY(${sql.parameter(versions, 'text[]')})`];
}
