import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { attempt } from '../write/in-transaction.js';
import { lockWrites } from '../write/lock-planned.js';
import { RecordChanges } from '../write/record-changes.service.js';
import { RecordLists } from '../write/record-lists.service.js';
import { RecordWriter } from '../write/record-writer.js';
import type { WriteTransaction } from '../write/write-transaction.types.js';
import type { ImportRow } from './rows/import-row.types.js';
import { ImportUpserts } from './import-upserts.service.js';
import { namesRecords, withKeys } from './named-records.js';
import { asNew, type ImportScope, inTurn, type ReadRow, type WritableRow } from './row-writes.js';

/** Parsed rows. `writable` contains their writes if these can be planned without looking up other records. */
export interface ReadRows {
  readonly rows: readonly ReadRow[];
  /** Whether some rows reference records by a field other than their key. */
  readonly isNamed: boolean;
  readonly writable: readonly WritableRow[] | null;
}

const READ_AT_ONCE = 10;

/** Writes rows of a file. Each row gets the checks, rules, setters and hooks of a single write. */
@Injectable()
export class ImportWriter {
  constructor(
    private readonly changes: RecordChanges,
    private readonly lists: RecordLists,
    private readonly writer: RecordWriter,
    private readonly upserts: ImportUpserts,
  ) {}

  /**
   * Parses rows, and yields to the event loop every few rows. Runs no queries, so it can overlap with the write of the previous rows.
   * Errors are added to `faults`.
   */
  async read(scope: ImportScope, rows: readonly ImportRow[]): Promise<ReadRows> {
    const read: ReadRow[] = [];
    const writable: WritableRow[] = [];
    const isNamed = rows.some(({ body }) => namesRecords(body));
    for (const [at, { row, body }] of rows.entries()) {
      if (at % READ_AT_ONCE === READ_AT_ONCE - 1) await setImmediate();
      if (body === undefined) continue;
      const one = { row, ...scope.bodies.read(body) };
      read.push(one);
      if (scope.key !== null || isNamed) continue;
      const found = asNew(one, scope);
      if (found !== null) writable.push(found);
    }
    return { rows: read, isNamed, writable: scope.key !== null || isNamed ? null : writable };
  }

  async write(scope: ImportScope, { rows, isNamed, writable }: ReadRows): Promise<void> {
    const { context, key, faults, skipsFaulty } = scope;
    const { schema } = context;
    const named = isNamed ? await withKeys(scope, rows) : rows;
    const read = skipsFaulty ? named.filter(({ row }) => !faults.has(row)) : named;
    const request = await this.changes.prepare(
      context,
      read.map(({ body }) => ({ schema, body })),
    );
    const here = { ...scope, transaction: { ...scope.transaction, request } };
    if (key !== null) await this.upserts.write(here, key, read);
    else await this.create(here, writable ?? read.flatMap((one) => asNew(one, scope) ?? []));
  }

  private async create(scope: ImportScope, writable: readonly WritableRow[]): Promise<void> {
    const { transaction, faults, counts, made } = scope;
    const writes = writable.map(({ write }) => write);
    await lockWrites(
      transaction,
      writes.map((write) => ({ write, ids: [] })),
    );
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

  /** Creates records in bulk if the result equals creating them one by one. Returns null if not possible or if a record fails. */
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
