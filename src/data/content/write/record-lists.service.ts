import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import { newId } from '../../../kernel/random.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { planGuard } from '../plan/plan-write.js';
import { renderLinkPairs } from '../render/render-links.js';
import { renderAmong, renderInsertAll } from '../render/render-write.js';
import { allOf } from '../resolve/conditions.js';
import { keyOf } from '../resolve/key-of.js';
import { ALWAYS, type Condition } from '../resolve/resolved.types.js';
import type { RecordRef, RecordWrite, WrittenLinks, WrittenReference, WrittenValue } from '../resolve/write.types.js';
import { generatedValues } from './generated-values.js';
import { run } from './in-transaction.js';
import { unlessDeleted } from './link-writer.js';
import { RecordChanges } from './record-changes.service.js';
import { RecordWriter } from './record-writer.js';
import type { WriteTransaction } from './write-transaction.types.js';

/** Records of a schema that a list refers to over one relation. */
interface Referred {
  readonly target: LinkedSchema;
  readonly where: Condition;
  readonly ids: Set<string>;
}

/** New records of the same columns, of which the same rule must hold. */
interface Alike {
  readonly write: RecordWrite;
  readonly rows: { readonly at: number; readonly values: ReadonlyMap<string, WrittenValue> }[];
}

/** Writes lists of new records: all that are alike by one statement, and their links by one for each relation. */
@Injectable()
export class RecordLists {
  constructor(
    private readonly writer: RecordWriter,
    private readonly changes: RecordChanges,
  ) {}

  /**
   * Writes new records of one schema and answers their keys, in order.
   *
   * @throws AppError what `RecordWriter.create` throws.
   */
  async create(transaction: WriteTransaction, writes: readonly RecordWrite[]): Promise<readonly string[]> {
    // What is missing is told by the way one by one, which knows its place; it may be an earlier record of the list, too.
    const isFlat = (write: RecordWrite): boolean => !this.changes.hears(write.schema, 'create') && isAlone(write);
    if (writes.every(isFlat) && (await areThere(transaction, writes))) return createTogether(transaction, writes);
    const ids: string[] = [];
    for (const write of writes) ids.push(await this.writer.create(transaction, write));
    return ids;
  }
}

/** Whether a record is written without others: it refers to such that are there, and no other holds a link to it. */
function isAlone({ schema, values, references, links }: RecordWrite): boolean {
  if (values.size + references.length === 0) return false;
  const areReferencesFlat = references.every(
    ({ ref, isFixed, field, target }) =>
      ref === null || (ref.kind === 'id' && !isFixed && field.join.targetColumn === keyOf(target).column),
  );
  const areLinksFlat = links.every(({ field: { join }, target, add, remove, isFixed }) => {
    if (add.length + remove.length === 0) return true;
    const isByKeys = join.ownColumn === keyOf(schema).column && join.targetColumn === keyOf(target).column;
    return join.kind === 'junction' && isByKeys && !isFixed && add.every(({ kind }) => kind === 'id');
  });
  return areReferencesFlat && areLinksFlat;
}

/** Whether all records that are referred to are there and may be seen, and linked where that is a change of them; locks them. */
async function areThere(transaction: WriteTransaction, writes: readonly RecordWrite[]): Promise<boolean> {
  for (const { target, where, ids } of referredBy(transaction, writes)) {
    const found = await run(transaction, renderAmong(target.table.name, keyOf(target), [...ids], where));
    if (found.length < ids.size) return false;
  }
  return true;
}

