import { AppError } from '../../../kernel/errors/app-error.js';
import { newId } from '../../../kernel/keys/random.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { planGuard } from '../plan/plan-write.js';
import type { RowGuard } from '../plan/write-plan.types.js';
import { type LinkedRow, renderLinked, renderLinkPairs } from '../render/render-links.js';
import { renderInsertAll, renderUpdateAll } from '../render/render-write.js';
import { isLive } from '../resolve/conditions.js';
import { keyOf, keysOf } from '../resolve/key-of.js';
import { ALWAYS, type Condition } from '../resolve/resolved.types.js';
import type {
  RecordRef,
  RecordWrite,
  WrittenLinks,
  WrittenReference,
  WrittenValue,
} from '../resolve/writes/write.types.js';
import { generatedField, generatedValues, timeValue } from './generated-values.js';
import { run } from './in-transaction.js';
import { changeOf } from './link-change.js';
import { unlessDeleted } from './link-writer.js';
import type { WriteTransaction } from './write-transaction.types.js';

/** By column. */
export type Values = ReadonlyMap<string, WrittenValue>;

export interface Branch {
  readonly write: RecordWrite;
  readonly preset: Values;
}

interface Tie {
  readonly own: string;
  readonly refs: readonly RecordRef[];
}

/**
 * Creates records of one schema with all nested records, relation by relation. Returns their keys, in order.
 *
 * @throws AppError on any error, without its position.
 */
export async function createTree(
  transaction: WriteTransaction,
  branches: readonly Branch[],
): Promise<readonly string[]> {
  const made = await createReferred(transaction, branches);
  const ids = await insertAll(transaction, branches, made);
  const schema = branches[0]?.write.schema;
  if (schema !== undefined)
    for (const [link, ties] of tiesOf(branches, ids)) await tie(transaction, schema, link, ties);
  return ids;
}

/** Creates the referenced records first. Returns the foreign key columns for each branch. */
async function createReferred(
  transaction: WriteTransaction,
  branches: readonly Branch[],
): Promise<readonly Map<string, WrittenValue>[]> {
  const columns = branches.map(() => new Map<string, WrittenValue>());
  const byField = new Map<string, { readonly reference: WrittenReference; readonly nested: [number, RecordWrite][] }>();
  for (const [at, { write }] of branches.entries())
    for (const reference of write.references)
      if (reference.ref?.kind === 'new') {
        const known = byField.get(reference.column) ?? { reference, nested: [] };
        byField.set(reference.column, known);
        known.nested.push([at, reference.ref.write]);
      }
  for (const [column, { reference, nested }] of byField) {
    const ids = await createTree(
      transaction,
      nested.map(([, write]) => ({ write, preset: new Map() })),
    );
    for (const [place, [at]] of nested.entries())
      columns[at]?.set(column, { value: ids[place], sqlType: keyOf(reference.target).sqlType });
  }
  return columns;
}

async function insertAll(
  transaction: WriteTransaction,
  branches: readonly Branch[],
  made: readonly Values[],
): Promise<readonly string[]> {
  const { context, judge } = transaction;
  const ids: string[] = [];
  const links = branches.flatMap(({ write }) => write.links);
  // UUIDs of the same millisecond are not ordered, so they are sorted to follow the order of the list.
  const keys = branches.map(() => newId()).sort();
  const rows = branches.map(({ write, preset }, at) => {
    const values = generatedValues(write.schema, context.now, keys[at]);
    for (const given of [write.values, preset, referenceColumns(write), made[at] ?? []])
      for (const [column, value] of given) values.set(column, value);
    return { at, write, values };
  });
  for (const { write, rows: group } of groupsOf(rows)) {
    const { schema, rule } = write;
    const lists = group.map(({ values }) => values);
    const guard = planGuard({ ...write, links }, lists[0] ?? new Map(), context.now);
    const found = await run<{ id: string }>(transaction, renderInsertAll(schema, lists, keyOf(schema), guard));
    if (found.length < group.length) throw new AppError('permission_denied');
    for (const [place, { at }] of group.entries()) ids[at] = found[place]?.id ?? '';
    judge.later(
      rule,
      schema,
      found.map(({ id }) => id),
    );
  }
  judgeReferred(
    transaction,
    branches.map(({ write }) => write),
  );
  return ids;
}

/** Schedules the rule checks of records that a reference belongs to. */
function judgeReferred({ judge }: WriteTransaction, writes: readonly RecordWrite[]): void {
  const rules = new Map<Condition, Condition>();
  for (const { references } of writes)
    for (const { ref, target, touch } of references) {
      if (touch === ALWAYS || ref?.kind !== 'id') continue;
      const rule = rules.get(touch) ?? unlessDeleted(touch, target);
      rules.set(touch, rule);
      judge.later(rule, target, [ref.value]);
    }
}

function tiesOf(branches: readonly Branch[], ids: readonly string[]): ReadonlyMap<WrittenLinks, readonly Tie[]> {
  const firsts = new Map<string, WrittenLinks>();
  const ties = new Map<WrittenLinks, Tie[]>();
  for (const [at, { write }] of branches.entries())
    for (const link of write.links) {
      const first = firsts.get(link.field.name) ?? link;
      firsts.set(link.field.name, first);
      const known = ties.get(first) ?? [];
      ties.set(first, known);
      known.push({ own: ids[at] ?? '', refs: link.add });
    }
  return ties;
}

