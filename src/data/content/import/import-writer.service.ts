import { Injectable } from '@nestjs/common';
import { attempt } from '../write/in-transaction.js';
import { RecordChanges } from '../write/record-changes.service.js';
import { RecordLists } from '../write/record-lists.service.js';
import { RecordWriter } from '../write/record-writer.js';
import type { WriteTransaction } from '../write/write-transaction.types.js';
import type { ImportRow } from './import-row.types.js';
import { ImportUpserts } from './import-upserts.service.js';
import { withKeys } from './named-records.js';
import { asNew, type ImportScope, inTurn, type ReadRow } from './row-writes.js';

/** Writes rows of a file, each as a single write would: by the same checks, rules, setters and hooks. */
@Injectable()
export class ImportWriter {
  constructor(
    private readonly changes: RecordChanges,
    private readonly lists: RecordLists,
    private readonly writer: RecordWriter,
    private readonly upserts: ImportUpserts,
  ) {}

  /** Writes the records of some rows; notes those that cannot be written, of which nothing is left. */
  async write(scope: ImportScope, rows: readonly ImportRow[]): Promise<void> {
    const { context, bodies, key } = scope;
    const { schema } = context;
    const own = rows.flatMap(({ row, body }) => (body === undefined ? [] : [{ row, ...bodies.read(body) }]));
    const read = await withKeys(scope, own);
    const request = await this.changes.prepare(
      context,
      read.map(({ body }) => ({ schema, body })),
    );
    const here = { ...scope, transaction: { ...scope.transaction, request } };
    if (key === null) await this.create(here, read);
    else await this.upserts.write(here, key, read);
  }

  private async create(scope: ImportScope, rows: readonly ReadRow[]): Promise<void> {
    const { transaction, faults, counts } = scope;
    const writable = rows.flatMap((one) => asNew(one, scope) ?? []);
    counts.created += writable.length;
    const writes = writable.map(({ write }) => write);
    if (await this.together(transaction, writes)) return;
    for (const { row, write } of writable)
      await inTurn(transaction, row, faults, async (own) => void (await this.writer.create(own, [write])));
  }

  /** Makes records at once where that comes to the same as one by one; false where it may not, and where one is refused. */
  private async together(
    transaction: WriteTransaction,
    writes: Parameters<RecordLists['create']>[2],
  ): Promise<boolean> {
    const plan = this.lists.plan(transaction, writes);
    if (plan === null || plan.isSeenBy(plan.rules)) return false;
    const made = await attempt(transaction, async (inner) => {
      const ids = await this.lists.create(inner, plan, writes);
      await inner.judge.settle();
      return ids;
    });
    return made !== null;
  }
}
