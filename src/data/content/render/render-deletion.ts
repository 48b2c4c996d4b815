import type { DirectJoin, JunctionJoin } from '../../model/schema-model.types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { Dependency } from '../plan/deletion-rules.js';
import { deletedAtColumn, isLive } from '../resolve/conditions.js';
import { keyOf } from '../resolve/key-of.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { renderCondition, renderJoin } from './render-condition.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

/** A record that depends on one that is deleted. */
export interface DependentRow {
  readonly id: string;
  /** True if it was deleted at the same time already, by itself. */
  readonly gone: boolean;
}

/**
 * Returns the records that depend on those of these keys, locked; with those that were deleted at a certain time already.
 *
 * @param at the time; null for every record, deleted or not.
 */
export function renderDependents(
  { target, join }: Dependency<DirectJoin>,
  schema: LinkedSchema,
  ids: readonly unknown[],
  at: Date | null,
): SqlStatement {
  const sql = new SqlWriter();
  const [row, deleted] = [sql.alias(), deletedAtColumn(target)];
  const key = columnOf(row, keyOf(target).column);
  const time = deleted === null ? null : columnOf(row, deleted);
  const isGone = time === null ? 'FALSE' : `${time} IS NOT NULL`;
  const parts = [`${columnOf(row, join.targetColumn)} = ANY(ARRAY(${referred(schema, join, ids, sql)}))`];
  if (time !== null && at !== null)
    parts.push(`(${time} IS NULL OR ${time} = ${sql.parameter(at.toISOString(), 'timestamptz')})`);
  return sql.statement(
    `SELECT ${key}::text AS id, ${isGone} AS gone FROM ${q(target.table.name)} ${row} WHERE ${parts.join(' AND ')} ORDER BY ${key} FOR UPDATE OF ${row}`,
  );
}

/** Returns the records that were deleted together with those of these keys, locked. */
export function renderFallen(
  { target, join }: Dependency<DirectJoin>,
  schema: LinkedSchema,
  ids: readonly unknown[],
): SqlStatement {
  const sql = new SqlWriter();
  const [row, parent] = [sql.alias(), sql.alias()];
  const [time, parentTime] = [timeOf(target), timeOf(schema)];
  const key = columnOf(row, keyOf(target).column);
  const parents = isAmong(schema, parent, ids, sql);
  const link = `${columnOf(row, join.targetColumn)} = ${columnOf(parent, join.ownColumn)}`;
  const together = `${columnOf(row, time)} = ${columnOf(parent, parentTime)}`;
  return sql.statement(
    `SELECT ${key}::text AS id FROM ${q(target.table.name)} ${row} JOIN ${q(schema.table.name)} ${parent} ON ${link} WHERE ${parents} AND ${together} ORDER BY ${key} FOR UPDATE OF ${row}`,
  );
}

/** Returns one record, if there is any, that keeps those of these keys from being deleted; none that is deleted with them. */
export function renderRestricting(
  { target, join }: Dependency,
  schema: LinkedSchema,
  ids: readonly unknown[],
  without: readonly unknown[],
): SqlStatement {
  const sql = new SqlWriter();
  const [row, other] = [sql.alias(), sql.alias()];
  const { column, sqlType } = keyOf(target);
  const linked = renderJoin(join, row, other, sql);
  const live = renderCondition(isLive(target), other, sql);
  const stays = `${columnOf(other, column)} <> ALL(${sql.parameter(without, `${sqlType}[]`)})`;
  const found = `EXISTS (SELECT 1 ${linked} AND ${live} AND ${stays})`;
  return sql.statement(
    `SELECT 1 AS found FROM ${q(schema.table.name)} ${row} WHERE ${isAmong(schema, row, ids, sql)} AND ${found} LIMIT 1`,
  );
}

/**
 * Returns the records of these keys that others refer to.
 *
 * @param without records of the target whose references do not count.
 */
