import type { DirectJoin, LinkedSchema, RelationJoin } from '../../model/schema-model.types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { AccountRelation, ForeignKeyRelation } from '../plan/account-relations.js';
import type { Dependency } from '../plan/deletion-rules.js';
import type { PlannedRecord } from '../plan/query-plan.types.js';
import { keyOf } from '../resolve/sql-values.js';
import { renderRecord } from './render-record.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

export interface AccountKey {
  readonly accounts: LinkedSchema;
  readonly userId: string;
}

/** Number of referring records. `index` is the index of the relation in the list. */
export interface CountedRelation {
  readonly index: number;
  readonly count: number;
}

/** Counts the records that refer to an account, per relation, including deleted records. Needs at least one relation. */
export function renderReferenceCounts(account: AccountKey, relations: readonly AccountRelation[]): SqlStatement {
  const sql = new SqlWriter();
  const counts = relations.map(({ join }, index) => {
    const from = `${q(tableOf(join))} WHERE ${q(referenceOf(join))} = ${accountKey(account, join, sql)}`;
    return `SELECT ${index} AS index, count(*)::int AS count FROM ${from}`;
  });
  return sql.statement(counts.join(' UNION ALL '));
}

export function renderReferringKeys(
  account: AccountKey,
  { target, join }: ForeignKeyRelation,
  limit: number | null,
): SqlStatement {
  const sql = new SqlWriter();
  const key = q(keyOf(target).column);
  const where = `${q(join.targetColumn)} = ${accountKey(account, join, sql)}`;
  const limitClause = limit === null ? '' : ` LIMIT ${sql.parameter(limit, 'bigint')}`;
  return sql.statement(
    `SELECT ${key}::text AS id FROM ${q(target.table.name)} WHERE ${where} ORDER BY ${key}${limitClause} FOR UPDATE`,
  );
}

/**
 * Changes references to an account: to another account, or to null (junction rows are deleted).
 *
 * @param ids changes only records with these keys; all records if omitted.
 */
