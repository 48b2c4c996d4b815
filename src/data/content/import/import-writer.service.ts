import type { LinkedSchema } from '../../model/schema-model.types.js';
import { quoteIdentifier } from '../../model/identifiers.js';
import { run, type WriteTransaction } from '../write/transaction/in-transaction.js';
import { Injectable } from '@nestjs/common';
import { Pauses } from '../../../kernel/pauses.js';
import { RecordChanges } from '../write/hooks/record-changes.service.js';
import { lockWrites } from '../write/record-locking.service.js';
import { SetWriter } from '../write/sets/set-writer.service.js';
import type { ImportRow } from './rows/import-source.js';
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

/** Writes rows of a file. Each row gets the checks, rules, setters and hooks of a single write. */
@Injectable()
export class ImportWriter {
  constructor(
    private readonly changes: RecordChanges,
    private readonly writer: SetWriter,
    private readonly upserts: ImportUpserts,
  ) {}

  /**
   * Parses rows, with pauses for other requests. Runs no queries, so it can overlap with the write of the previous rows.
   * Errors are added to `faults`.
   */
  async read(scope: ImportScope, rows: readonly ImportRow[]): Promise<ReadRows> {
    const read: ReadRow[] = [];
    const writable: WritableRow[] = [];
    const isNamed = rows.some(({ body }) => namesRecords(body));
    const pauses = new Pauses();
    for (const { row, body } of rows) {
      await pauses.afterStep();
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
    const { transaction, faults, counts, createdRecords } = scope;
    const writes = writable.map(({ write }) => write);
    await lockWrites(
      transaction,
      writes.map((write) => ({ write, ids: [] })),
    );
    const entries = writes.map((write) => ({ id: null, write }));
    const together = await this.writer.tryAll(transaction, entries);
    for (const [at, { row, write }] of writable.entries()) {
      const [id] =
        together?.slice(at, at + 1) ??
        (await inTurn(transaction, row, faults, (own) => this.writer.create(own, [write]))) ??
        [];
      if (id === undefined) continue;
      counts.created += 1;
      createdRecords?.push({ row, id });
    }
  }
}

/** Moves identity sequences beyond the written values. Sequences are not transactional and are never set back. */
export async function advanceKeys(transaction: WriteTransaction, { table, fields }: LinkedSchema): Promise<void> {
  const name = quoteIdentifier(table.name);
  for (const field of Object.values(fields)) {
    if (field.kind !== 'value' || field.generated !== 'increment') continue;
    const text = `SELECT setval(counter, most) FROM (
      SELECT pg_get_serial_sequence($1, $2)::regclass AS counter, max(${quoteIdentifier(field.column)}) AS most FROM ${name}
    ) AS found WHERE most > coalesce(pg_sequence_last_value(counter), 0)`;
    await run(transaction, { text, parameters: [name, field.column] });
  }
}
