import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal, RequestOrigin } from '../../../kernel/principal.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { Foreground } from '../../../platform/http/server/foreground.service.js';
import { ContentContexts } from '../content-context.service.js';
import { allOf } from '../resolve/conditions.js';
import { hasKeyAmong } from '../resolve/sql-values.js';
import { attempt, inTransaction, run, type WriteTransaction } from '../write/transaction/in-transaction.js';
import { deletionRules } from '../plan/deletion-rules.js';
import { renderReferenced } from '../render/render-deletion.js';
import { RecordChanges } from '../write/hooks/record-changes.service.js';
import { RecordLocking } from '../write/record-locking.service.js';
import { RecordRemover } from '../write/deletion/record-remover.service.js';
import { ImportFaults, type RowFault } from './rows/import-source.js';
import type { StampedRecord } from './import-steps.service.js';
import { inTurn } from './row-writes.js';

export interface UndoRequest {
  readonly principal: Principal;
  readonly origin?: RequestOrigin;
  readonly schema: string;
}

export interface UndoneRecords {
  readonly removed: number;
  readonly faults: readonly RowFault[];
}

/** Deletes records that an import created, unless they were changed since. Each is deleted like a single record. */
@Injectable()
export class ImportUndo {
  constructor(
    private readonly contexts: ContentContexts,
    private readonly changes: ChangeNotifier,
    private readonly locking: RecordLocking,
    private readonly remover: RecordRemover,
    private readonly recordChanges: RecordChanges,
    private readonly foreground: Foreground,
  ) {}

  /**
   * Deletes records in one transaction, together with other work.
   *
   * @throws AppError errors of a delete if the principal may delete no records.
   */
  async run<T>(
    { principal, origin, schema }: UndoRequest,
    work: (manager: EntityManager, remove: (records: readonly StampedRecord[]) => Promise<UndoneRecords>) => Promise<T>,
  ): Promise<T> {
    return this.contexts.retryOnSchemaChange(async () => {
      const context = { ...(await this.contexts.openSchema(principal, schema, 'delete')), origin };
      const pace = this.foreground.pace();
      return inTransaction(this.changes, context, { isDelete: true, request: {} }, (transaction) =>
        work(transaction.manager, async (records) => {
          const undone = await this.remove({ ...transaction, context }, context.schema.name, records);
          await pace();
          return undone;
        }),
      );
    });
  }

  private async remove(
    transaction: WriteTransaction,
    name: string,
    records: readonly StampedRecord[],
  ): Promise<UndoneRecords> {
    const { snapshot, fields } = transaction.context;
    const schema = snapshot.schemas[name];
    if (schema === undefined) throw new TypeError(`The schema ${name} does not exist.`);
    const faults = new ImportFaults(name, records.length);
    const recordIds = records.map(({ id }) => id);
    const where = allOf([hasKeyAmong(schema, recordIds), fields.visible(schema, 'delete')]);
    const locked = await this.locking.lockAll(transaction, schema, where, records.length, 'UPDATE');
    const versions = new Map(locked.map(({ id, version }) => [id, version]));
    const unchanged = records.filter(({ row, id, version }) => {
      const now = versions.get(id);
      if (now === undefined) faults.addToRow(row, 'record_not_found', 'no longer exists, or you cannot delete it');
      else if (now !== version) faults.addToRow(row, 'record_changed', 'was changed after the import');
      return now === version;
    });
    const unchangedIds = unchanged.map(({ id }) => id);
    const used = await this.usedByOthers(transaction, schema, unchangedIds);
    const removable = unchanged.filter(({ row, id }) => {
      if (used.has(id)) faults.addToRow(row, 'record_in_use', 'is referenced by other records');
      return !used.has(id);
    });
    const ids = removable.map(({ id }) => id);
    const together = await attempt(transaction, async (own) => {
      await this.remover.remove(own, schema, ids);
      return ids.length;
    });
    let removed = together ?? 0;
    if (together === null)
      for (const { row, id } of removable) {
        const remove = async (own: WriteTransaction): Promise<number> => {
          await this.remover.remove(own, schema, [id]);
          return 1;
        };
        removed += (await inTurn(transaction, row, faults, remove, true)) ?? 0;
      }
    return { removed, faults: faults.drain() };
  }

  /** Returns the records that other records refer to. Those references are newer than the import and are kept. */
  private async usedByOthers(
    transaction: WriteTransaction,
    schema: LinkedSchema,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const rules = deletionRules(transaction.context.snapshot, schema, this.recordChanges);
    const dependencies = [...rules.cascades, ...rules.releases, ...rules.restricts];
    const used = new Set<string>();
    // A kept record also keeps the records that it refers to.
    for (let found = -1; found !== used.size;) {
      found = used.size;
      const unused = ids.filter((id) => !used.has(id));
      for (const dependency of dependencies) {
        const without = dependency.target.name === schema.name ? unused : [];
        const rows = await run<{ id: string }>(
          transaction,
          renderReferenced(dependency, { schema, ids: unused }, without),
        );
        for (const { id } of rows) used.add(id);
      }
    }
    return used;
  }
}
