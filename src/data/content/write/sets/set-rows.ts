import { AppError } from '../../../../kernel/errors/app-error.js';
import { newId } from '../../../../kernel/keys/random.js';
import { findViolatedUnique } from '../../../../platform/database/database.public.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import { planGuard, planUnwritten, type RowGuard } from '../../plan/plan-write.js';
import { renderRuleAfterWrite, type UnwrittenRows, renderInsert, renderUpdate } from '../../render/render-write.js';
import { keyOf, generatedValues, updatedAtOf, type WrittenValue } from '../../resolve/sql-values.js';
import {
  newOf,
  type RecordRef,
  type RecordWrite,
  type WrittenLinks,
  type WrittenReference,
} from '../../resolve/writes/record-write.js';
import { ALWAYS, type Condition } from '../../resolve/conditions.js';
import { toLocatedFault } from '../content-faults.js';
import { inSavepoint, run, type WriteTransaction } from '../transaction/in-transaction.js';
import type { ChangingRecord } from '../hooks/record-changes.service.js';

/** By column. */
export type Values = ReadonlyMap<string, WrittenValue>;

const NONE: Values = new Map();

/** A record of a set: the locked row, or null for a new record, and its write. */
export interface SetEntry extends ChangingRecord {
  readonly write: RecordWrite;
  /** Columns that the parent record sets. */
  readonly preset?: Values | undefined;
}

/** A reference or a link of one record of a set. */
export interface Part<Of> {
  /** Index of the record in the set. */
  readonly at: number;
  /** Null for a new record that is not inserted yet. */
  readonly id: string | null;
  readonly of: Of;
}

export type Parts<Of> = readonly [Part<Of>, ...Part<Of>[]];

export function newEntries(refs: readonly (RecordRef | null)[], preset?: Values): readonly SetEntry[] {
  return newOf(refs).map((write) => ({ id: null, write, preset }));
}

/** Groups the references or links of a set by field. */
export function partsOf<Of extends WrittenReference | WrittenLinks>(
  entries: readonly SetEntry[],
  ids: readonly (string | null)[],
  listOf: (write: RecordWrite) => readonly Of[],
): Iterable<Parts<Of>> {
  const found = new Map<string, [Part<Of>, ...Part<Of>[]]>();
  for (const [at, { write }] of entries.entries())
    for (const of of listOf(write)) {
      const part = { at, id: ids[at] ?? null, of };
      const existing = found.get(of.field.name);
      if (existing === undefined) found.set(of.field.name, [part]);
      else existing.push(part);
    }
  return found.values();
}

/**
 * Inserts or updates the rows of a set, and returns their keys in order.
 *
 * @param columns foreign key columns of each record.
 * @param isPlanned true if the set was planned. Otherwise it has one record, or one change of many records.
 * @throws AppError `permission_denied` if a rule does not match. Errors have the position of the record if the set is not planned.
 */
export async function writeRows(
  transaction: WriteTransaction,
  schema: LinkedSchema,
  entries: readonly SetEntry[],
  columns: readonly Values[],
  isPlanned: boolean,
): Promise<readonly string[]> {
  const { now } = transaction.context;
  const links = entries.flatMap(({ write }) => write.links);
  const ids = entries.map(({ id }) => id ?? '');
  for (const group of groupsOf(schema, rowsOf(entries, columns, now))) {
    const [{ id, write, values }] = group;
    if (id !== null && values.size === 0) continue;
    const guard = planGuard({ ...write, links }, values, now);
    const render = id === null ? renderInsert : renderUpdate;
    const work = () => run<{ id: string }>(transaction, render(schema.table.name, group, keyOf(schema), guard));
    const unwritten = { write, values, ids: id === null ? null : group.map((row) => row.id) };
    const found = await (isPlanned ? work() : located(transaction, unwritten, guard, work));
    if (found.length < group.length) throw new AppError('permission_denied');
    if (id === null) for (const [index, { at }] of group.entries()) ids[at] = found[index]?.id ?? '';
  }
  return ids;
}

interface SetRow {
  readonly at: number;
  readonly id: string | null;
  readonly write: RecordWrite;
  readonly values: Values;
}

function rowsOf(entries: readonly SetEntry[], columns: readonly Values[], now: Date): readonly SetRow[] {
  // UUIDs of the same millisecond are not ordered, so they are sorted to follow the order of the list.
  const keys = entries.map(({ id }) => (id === null ? newId() : id)).sort();
  return entries.map(({ id, write, preset = NONE }, at) => {
    const values = id === null ? generatedValues(write.schema, now, keys[at]) : new Map<string, WrittenValue>();
    const last = id === null ? NONE : updatedAtOf(write.schema, now);
    for (const source of [write.values, preset, columns[at] ?? NONE, last])
      for (const [column, value] of source) values.set(column, value);
    return { at, id, write, values };
  });
}

/**
 * Runs the statement of a write. Constraint violations get the path of the record in the body.
 *
 * If the rule can only be checked afterwards, a unique violation is reported only if the rule would match, so that it does not reveal other
 * records. Nested records are not considered.
 *
 * @throws AppError `permission_denied` for a unique violation if the rule would not match.
 */
async function located<Row>(
  transaction: WriteTransaction,
  rows: UnwrittenRows,
  guard: RowGuard | null,
  work: () => Promise<Row[]>,
): Promise<Row[]> {
  const { context } = transaction;
  const { write, ids } = rows;
  try {
    if (guard !== null || write.rule === ALWAYS) return await work();
    return await inSavepoint(transaction, work, async (error) => {
      if (findViolatedUnique(error) === null) throw error;
      const values = planUnwritten(write, rows.values, context.now);
      const matching = await run(transaction, renderRuleAfterWrite({ ...rows, values }));
      if (matching.length === (ids?.length ?? 1)) throw error;
      throw new AppError('permission_denied', { cause: error });
    });
  } catch (error) {
    throw toLocatedFault(error, context, write.location);
  }
}

/**
 * Groups the rows that one statement can write, in order: rows with the same columns and the same rule. The database numbers identity columns
 * in insertion order, so with an identity column only adjacent rows share a group.
 */
export function groupsOf<Row extends { readonly write?: Pick<RecordWrite, 'rule'>; readonly values: Values }>(
  { table }: LinkedSchema,
  rows: readonly Row[],
): readonly (readonly [Row, ...Row[]])[] {
  const groups: [Row, ...Row[]][] = [];
  const isNumbered = table.columns.some(({ identity }) => identity);
  const rowsByCondition = new Map<Condition, Map<string, [Row, ...Row[]]>>();
  let last: Row[] | undefined;
  let [names, columns] = [[] as readonly string[], '[]'];
  for (const row of rows) {
    const { write: { rule } = { rule: ALWAYS }, values } = row;
    if (!hasColumns(values, names)) {
      names = [...values.keys()];
      columns = JSON.stringify(names.toSorted());
    }
    const ofRule = rowsByCondition.get(rule) ?? new Map<string, [Row, ...Row[]]>();
    rowsByCondition.set(rule, ofRule);
    let group = ofRule.get(columns);
    if (group !== undefined && (!isNumbered || group === last)) group.push(row);
    else {
      group = [row];
      groups.push(group);
      ofRule.set(columns, group);
    }
    last = group;
  }
  return groups;
}

function hasColumns(values: Values, names: readonly string[]): boolean {
  if (values.size !== names.length) return false;
  let at = 0;
  for (const name of values.keys()) if (name !== names[at++]) return false;
  return true;
}