async function tie(
  transaction: WriteTransaction,
  schema: LinkedSchema,
  link: WrittenLinks,
  ties: readonly Tie[],
): Promise<void> {
  const { field, target, touch } = link;
  const { join } = field;
  const { sqlType } = keyOf(schema);
  const known = ties.flatMap(({ own, refs }) => keysOf(refs).map((id) => ({ own, id })));
  const nested = ties.flatMap(({ own, refs }) =>
    refs.flatMap((ref) => (ref.kind === 'new' ? [{ own, write: ref.write }] : [])),
  );
  if (join.kind === 'direct') {
    if (known.length > 0) await hold(transaction, schema, link, known);
    if (nested.length > 0)
      await createTree(
        transaction,
        nested.map(({ own, write }) => ({ write, preset: new Map([[join.targetColumn, { value: own, sqlType }]]) })),
      );
    return;
  }
  const ids =
    nested.length === 0
      ? []
      : await createTree(
          transaction,
          nested.map(({ write }) => ({ write, preset: new Map() })),
        );
  const pairs = [...known, ...nested.map(({ own }, at) => ({ own, id: ids[at] }))];
  if (pairs.length === 0) return;
  const [owns, others] = [pairs.map(({ own }) => own), pairs.map(({ id }) => id)];
  const other = { value: others, sqlType: keyOf(target).sqlType };
  await run(transaction, renderLinkPairs(join, { value: owns, sqlType }, other));
  transaction.judge.later(
    touch,
    target,
    known.map(({ id }) => id),
  );
}

async function hold(
  transaction: WriteTransaction,
  schema: LinkedSchema,
  link: WrittenLinks,
  known: readonly { readonly own: string; readonly id: unknown }[],
): Promise<void> {
  const { context, judge } = transaction;
  const { field, target, touch } = link;
  const [key, ownKey] = [keyOf(target), keyOf(schema)];
  const named = known.map(({ id }) => id);
  const seen = context.fields.linkable(target, field.many ? 'list' : 'get');
  // Nothing is linked to a new record yet, so any of them can stand for all.
  const own = { value: known[0]?.own, sqlType: ownKey.sqlType };
  const search = { join: field.join, key, own, named, all: false, live: isLive(target), seen, touch };
  const rows = await run<LinkedRow>(transaction, renderLinked(search));
  const add = named.map((value) => ({ kind: 'id', value }) as const);
  const { left } = changeOf({ ...link, add, remove: [], replaces: false }, rows);
  const losing = unlessDeleted(link.ownTouch, schema);
  await judge.now(losing, schema, left);
  judge.later(losing, schema, left);
  const updatedAt = generatedField(target, 'updated_at');
  const changes = known.map(({ own: value, id }) => {
    const values = new Map([[field.join.targetColumn, { value, sqlType: ownKey.sqlType } as WrittenValue]]);
    if (updatedAt) values.set(updatedAt.column, timeValue(context.now));
    return { id, values };
  });
  await updateAll(transaction, target, changes, null);
  judge.later(touch, target, named);
}

interface StatementGroup<Row> {
  readonly write: RecordWrite;
  readonly rows: Row[];
}

/**
 * Groups the records that one statement can write, in order. The database numbers identity columns in insertion order, so with an identity
 * column only adjacent records share a group.
 */
export function groupsOf<Row extends { readonly write: RecordWrite; readonly values: Values }>(
  rows: readonly Row[],
): readonly StatementGroup<Row>[] {
  const groups: StatementGroup<Row>[] = [];
  const isNumbered = rows[0]?.write.schema.table.columns.some(({ identity }) => identity) ?? false;
  const known = new Map<Condition, Map<string, StatementGroup<Row>>>();
  let last: StatementGroup<Row> | undefined;
  let [names, columns] = [[] as readonly string[], '[]'];
  for (const row of rows) {
    const { write, values } = row;
    if (!hasColumns(values, names)) {
      names = [...values.keys()];
      columns = JSON.stringify(names.toSorted());
    }
    const ofRule = known.get(write.rule) ?? new Map<string, StatementGroup<Row>>();
    known.set(write.rule, ofRule);
    const found = ofRule.get(columns);
    const group: StatementGroup<Row> =
      found !== undefined && (!isNumbered || found === last) ? found : { write, rows: [] };
    if (group !== found) groups.push(group);
    ofRule.set(columns, group);
    group.rows.push(row);
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

export function referenceColumns({ references }: RecordWrite): readonly (readonly [string, WrittenValue])[] {
  return references.flatMap(({ column, ref, target }) =>
    ref?.kind === 'new' ? [] : [[column, { value: ref?.value ?? null, sqlType: keyOf(target).sqlType }] as const],
  );
}

export async function updateAll(
  transaction: WriteTransaction,
  schema: LinkedSchema,
  rows: readonly { readonly id: unknown; readonly values: Values }[],
  guard: RowGuard | null,
): Promise<void> {
  const changed = await run(transaction, renderUpdateAll(schema.table.name, rows, keyOf(schema), guard));
  if (changed.length < rows.length) throw new AppError('permission_denied');
}
