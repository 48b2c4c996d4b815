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
    const { context, bodies, key, faults, skipsFaulty } = scope;
    const { schema } = context;
    const own = rows.flatMap(({ row, body }) => (body === undefined ? [] : [{ row, ...bodies.read(body) }]));
    const named = await withKeys(scope, own);
    const read = skipsFaulty ? named.filter(({ row }) => !faults.has(row)) : named;
    const request = await this.changes.prepare(
      context,
      read.map(({ body }) => ({ schema, body })),
    );
    const here = { ...scope, transaction: { ...scope.transaction, request } };
    if (key === null) await this.create(here, read);
    else await this.upserts.write(here, key, read);
  }

  private async create(scope: ImportScope, rows: readonly ReadRow[]): Promise<void> {
    const { transaction, faults, counts, made } = scope;
    const writable = rows.flatMap((one) => asNew(one, scope) ?? []);
    const writes = writable.map(({ write }) => write);
    const together = await this.together(transaction, writes);
    for (const [at, { row, write }] of writable.entries()) {
      const [id] =
        together?.slice(at, at + 1) ??
        (await inTurn(transaction, row, faults, (own) => this.writer.create(own, [write]))) ??
        [];
      if (id === undefined) continue;
      counts.created += 1;
      made?.push({ row, id });
    }
  }

  /** Makes records at once where that comes to the same as one by one, and returns their keys; null where it may not, and where one is refused. */
  private async together(
    transaction: WriteTransaction,
    writes: Parameters<RecordLists['create']>[2],
  ): Promise<readonly string[] | null> {
    const plan = this.lists.plan(transaction, writes);
    if (plan === null || plan.isSeenBy(plan.rules)) return null;
    return attempt(transaction, async (inner) => {
      const ids = await this.lists.create(inner, plan, writes);
      await inner.judge.settle();
      return ids;
    });
  }
}
