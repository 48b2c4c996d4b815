import type { EntityManager } from 'typeorm';
import { quoteIdentifier as q, quoteIdentifiers } from '../../model/identifiers.js';
import type { LinkedColumn, LinkedIndex } from '../../model/schema-model.types.js';
import { actionSql } from '../plan/action-sql.js';
import type { WantedIndex } from './wanted-indexes.js';

/** Values that a shape is tried with, each of a record of the sample: what is frequent there is frequent here. */
const TRIES = 7;
const PAGE = 20;
/** Records that are written to tell what an index costs. */
const WRITTEN = 1_000;
const NAME = 'advised_index';

/** Gain and cost of an index, measured on a sample of the table. */
export interface IndexTrial {
  readonly rows: number;
  readonly sampled: number;
  /** Milliseconds of the first page without the index, and with it: the median of several values. */
  readonly before: number;
  readonly after: number;
  /** Milliseconds of 1,000 new records without it, and with it. */
  readonly writeBefore: number;
  readonly writeAfter: number;
  /** Bytes of the index over the whole table, about. */
  readonly bytes: number;
}

/**
 * Tries an index on a sample that only this transaction sees: a temporary table by the name of the table, with its other indexes. The
 * table itself is read once, and never locked against anyone.
 *
 * @param manager a transaction of its own: the sample goes with it.
 * @param most records of the sample.
 */
export async function tryIndex(manager: EntityManager, wanted: WantedIndex, most: number): Promise<IndexTrial> {
  const { table } = wanted.schema;
  const rows = await countAbout(manager, table.name);
  await takeSample(manager, wanted, { rows, most });
  const [{ sampled } = { sampled: 0 }] = await manager.query<{ sampled: number }[]>(
    `SELECT count(*)::int AS sampled FROM ${q(table.name)}`,
  );
  const pages = await pagesOf(manager, wanted);
  const before = await median(manager, pages);
  const writeBefore = await writeTime(manager, wanted);
  const index: LinkedIndex = {
    key: '',
    name: NAME,
    columns: wanted.columns.map(({ name }) => name),
    unique: false,
    live: false,
    method: 'btree',
  };
  await create(manager, table.name, index);
  const after = await median(manager, pages);
  const writeAfter = await writeTime(manager, wanted);
  const [{ bytes } = { bytes: 0 }] = await manager.query<{ bytes: number }[]>(
    `SELECT pg_relation_size('pg_temp.${NAME}'::regclass)::float8 AS bytes`,
  );
  const known = Math.max(rows, sampled);
  return {
    rows: known,
    sampled,
    before,
    after,
    writeBefore,
    writeAfter,
    bytes: sampled === 0 ? bytes : Math.round((bytes * known) / sampled),
  };
}

/** Returns the number of rows as PostgreSQL believes; 0 for a table that it has not looked at yet, whose sample is its beginning. */
async function countAbout(manager: EntityManager, table: string): Promise<number> {
  const [{ rows } = { rows: 0 }] = await manager.query<{ rows: number }[]>(
    'SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = to_regclass($1)',
    [q(table)],
  );
  return Math.max(0, Math.round(rows));
}

interface SampleSize {
  readonly rows: number;
  readonly most: number;
}

async function takeSample(manager: EntityManager, { schema }: WantedIndex, { rows, most }: SampleSize): Promise<void> {
  const { name, primaryKey, indexes } = schema.table;
  const part = rows > most ? ` TABLESAMPLE SYSTEM (${((100 * most) / rows).toFixed(6)})` : '';
  await manager.query(
    `CREATE TEMPORARY TABLE ${q(name)} ON COMMIT DROP AS SELECT * FROM ${q(name)}${part} LIMIT ${most}`,
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

async function pagesOf(manager: EntityManager, wanted: WantedIndex): Promise<readonly Page[]> {
  const { schema, shape } = wanted;
  const byId = new Map(schema.table.columns.map((column) => [column.id, column]));
  const columns = (ids: readonly string[]): readonly LinkedColumn[] =>
    ids.map((id) => byId.get(id)).filter((column) => column !== undefined);
  const [equal, ranges, order] = [columns(shape.equal), columns(shape.ranges), columns(shape.order)];
  const asked = [...equal, ...ranges];
  const list = asked.map(({ name }, at) => `${q(name)}::text AS v${at}`).join(', ');
  const records = await manager.query<Record<string, string | null>[]>(
    `SELECT ${list || '1 AS none'} FROM ${q(schema.table.name)} ORDER BY random() LIMIT ${TRIES}`,
  );
  const by = [...order.map(({ name }) => name), ...schema.table.primaryKey.columns];
  return records.map((record) => {
    const held = asked
      .map((column, at) => ({ column, sign: at < equal.length ? '=' : '>=', value: record[`v${at}`] ?? null }))
      .filter(({ sign, value }) => sign === '=' || value !== null);
    const values = held.flatMap(({ value }) => (value === null ? [] : [value]));
    let at = 0;
    const where = held.map(({ column, sign, value }) => {
      if (value === null) return `${q(column.name)} IS NULL`;
      at += 1;
      return `${q(column.name)} ${sign} $${at}::text::${column.sqlType}`;
    });
    const text = `SELECT * FROM ${q(schema.table.name)}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}
      ORDER BY ${quoteIdentifiers(by)} LIMIT ${PAGE}`;
    return { text, values };
  });
}

/** Returns the median in milliseconds; each page is read once before it is measured. */
async function median(manager: EntityManager, pages: readonly Page[]): Promise<number> {
  const times: number[] = [];
  for (const { text, values } of pages) {
    await executionTime(manager, text, values);
    times.push(await executionTime(manager, text, values));
  }
  times.sort((one, other) => one - other);
  return times[Math.floor(times.length / 2)] ?? 0;
}

function writeTime(manager: EntityManager, { schema }: WantedIndex): Promise<number> {
  const name = q(schema.table.name);
  return executionTime(manager, `INSERT INTO ${name} SELECT * FROM ${name} LIMIT ${WRITTEN}`, []);
}

interface ExplainedRow {
  readonly 'QUERY PLAN': readonly { readonly 'Execution Time': number }[];
}

async function executionTime(manager: EntityManager, text: string, values: unknown[]): Promise<number> {
  const [row] = await manager.query<ExplainedRow[]>(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values);
  return row?.['QUERY PLAN'][0]?.['Execution Time'] ?? 0;
}
