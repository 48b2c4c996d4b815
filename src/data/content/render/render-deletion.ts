import type { DirectJoin, JunctionJoin, LinkedSchema } from '../../model/schema-model.types.js';
import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { Dependency } from '../plan/deletion-rules.js';
import { deletedAtColumn, isLive } from '../resolve/conditions.js';
import { keyOf } from '../resolve/sql-values.js';
import { renderCondition, renderJoin } from './render-condition.js';
import { columnOf, type SqlStatement, SqlWriter } from './sql-writer.js';

/** Records of a schema, by primary key. */
export interface KeyedRecords {
  readonly schema: LinkedSchema;
  readonly ids: readonly unknown[];
}

export interface DependentRow {
  readonly id: string;
  /** True if it was already deleted separately at the same timestamp. */
  readonly gone: boolean;
}

/**
 * Selects and locks the records that depend on the given ones, including those deleted at the given timestamp.
 *
 * @param at the timestamp; null for all records, deleted or not.
 */
export function renderDependents(
  { target, join }: Dependency<DirectJoin>,
  group: KeyedRecords,
  at: Date | null,
): SqlStatement {
  const sql = new SqlWriter();
  const [row, deleted] = [sql.alias(), deletedAtColumn(target)];
  const key = columnOf(row, keyOf(target).column);
  const time = deleted === null ? null : columnOf(row, deleted);
  const isGone = time === null ? 'FALSE' : `${time} IS NOT NULL`;
  const parts = [`${columnOf(row, join.targetColumn)} = ANY(ARRAY(${referred(group, join.ownColumn, sql)}))`];
  if (time !== null && at !== null)
    parts.push(`(${time} IS NULL OR ${time} = ${sql.parameter(at.toISOString(), 'timestamptz')})`);
  return sql.statement(
    `SELECT ${key}::text AS id, ${isGone} AS gone FROM ${q(target.table.name)} ${row} WHERE ${parts.join(' AND ')} ORDER BY ${key} FOR UPDATE OF ${row}`,
  );
}

export function renderFallen({ target, join }: Dependency<DirectJoin>, group: KeyedRecords): SqlStatement {
  const { schema } = group;
  const sql = new SqlWriter();
  const [row, parent] = [sql.alias(), sql.alias()];
  const [time, parentTime] = [timeOf(target), timeOf(schema)];
  const key = columnOf(row, keyOf(target).column);
  const parents = isAmong(group, parent, sql);
  const link = `${columnOf(row, join.targetColumn)} = ${columnOf(parent, join.ownColumn)}`;
  const together = `${columnOf(row, time)} = ${columnOf(parent, parentTime)}`;
  return sql.statement(
    `SELECT ${key}::text AS id FROM ${q(target.table.name)} ${row} JOIN ${q(schema.table.name)} ${parent} ON ${link} WHERE ${parents} AND ${together} ORDER BY ${key} FOR UPDATE OF ${row}`,
  );
}

/**
 * Selects those of the given records that other records refer to.
 *
 * @param without records of the target whose references are ignored.
 */
export function renderReferenced(
  { target, join }: Dependency,
  group: KeyedRecords,
  without: readonly unknown[],
): SqlStatement {
  const { schema } = group;
  const sql = new SqlWriter();
  const [row, other] = [sql.alias(), sql.alias()];
  const { column, sqlType } = keyOf(target);
  const linked = renderJoin(join, row, other, sql);
  // A permanent deletion also affects soft-deleted records.
  const counts = schema.softDelete ? renderCondition(isLive(target), other, sql) : 'TRUE';
  const stays = `${columnOf(other, column)} <> ALL(${sql.parameter(without, `${sqlType}[]`)})`;
  const key = columnOf(row, keyOf(schema).column);
  return sql.statement(
    `SELECT ${key}::text AS id FROM ${q(schema.table.name)} ${row} WHERE ${isAmong(group, row, sql)} AND EXISTS (SELECT 1 ${linked} AND ${counts} AND ${stays})`,
  );
}

export interface AnchorRow {
  readonly id: string;
  readonly anchor: string;
  readonly live: boolean;
}

/** Selects the targets of required references, and locks them against deletion until the end of the transaction. */
export function renderAnchors({ target, join }: Dependency<DirectJoin>, group: KeyedRecords): SqlStatement {
  const { schema } = group;
  const sql = new SqlWriter();
  const [row, anchor] = [sql.alias(), sql.alias()];
  const id = columnOf(row, keyOf(schema).column);
  const key = columnOf(anchor, keyOf(target).column);
  const link = `${columnOf(anchor, join.targetColumn)} = ${columnOf(row, join.ownColumn)}`;
  const live = `(${renderCondition(isLive(target), anchor, sql)}) AS live`;
  return sql.statement(
    `SELECT ${id}::text AS id, ${key}::text AS anchor, ${live} FROM ${q(schema.table.name)} ${row} JOIN ${q(target.table.name)} ${anchor} ON ${link} WHERE ${isAmong(group, row, sql)} ORDER BY ${key} FOR KEY SHARE OF ${anchor}`,
  );
}

export function renderUnlinkAmong(join: JunctionJoin, own: KeyedRecords, other: KeyedRecords): SqlStatement {
  const sql = new SqlWriter();
  const isOwn = `${q(join.junctionOwnColumn)} IN (${referred(own, join.ownColumn, sql)})`;
  const isOther = `${q(join.junctionTargetColumn)} IN (${referred(other, join.targetColumn, sql)})`;
  return sql.statement(`DELETE FROM ${q(join.junctionTable)} WHERE ${isOwn} AND ${isOther}`);
}

/** Permanently deletes records of several schemas in one statement, so that references between them do not restrict. */
export function renderDeleteTogether(groups: readonly KeyedRecords[]): SqlStatement {
  const sql = new SqlWriter();
  const steps = groups.map((group) => {
    const row = sql.alias();
    return `${sql.alias()} AS (DELETE FROM ${q(group.schema.table.name)} ${row} WHERE ${isAmong(group, row, sql)})`;
  });
  return sql.statement(`WITH ${steps.join(', ')} SELECT 1 AS done`);
}

function timeOf(schema: LinkedSchema): string {
  const column = deletedAtColumn(schema);
  if (column === null) throw new TypeError(`The schema ${schema.name} has no deleted_at.`);
  return column;
}

function referred(group: KeyedRecords, column: string, sql: SqlWriter): string {
  const parent = sql.alias();
  return `SELECT ${columnOf(parent, column)} FROM ${q(group.schema.table.name)} ${parent} WHERE ${isAmong(group, parent, sql)}`;
}

function isAmong({ schema, ids }: KeyedRecords, row: string, sql: SqlWriter): string {
  const { column, sqlType } = keyOf(schema);
  return `${columnOf(row, column)} = ANY(${sql.parameter(ids, `${sqlType}[]`)})`;
}
