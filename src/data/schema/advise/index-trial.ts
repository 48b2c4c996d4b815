import type { EntityManager } from 'typeorm';
import { quoteIdentifier as q, quoteIdentifiers } from '../../model/identifiers.js';
import type {
  LinkedColumn,
  LinkedIndex,
  LinkedSchema,
  LinkedTable,
  QueryShape,
} from '../../model/schema-model.types.js';
import { actionSql } from '../plan/action-sql.js';

/** Number of test queries. Their values come from sampled records, so frequent values are tested more often. @internal */
const MAX_TRIALS = 7;
const PAGE = 20;
const WRITTEN = 1_000;
const NAME = 'advised_index';

export interface TriedIndex {
  readonly schema: LinkedSchema;
  readonly columns: readonly LinkedColumn[];
  readonly shape: QueryShape;
}

export interface IndexTrial {
  readonly rows: number;
  readonly sampled: number;
  /** Milliseconds of the first page without and with the index: the median over several values. */
  readonly before: number;
  readonly after: number;
  /** Milliseconds to insert 1,000 records without and with the index. */
  readonly writeBefore: number;
  readonly writeAfter: number;
  /** Estimated size of the index over the whole table, in bytes. */
  readonly bytes: number;
}

/**
 * Tries an index on a sample in a temporary table with the same name and the other indexes of the table. The table itself is read once and
 * not locked.
 *
 * @param manager a separate transaction. The sample is dropped with it.
 * @param maxRows maximum number of records of the sample.
 */
export async function tryIndex(manager: EntityManager, candidate: TriedIndex, maxRows: number): Promise<IndexTrial> {
  const { table } = candidate.schema;
  const rows = await countAbout(manager, table.name);
  await createSample(manager, table, rows, maxRows);
  const [{ sampled } = { sampled: 0 }] = await manager.query<{ sampled: number }[]>(
    `SELECT count(*)::int AS sampled FROM ${q(table.name)}`,
  );
  const pages = await pagesOf(manager, candidate);
  const before = await median(manager, pages);
  const writeBefore = await writeTime(manager, candidate);
  const columns = candidate.columns.map(({ name }) => name);
  await create(manager, table.name, { key: '', name: NAME, columns, unique: false, live: false, method: 'btree' });
  const after = await median(manager, pages);
  const writeAfter = await writeTime(manager, candidate);
  const [{ bytes } = { bytes: 0 }] = await manager.query<{ bytes: number }[]>(
    `SELECT pg_relation_size('pg_temp.${NAME}'::regclass)::float8 AS bytes`,
  );
  const rowCount = Math.max(rows, sampled);
  return {
    rows: rowCount,
    sampled,
    before,
    after,
    writeBefore,
    writeAfter,
    bytes: sampled === 0 ? bytes : Math.round((bytes * rowCount) / sampled),
  };
}

/** Returns the row estimate of PostgreSQL. It is 0 for a table that was never analyzed; the sample is then the start of the table. */
async function countAbout(manager: EntityManager, table: string): Promise<number> {
  const [{ rows } = { rows: 0 }] = await manager.query<{ rows: number }[]>(
    'SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = to_regclass($1)',
    [q(table)],
  );
  return Math.max(0, Math.round(rows));
}

async function createSample(manager: EntityManager, table: LinkedTable, rows: number, maxRows: number): Promise<void> {
  const { name, primaryKey, indexes } = table;
  const part = rows > maxRows ? ` TABLESAMPLE SYSTEM (${((100 * maxRows) / rows).toFixed(6)})` : '';
  await manager.query(
    `CREATE TEMPORARY TABLE ${q(name)} ON COMMIT DROP AS SELECT * FROM ${q(name)}${part} LIMIT ${maxRows}`,
  );
  await manager.query(`CREATE INDEX ON ${q(name)} (${quoteIdentifiers(primaryKey.columns)})`);
  for (const index of indexes) await create(manager, name, { ...index, unique: false });
  await manager.query(`ANALYZE ${q(name)}`);
}

async function create(manager: EntityManager, table: string, index: LinkedIndex): Promise<void> {
  for (const text of actionSql({ kind: 'create_index', table, index, populated: false })) await manager.query(text);
}

interface Page {
  readonly text: string;
  readonly values: unknown[];
}

async function pagesOf(manager: EntityManager, candidate: TriedIndex): Promise<readonly Page[]> {
  const { schema, shape } = candidate;
  const byId = new Map(schema.table.columns.map((column) => [column.id, column]));
  const columns = (ids: readonly string[]): readonly LinkedColumn[] =>
    ids.map((id) => byId.get(id)).filter((column) => column !== undefined);
  const [equal, ranges, order] = [columns(shape.equal), columns(shape.ranges), columns(shape.order)];
  const conditions = [...equal, ...ranges];
  const list = conditions.map(({ name }, at) => `${q(name)}::text AS v${at}`).join(', ');
  const records = await manager.query<Record<string, string | null>[]>(
    `SELECT ${list || '1 AS none'} FROM ${q(schema.table.name)} ORDER BY random() LIMIT ${MAX_TRIALS}`,
  );
  const by = [...order.map(({ name }) => name), ...schema.table.primaryKey.columns];
  return records.map((record) => {
    const supported = conditions
      .map((column, at) => ({ column, sign: at < equal.length ? '=' : '>=', value: record[`v${at}`] ?? null }))
      .filter(({ sign, value }) => sign === '=' || value !== null);
    const values = supported.flatMap(({ value }) => (value === null ? [] : [value]));
    let at = 0;
    const where = supported.map(({ column, sign, value }) => {
      if (value === null) return `${q(column.name)} IS NULL`;
      at += 1;
      return `${q(column.name)} ${sign} $${at}::text::${column.sqlType}`;
    });
    const text = `SELECT * FROM ${q(schema.table.name)}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}
      ORDER BY ${quoteIdentifiers(by)} LIMIT ${PAGE}`;
    return { text, values };
  });
}

/** Returns the median in milliseconds. Each page is read once before the measurement. */
async function median(manager: EntityManager, pages: readonly Page[]): Promise<number> {
  const times: number[] = [];
  for (const { text, values } of pages) {
    await executionTime(manager, text, values);
    times.push(await executionTime(manager, text, values));
  }
  times.sort((one, other) => one - other);
  return times[Math.floor(times.length / 2)] ?? 0;
}

function writeTime(manager: EntityManager, { schema }: TriedIndex): Promise<number> {
  const name = q(schema.table.name);
  return executionTime(manager, `INSERT INTO ${name} SELECT * FROM ${name} LIMIT ${WRITTEN}`, []);
}

async function executionTime(manager: EntityManager, text: string, values: unknown[]): Promise<number> {
  const [row] = await manager.query<{ 'QUERY PLAN': { 'Execution Time': number }[] }[]>(
    `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
    values,
  );
  return row?.['QUERY PLAN'][0]?.['Execution Time'] ?? 0;
}