export function renderReferenced(
  { target, join }: Dependency,
  schema: LinkedSchema,
  ids: readonly unknown[],
  without: readonly unknown[],
): SqlStatement {
  const sql = new SqlWriter();
  const [row, other] = [sql.alias(), sql.alias()];
  const { column, sqlType } = keyOf(target);
  const linked = renderJoin(join, row, other, sql);
  // A deletion for good reaches deleted records too.
  const counts = schema.softDelete ? renderCondition(isLive(target), other, sql) : 'TRUE';
  const stays = `${columnOf(other, column)} <> ALL(${sql.parameter(without, `${sqlType}[]`)})`;
  const key = columnOf(row, keyOf(schema).column);
  return sql.statement(
    `SELECT ${key}::text AS id FROM ${q(schema.table.name)} ${row} WHERE ${isAmong(schema, row, ids, sql)} AND EXISTS (SELECT 1 ${linked} AND ${counts} AND ${stays})`,
  );
}

/** A reference without which a record cannot be there. */
export interface AnchorRow {
  readonly id: string;
  readonly anchor: string;
  readonly live: boolean;
}

/** Returns where references of the records of these keys lead to; what they lead to stays as it is until the end of the transaction. */
export function renderAnchors(
  { target, join }: Dependency<DirectJoin>,
  schema: LinkedSchema,
  ids: readonly unknown[],
): SqlStatement {
  const sql = new SqlWriter();
  const [row, anchor] = [sql.alias(), sql.alias()];
  const id = columnOf(row, keyOf(schema).column);
  const key = columnOf(anchor, keyOf(target).column);
  const link = `${columnOf(anchor, join.targetColumn)} = ${columnOf(row, join.ownColumn)}`;
  const live = `(${renderCondition(isLive(target), anchor, sql)}) AS live`;
  return sql.statement(
    `SELECT ${id}::text AS id, ${key}::text AS anchor, ${live} FROM ${q(schema.table.name)} ${row} JOIN ${q(target.table.name)} ${anchor} ON ${link} WHERE ${isAmong(schema, row, ids, sql)} ORDER BY ${key} FOR KEY SHARE OF ${anchor}`,
  );
}

/** Removes the links of a relation between some records and others. */
export function renderUnlinkAmong(
  join: JunctionJoin,
  own: { readonly schema: LinkedSchema; readonly ids: readonly unknown[] },
  other: { readonly schema: LinkedSchema; readonly ids: readonly unknown[] },
): SqlStatement {
  const sql = new SqlWriter();
  const [mine, others] = [sql.alias(), sql.alias()];
  const held = `SELECT ${columnOf(mine, join.ownColumn)} FROM ${q(own.schema.table.name)} ${mine} WHERE ${isAmong(own.schema, mine, own.ids, sql)}`;
  const led = `SELECT ${columnOf(others, join.targetColumn)} FROM ${q(other.schema.table.name)} ${others} WHERE ${isAmong(other.schema, others, other.ids, sql)}`;
  return sql.statement(
    `DELETE FROM ${q(join.junctionTable)} WHERE ${q(join.junctionOwnColumn)} IN (${held}) AND ${q(join.junctionTargetColumn)} IN (${led})`,
  );
}

/** Removes records of several schemas for good by one statement: those that refer to each other do not keep each other. */
export function renderDeleteTogether(
  groups: readonly { readonly schema: LinkedSchema; readonly ids: readonly unknown[] }[],
): SqlStatement {
  const sql = new SqlWriter();
  const steps = groups.map(({ schema, ids }) => {
    const row = sql.alias();
    return `${sql.alias()} AS (DELETE FROM ${q(schema.table.name)} ${row} WHERE ${isAmong(schema, row, ids, sql)})`;
  });
  return sql.statement(`WITH ${steps.join(', ')} SELECT 1 AS done`);
}

function timeOf(schema: LinkedSchema): string {
  const column = deletedAtColumn(schema);
  if (column === null) throw new TypeError(`The schema ${schema.name} has no deleted_at.`);
  return column;
}

/** Returns what those who depend on the records of these keys hold of them. */
function referred(schema: LinkedSchema, { ownColumn }: DirectJoin, ids: readonly unknown[], sql: SqlWriter): string {
  const parent = sql.alias();
  return `SELECT ${columnOf(parent, ownColumn)} FROM ${q(schema.table.name)} ${parent} WHERE ${isAmong(schema, parent, ids, sql)}`;
}

function isAmong(schema: LinkedSchema, row: string, ids: readonly unknown[], sql: SqlWriter): string {
  const { column, sqlType } = keyOf(schema);
  return `${columnOf(row, column)} = ANY(${sql.parameter(ids, `${sqlType}[]`)})`;
}
