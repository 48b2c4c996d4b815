import { Injectable } from '@nestjs/common';
import { AppError } from '../../../../kernel/errors/app-error.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import { deletionRules, isAnyInterlocked } from '../../plan/deletion-rules.js';
import {
  type DependentRow,
  renderDeleteTogether,
  renderDependents,
  renderReferenced,
  renderUnlinkAmong,
} from '../../render/render-deletion.js';
import { renderUpdate } from '../../render/render-write.js';
import type { SqlStatement } from '../../render/sql-writer.js';
import { deletedAtColumn } from '../../resolve/conditions.js';
import { keyOf, timeValue } from '../../resolve/sql-values.js';
import { run, type WriteTransaction } from '../transaction/in-transaction.js';
import { emptyWrite, type HookRun, RecordChanges } from '../hooks/record-changes.service.js';

export interface RecordGroup {
  readonly schema: LinkedSchema;
  readonly isPermanent: boolean;
  readonly ids: readonly string[];
}

export class RecordSet {
  private readonly groups = new Map<string, Omit<RecordGroup, 'ids'> & { readonly ids: Set<string> }>();

  add(schema: LinkedSchema, isPermanent: boolean, ids: readonly string[]): RecordGroup {
    const key = `${schema.name} ${isPermanent}`;
    const group = this.groups.get(key) ?? { schema, isPermanent, ids: new Set<string>() };
    this.groups.set(key, group);
    const added = ids.filter((id) => !group.ids.has(id));
    for (const id of added) group.ids.add(id);
    return { schema, isPermanent, ids: added };
  }

  has({ name }: LinkedSchema, id: string): boolean {
    return [...this.groups.values()].some(({ schema, ids }) => schema.name === name && ids.has(id));
  }

  of({ name }: LinkedSchema): readonly string[] {
    return this.all.flatMap(({ schema, ids }) => (schema.name === name ? ids : []));
  }

  drop({ name }: LinkedSchema, id: string): void {
    for (const { schema, ids } of this.groups.values()) if (schema.name === name) ids.delete(id);
  }

  get all(): readonly RecordGroup[] {
    return [...this.groups.values()].map((group) => ({ ...group, ids: [...group.ids] }));
  }
}

interface Passed {
  readonly hookRun: HookRun | null;
  readonly ids: readonly string[];
}

/**
 * Deletes records and applies `on_delete`. The server implements soft deletions itself. Permanent deletions are left to foreign keys,
 * except for records with hooks or listeners.
 */
@Injectable()
export class RecordRemover {
  constructor(private readonly changes: RecordChanges) {}

  /**
   * Deletes locked records.
   *
   * @throws AppError `record_in_use` if other records restrict the deletion.
   */
  async remove(transaction: WriteTransaction, schema: LinkedSchema, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.delete(transaction, [{ schema, isPermanent: !schema.softDelete, ids }], (groups) =>
      groups.length === 0 ? null : renderDeleteTogether(groups),
    );
  }

  /**
   * Permanently deletes locked records of several schemas, whether or not these have soft deletion.
   *
   * @param deletion renders the statement that deletes them, together with records without hooks and listeners.
   */
  async erase(
    transaction: WriteTransaction,
    roots: readonly Omit<RecordGroup, 'isPermanent'>[],
    deletion: (groups: readonly RecordGroup[]) => SqlStatement,
  ): Promise<void> {
    const groups = roots.map((root) => ({ ...root, isPermanent: true }));
    await this.delete(transaction, groups, deletion);
  }

  private async delete(
    transaction: WriteTransaction,
    roots: readonly RecordGroup[],
    deletion: (permanentGroups: readonly RecordGroup[]) => SqlStatement | null,
  ): Promise<void> {
    const { set, at } = await this.falling(transaction, roots);
    const permanentGroups = set.all.filter((group) => group.isPermanent);
    const reversible = set.all.filter((group) => !group.isPermanent);
    for (const group of reversible) await this.assertFree(transaction, group, set);
    const going = await this.runBeforeHooks(transaction, [...permanentGroups, ...reversible]);
    const released = await this.release(transaction, permanentGroups, set);
    await this.unlink(transaction, permanentGroups, set);
    const statement = deletion(permanentGroups);
    if (statement !== null) await run(transaction, statement);
    for (const group of reversible) await setDeletedAt(transaction, group, at);
    for (const { hookRun, ids } of [...going, ...released]) await this.changes.runAfter(transaction, hookRun, ids);
  }

  /** Deletes junction rows between the records, which would otherwise restrict the deletion. */
  private async unlink(transaction: WriteTransaction, groups: readonly RecordGroup[], set: RecordSet): Promise<void> {
    for (const { schema, ids } of groups)
      for (const { target, join } of deletionRules(transaction.context.snapshot, schema, this.changes).restricts) {
        const others = set.of(target);
        if (join.kind === 'junction' && others.length > 0)
          await run(transaction, renderUnlinkAmong(join, { schema, ids }, { schema: target, ids: others }));
      }
  }

