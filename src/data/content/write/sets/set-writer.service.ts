import { Injectable } from '@nestjs/common';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { planSet, type SetPlan } from '../../plan/plan-set.js';
import type { PlannedRecord } from '../../plan/query-plan.types.js';
import { renderAmong } from '../../render/render-write.js';
import { nestedWrites, type RecordWrite } from '../../resolve/writes/record-write.js';
import type { Condition } from '../../resolve/conditions.js';
import { attempt, type LockedRecord, run, type WriteTransaction } from '../transaction/in-transaction.js';
import { LinkWriter } from './link-writer.js';
import { lockCreates } from '../record-locking.service.js';
import { RecordChanges } from '../hooks/record-changes.service.js';
import { type SetEntry, writeRows } from './set-rows.js';

/**
 * How a set and the records that it nests are written:
 *
 * - `planned`: as a whole, one statement for each group of similar records and each relation. The caller rolls back on an error.
 * - `single`: record by record, as sets of one. An error then has the position of its record.
 * - `automatic`: planned if the result is the same, otherwise record by record.
 */
type Strategy = 'planned' | 'single' | 'automatic';

/** Writes sets of records: new ones with all nested records, or changes of locked ones. A single record is a set of one. */
@Injectable()
export class SetWriter {
  constructor(private readonly changes: RecordChanges) {}

  /**
   * Creates records of one schema and returns their keys, in order.
   *
   * @throws AppError `permission_denied` if a record does not match the rule.
   */
  async create(transaction: WriteTransaction, writes: readonly RecordWrite[]): Promise<readonly string[]> {
    await lockCreates(transaction, writes);
    const entries = writes.map((write) => ({ id: null, write }));
    return this.createAll(transaction, entries, 'automatic');
  }

  /**
   * Updates locked records of one schema.
   *
   * @param write a write of several records has only values, and their schema has no hooks, which could change records individually.
   * @throws AppError `permission_denied` if a record does not match the rule before and after the change.
   */
  async update(transaction: WriteTransaction, write: RecordWrite, records: readonly LockedRecord[]): Promise<void> {
    const entries = records.map(({ id, values }) => ({ id, before: values, write }));
    await this.write(transaction, entries, 'automatic');
  }

  /**
   * Writes changes of locked records and new records of one schema, if the result equals writing and checking them one by one. Returns their
   * keys: first of the changed records, then of the new ones. Returns null and rolls back if it does not, or on an error.
   *
   * @param reads conditions and fields that the caller reads between the writes.
   * @param first work before the writes.
   */
  async tryAll(
    transaction: WriteTransaction,
    entries: readonly SetEntry[],
    reads: { readonly conditions: readonly Condition[]; readonly record?: PlannedRecord } = { conditions: [] },
    first: (inner: WriteTransaction) => Promise<void> = async () => {},
  ): Promise<readonly string[] | null> {
    if (!isSet(entries)) return null;
    const isNew = ({ id }: SetEntry): boolean => id === null;
    const sets = [entries.filter((entry) => !isNew(entry)), entries.filter(isNew)];
    const planned = sets.flatMap((set) => {
      const plan = this.plan(transaction, set);
      return plan === null ? [] : [{ plan, set }];
    });
    const conditions = [...planned.flatMap(({ plan }) => plan.rules), ...reads.conditions];
    if (planned.length < sets.length || planned.some(({ plan }) => plan.isSeenBy(conditions, reads.record)))
      return null;
    return attempt(transaction, async (inner) => {
      await first(inner);
      const ids: string[] = [];
      for (const { plan, set } of planned) ids.push(...(await this.writePlanned(inner, plan, set)));
      await inner.ruleChecks.settle();
      return ids;
    });
  }

  /** Plans records of one schema and one mode. Returns null if they must be written one by one. Each change is of another record. */
  plan({ context }: WriteTransaction, entries: readonly SetEntry[]): SetPlan | null {
    const writes = entries.map(({ write }) => write);
    return planSet(writes, context.fields, this.changes);
  }

  /**
   * Writes a planned set and returns the keys, in order.
   *
   * @throws AppError on any error, without its position.
   */
  async writePlanned(
    transaction: WriteTransaction,
    { referred }: SetPlan,
    entries: readonly SetEntry[],
  ): Promise<readonly string[]> {
    for (const { table, key, ids, where } of referred) {
      const each = [...new Set(ids.map(String))];
      const found = await run(transaction, renderAmong(table, key, each, where));
      if (found.length < each.length) throw new AppError('reference_not_found');
    }
    return this.write(transaction, entries, 'planned');
  }

  private async createAll(
    transaction: WriteTransaction,
    entries: readonly SetEntry[],
    strategy: Strategy,
  ): Promise<readonly string[]> {
    if (strategy === 'planned') return this.write(transaction, entries, strategy);
    const plan = strategy === 'automatic' && isSet(entries) ? this.plan(transaction, entries) : null;
    const written = plan && (await attempt(transaction, (inner) => this.writePlanned(inner, plan, entries)));
    if (written !== null) return written;
    const ids: string[] = [];
    for (const entry of entries)
      ids.push(...(await this.write(transaction, [entry], plan === null ? strategy : 'single')));
    return ids;
  }

  private async write(
    transaction: WriteTransaction,
    entries: readonly SetEntry[],
    strategy: Strategy,
  ): Promise<readonly string[]> {
    const [first] = entries;
    if (first === undefined) return [];
    const { schema } = first.write;
    const { ruleChecks } = transaction;
    const operation = first.id === null ? 'create' : 'update';
    const isPlanned = strategy === 'planned';
    const create = (nested: readonly SetEntry[]) => this.createAll(transaction, nested, strategy);
    const links = new LinkWriter({ transaction, changes: this.changes, isPlanned, create });
    if (first.id !== null)
      for (const rule of new Set(entries.map(({ write }) => write.rule))) {
        const ids = entries.flatMap(({ id, write }) => (write.rule === rule ? (id ?? []) : []));
        await ruleChecks.now(rule, schema, ids);
      }
    return this.changes.withHooks(transaction, { schema, operation, records: () => entries }, async () => {
      const columns = await links.references(schema, entries);
      const ids = await writeRows(transaction, schema, entries, columns, isPlanned);
      await links.links(schema, entries, ids);
      for (const [at, { write }] of entries.entries()) ruleChecks.later(write.rule, schema, [ids[at]]);
      return ids;
    });
  }
}

/** Returns true if there are several records, nested ones included. */
function isSet(entries: readonly SetEntry[]): boolean {
  return entries.length > 1 || entries.some(({ write }) => nestedWrites(write).length > 0);
}