function referredBy({ context }: WriteTransaction, writes: readonly RecordWrite[]): readonly Referred[] {
  const referred = new Map<string, Referred>();
  const note = (
    { field, target, touch }: WrittenReference | WrittenLinks,
    ids: readonly unknown[],
    isTouched: boolean,
  ): void => {
    if (ids.length === 0) return;
    const key = `${field.name} ${isTouched}`;
    const seen = context.fields.visible(target, field.many ? 'list' : 'get');
    const known = referred.get(key) ?? { target, where: isTouched ? allOf([seen, touch]) : seen, ids: new Set() };
    referred.set(key, known);
    for (const id of ids) known.ids.add(String(id));
  };
  for (const { references, links } of writes) {
    for (const reference of references) note(reference, idsOf([reference.ref]), true);
    for (const link of links) {
      note(link, idsOf(link.add), true);
      note(link, link.remove, false);
    }
  }
  return [...referred.values()];
}

async function createTogether(
  transaction: WriteTransaction,
  writes: readonly RecordWrite[],
): Promise<readonly string[]> {
  const { context, judge } = transaction;
  const ids: string[] = [];
  const all = writes.flatMap(({ links }) => links);
  for (const { write, rows } of alike(writes, context.now)) {
    const { schema } = write;
    const lists = rows.map(({ values }) => values);
    const guard = planGuard({ ...write, links: all }, lists[0] ?? new Map(), context.now);
    const made = await run<{ id: string }>(transaction, renderInsertAll(schema, lists, keyOf(schema), guard));
    if (made.length < rows.length) throw new AppError('permission_denied');
    for (const [at, row] of rows.entries()) ids[row.at] = made[at]?.id ?? '';
    judge.later(
      write.rule,
      schema,
      made.map(({ id }) => id),
    );
  }
  for (const { references } of writes)
    for (const { ref, target, touch } of references)
      if (touch !== ALWAYS && ref !== null) judge.later(unlessDeleted(touch, target), target, idsOf([ref]));
  await link(transaction, writes, ids);
  return ids;
}

function alike(writes: readonly RecordWrite[], now: Date): readonly Alike[] {
  const groups = new Map<Condition, Map<string, Alike>>();
  // Keys of the same moment have no order: the records of a list have that of the list.
  const keys = writes.map(() => newId()).sort();
  for (const [at, write] of writes.entries()) {
    const values = new Map([...generatedValues(write.schema, now, keys[at]), ...write.values]);
    for (const { column, ref, target } of write.references)
      values.set(column, { value: idsOf([ref])[0] ?? null, sqlType: keyOf(target).sqlType });
    const columns = JSON.stringify([...values.keys()].sort());
    const ofRule = groups.get(write.rule) ?? new Map<string, Alike>();
    groups.set(write.rule, ofRule);
    const group = ofRule.get(columns) ?? { write, rows: [] };
    ofRule.set(columns, group);
    group.rows.push({ at, values });
  }
  return [...groups.values()].flatMap((ofRule) => [...ofRule.values()]);
}

/** Makes the links of new records, by one statement for each relation. */
async function link(
  transaction: WriteTransaction,
  writes: readonly RecordWrite[],
  ids: readonly string[],
): Promise<void> {
  const pairs = new Map<string, { link: WrittenLinks; own: string[]; others: unknown[] }>();
  for (const [at, { links }] of writes.entries())
    for (const one of links) {
      const known = pairs.get(one.field.name) ?? { link: one, own: [], others: [] };
      pairs.set(one.field.name, known);
      for (const other of idsOf(one.add)) {
        known.own.push(ids[at] ?? '');
        known.others.push(other);
      }
    }
  for (const { link: one, own, others } of pairs.values()) {
    const { join } = one.field;
    const schema = writes[0]?.schema;
    if (join.kind !== 'junction' || schema === undefined || own.length === 0) continue;
    const types = [keyOf(schema).sqlType, keyOf(one.target).sqlType] as const;
    await run(
      transaction,
      renderLinkPairs(join, { value: own, sqlType: types[0] }, { value: others, sqlType: types[1] }),
    );
    transaction.judge.later(one.touch, one.target, others);
  }
}

function idsOf(refs: readonly (RecordRef | null)[]): readonly unknown[] {
  return refs.flatMap((ref) => (ref?.kind === 'id' ? [ref.value] : []));
}