  private async runBeforeHooks(
    transaction: WriteTransaction,
    groups: readonly RecordGroup[],
  ): Promise<readonly Passed[]> {
    const going: Passed[] = [];
    for (const { schema, ids } of groups) {
      const records = () => ids.map((id) => ({ id, write: emptyWrite() }));
      const hookRun = await this.changes.runBefore(transaction, { schema, operation: 'delete', records });
      going.push({ hookRun, ids });
    }
    return going;
  }

  /** Runs update hooks for records that lose a reference. The database clears the reference itself. */
  private async release(
    transaction: WriteTransaction,
    permanentGroups: readonly RecordGroup[],
    set: RecordSet,
  ): Promise<readonly Passed[]> {
    const found = new Map<LinkedSchema, Map<string, ReturnType<typeof emptyWrite>['names']>>();
    for (const { schema, ids } of permanentGroups)
      for (const dependency of deletionRules(transaction.context.snapshot, schema, this.changes).releases) {
        const { target, field } = dependency;
        if (!this.changes.hasSubscribers(target, 'update')) continue;
        const records = found.get(target) ?? new Map<string, ReadonlySet<string>>();
        found.set(target, records);
        for (const { id } of await run<DependentRow>(transaction, renderDependents(dependency, { schema, ids }, null)))
          if (!set.has(target, id)) records.set(id, new Set([...(records.get(id) ?? []), field.backField]));
      }
    const released: Passed[] = [];
    for (const [schema, names] of found) {
      const releases = [...names].map(([id, of]) => ({ id, write: emptyWrite(of) }));
      const hookRun = await this.changes.runBefore(transaction, {
        schema,
        operation: 'update',
        records: () => releases,
      });
      for (const { id, write } of releases)
        if (write.values.size > 0)
          await run(transaction, renderUpdate(schema.table.name, [{ id, values: write.values }], keyOf(schema)));
      released.push({ hookRun, ids: [...names.keys()] });
    }
    return released;
  }

  /** Returns all records to delete, and a timestamp at which no dependent record was deleted before. */
  private async falling(
    transaction: WriteTransaction,
    roots: readonly RecordGroup[],
  ): Promise<{ readonly set: RecordSet; readonly at: Date }> {
    const schemas = roots.map(({ schema }) => schema);
    const isComplete = isAnyInterlocked(transaction.context.snapshot, schemas);
    for (let at = transaction.context.now; ; at = new Date(at.getTime() + 1)) {
      const set = new RecordSet();
      const queue = roots.map(({ schema, isPermanent, ids }) => set.add(schema, isPermanent, ids));
      let isAdded = false;
      for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
        const next = await this.dependents(transaction, group, { at, set, isComplete });
        isAdded ||= next.isAdded;
        queue.push(...next.groups);
      }
      // Records deleted together share a timestamp and are restored by it, so the timestamp must be unused.
      if (!isAdded) return { set, at };
    }
  }

  /**
   * Returns the records deleted along with a group. `isAdded` is true if the timestamp is already used by one of them. Permanent cascades
   * are left to the database, unless a hook listens or the whole set must be known.
   */
  private async dependents(
    transaction: WriteTransaction,
    group: RecordGroup,
    { at, set, isComplete }: { readonly at: Date; readonly set: RecordSet; readonly isComplete: boolean },
  ): Promise<{ readonly groups: readonly RecordGroup[]; readonly isAdded: boolean }> {
    const { snapshot } = transaction.context;
    const groups: RecordGroup[] = [];
    let isAdded = false;
    for (const dependency of deletionRules(snapshot, group.schema, this.changes).cascades) {
      const { target } = dependency;
      if (group.isPermanent && !isComplete && !deletionRules(snapshot, target, this.changes).reachesSubscribers)
        continue;
      const isPermanent = group.isPermanent || !target.softDelete;
      const statement = renderDependents(dependency, group, isPermanent ? null : at);
      const rows = await run<DependentRow>(transaction, statement);
      isAdded ||= !isPermanent && rows.some(({ gone }) => gone);
      const ids = rows.map(({ id }) => id);
      const found = set.add(target, isPermanent, ids);
      if (found.ids.length > 0) groups.push(found);
    }
    return { groups, isAdded };
  }

  private async assertFree(transaction: WriteTransaction, group: RecordGroup, set: RecordSet): Promise<void> {
    for (const dependency of deletionRules(transaction.context.snapshot, group.schema, this.changes).restricts) {
      const statement = renderReferenced(dependency, group, set.of(dependency.target));
      if ((await run(transaction, statement)).length > 0) throw new AppError('record_in_use');
    }
  }
}

export async function setDeletedAt(
  transaction: WriteTransaction,
  { schema, ids }: RecordGroup,
  at: Date | null,
): Promise<void> {
  const column = deletedAtColumn(schema);
  if (column === null) return;
  const values = new Map([[column, at === null ? { value: null, sqlType: 'timestamptz' } : timeValue(at)]]);
  const [first, ...others] = ids.map((id) => ({ id, values }));
  if (first !== undefined) await run(transaction, renderUpdate(schema.table.name, [first, ...others], keyOf(schema)));
}
