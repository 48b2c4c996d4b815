import type { EntityManager } from 'typeorm';
import { quoteIdentifier as q, quoteIdentifiers } from '../../model/identifiers.js';
import type { LinkedColumn, LinkedIndex } from '../../model/schema-model.types.js';
import { actionSql } from '../plan/action-sql.js';
import type { WantedIndex } from './wanted-indexes.js';

/** Number of test queries. Their values come from sampled records, so frequent values are tested more often. */
const TRIES = 7;
const PAGE = 20;
const WRITTEN = 1_000;
const NAME = 'advised_index';

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
 * @param most maximum number of records of the sample.
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

/** Returns the row estimate of PostgreSQL. It is 0 for a table that was never analyzed; the sample is then the start of the table. */
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