export function renderReferenceUpdate(
  from: AccountKey,
  { target, join }: AccountRelation,
  { to, ids }: { readonly to: string | null; readonly ids?: readonly string[] },
): SqlStatement {
  const sql = new SqlWriter();
  const [table, column] = [q(tableOf(join)), q(referenceOf(join))];
  const where = [`${column} = ${accountKey(from, join, sql)}`];
  if (ids !== undefined && join.kind === 'direct') {
    const key = keyOf(target);
    where.push(`${q(key.column)} = ANY(${sql.parameter(ids, `${key.sqlType}[]`)})`);
  }
  const value = to === null ? 'NULL' : accountKey({ ...from, userId: to }, join, sql);
  const change =
    join.kind === 'junction' && to === null ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${column} = ${value}`;
  return sql.statement(`${change} WHERE ${where.join(' AND ')}`);
}

export interface ErasedRecords {
  readonly schema: LinkedSchema;
  readonly by: readonly string[] | readonly DirectJoin[];
}

/** Permanently deletes records of several schemas in one statement, so that references between them do not restrict. */
export function renderErasure(account: AccountKey, groups: readonly ErasedRecords[]): SqlStatement {
  const sql = new SqlWriter();
  const steps = groups.map(({ schema, by }) => {
    const key = keyOf(schema);
    const ids = by.filter((one) => typeof one === 'string');
    const joins = by.filter((one) => typeof one !== 'string');
    const found = joins.map((join) => `${q(join.targetColumn)} = ${accountKey(account, join, sql)}`);
    if (ids.length > 0) found.push(`${q(key.column)} = ANY(${sql.parameter(ids, `${key.sqlType}[]`)})`);
    return `${sql.alias()} AS (DELETE FROM ${q(schema.table.name)} WHERE ${found.join(' OR ')})`;
  });
  return sql.statement(`WITH ${steps.join(', ')} SELECT 1 AS done`);
}

export interface DependencyPath {
  readonly root: ForeignKeyRelation;
  /** At least one. */
  readonly steps: readonly Dependency[];
  /** Joins whose referring records are deleted anyway and are not counted. */
  readonly without: readonly DirectJoin[];
}

export function renderDependentCounts(account: AccountKey, paths: readonly DependencyPath[]): SqlStatement {
  const sql = new SqlWriter();
  const counts = paths.map(({ root, steps, without }, index) => {
    const row = sql.alias();
    const otherConditions = without.map(
      (join) => `${columnOf(row, join.targetColumn)} IS DISTINCT FROM ${accountKey(account, join, sql)}`,
    );
    const start = (parent: string): string => refers(account, root.join, parent, sql);
    const where = [reached(root, steps, row, start, sql), ...otherConditions].join(' AND ');
    const { target } = steps.at(-1) ?? root;
    return `SELECT ${index} AS index, count(*)::int AS count FROM ${q(target.table.name)} ${row} WHERE ${where}`;
  });
  return sql.statement(counts.join(' UNION ALL '));
}

function reached(
  root: ForeignKeyRelation,
  steps: readonly Dependency[],
  row: string,
  start: (row: string) => string,
  sql: SqlWriter,
): string {
  const last = steps.at(-1);
  if (last === undefined) return start(row);
  const before = steps.slice(0, -1);
  const parent = sql.alias();
  const { table } = (before.at(-1) ?? root).target;
  const parents = `${q(table.name)} ${parent} WHERE ${reached(root, before, parent, start, sql)}`;
  return among(last.join, row, `SELECT ${columnOf(parent, last.join.ownColumn)} FROM ${parents}`, sql);
}

function among(join: RelationJoin, row: string, condition: string, sql: SqlWriter): string {
  if (join.kind === 'direct') return `${columnOf(row, join.targetColumn)} IN (${condition})`;
  const link = sql.alias();
  const links = `${q(join.junctionTable)} ${link} WHERE ${columnOf(link, join.junctionOwnColumn)} IN (${condition})`;
  return `${columnOf(row, join.targetColumn)} IN (SELECT ${columnOf(link, join.junctionTargetColumn)} FROM ${links})`;
}

export function renderReferringPage(
  account: AccountKey,
  { target, join }: AccountRelation,
  record: PlannedRecord,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): SqlStatement {
  const sql = new SqlWriter();
  const row = sql.alias();
  const { column, sqlType } = keyOf(target);
  const key = columnOf(row, column);
  const where = [refers(account, join, row, sql)];
  if (after !== null) where.push(`${key} > ${sql.parameter(after, sqlType)}`);
  const item = `${renderRecord(record, row, sql)}::text AS item`;
  const limitClause = sql.parameter(limit, 'bigint');
  return sql.statement(
    `SELECT ${key}::text AS id, ${item} FROM ${q(target.table.name)} ${row} WHERE ${where.join(' AND ')} ORDER BY ${key} LIMIT ${limitClause}`,
  );
}

function refers(account: AccountKey, join: RelationJoin, row: string, sql: SqlWriter): string {
  const own = accountKey(account, join, sql);
  return join.kind === 'direct' ? `${columnOf(row, join.targetColumn)} = ${own}` : among(join, row, own, sql);
}

function tableOf(join: RelationJoin): string {
  return join.kind === 'direct' ? join.targetTable : join.junctionTable;
}

function referenceOf(join: RelationJoin): string {
  return join.kind === 'direct' ? join.targetColumn : join.junctionOwnColumn;
}

/** Renders the value that refers to an account: its id, or the value of another unique column. */
function accountKey({ accounts, userId }: AccountKey, { ownColumn }: RelationJoin, sql: SqlWriter): string {
  const key = keyOf(accounts);
  const id = sql.parameter(userId, key.sqlType);
  if (ownColumn === key.column) return id;
  return `(SELECT ${q(ownColumn)} FROM ${q(accounts.table.name)} WHERE ${q(key.column)} = ${id})`;
}
