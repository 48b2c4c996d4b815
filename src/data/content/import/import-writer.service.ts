import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import type { LinkedValueField } from '../../model/schema-model.types.js';
import type { SchemaContext } from '../content-context.service.js';
import type { RecordWrite } from '../resolve/write.types.js';
import { writeMismatch, writtenValue } from '../resolve/written-value.js';
import { toContentFault } from '../write/content-faults.js';
import { attempt, inSavepoint } from '../write/in-transaction.js';
import { RecordChanges } from '../write/record-changes.service.js';
import { RecordLists } from '../write/record-lists.service.js';
import { RecordWriter } from '../write/record-writer.js';
import { WriteJudge } from '../write/write-judge.js';
import type { WriteTransaction } from '../write/write-transaction.types.js';
import { resolveBody } from '../write/written-record.js';
import type { ImportBodies, ImportBody } from './import-bodies.js';
import type { ImportFaults } from './import-faults.js';
import type { ImportRow } from './import-row.types.js';

/** What one import writes with. */
export interface ImportScope {
  readonly transaction: WriteTransaction;
  readonly context: SchemaContext;
  readonly bodies: ImportBodies;
  readonly faults: ImportFaults;
}

/** A row that is to be written. */
interface WritableRow {
  readonly row: number;
  readonly write: RecordWrite;
}

/** Writes rows of a file, each as a single create would: by the same checks, rules, setters and hooks. */
@Injectable()
export class ImportWriter {
  constructor(
    private readonly changes: RecordChanges,
    private readonly lists: RecordLists,
    private readonly writer: RecordWriter,
  ) {}

  /** Makes the records of some rows; notes those that cannot be made, of which nothing is left. */
  async create(scope: ImportScope, rows: readonly ImportRow[]): Promise<void> {
    const { context, bodies, faults } = scope;
    const { schema } = context;
    const read = rows.flatMap(({ row, body }) => (body === undefined ? [] : [{ row, ...bodies.read(body) }]));
    const request = await this.changes.prepare(
      context,
      read.map(({ body }) => ({ schema, body })),
    );
    const writable = read.flatMap((one) => resolveRow(one, scope));
    const transaction = { ...scope.transaction, request };
    if (await this.together(transaction, writable)) return;
    for (const one of writable) await this.alone(transaction, one, faults);
  }

  /** Makes records at once where that comes to the same as one by one; false where it may not, and where one is refused. */
  private async together(transaction: WriteTransaction, rows: readonly WritableRow[]): Promise<boolean> {
    const writes = rows.map(({ write }) => write);
    const plan = this.lists.plan(transaction, writes);
    if (plan === null || plan.isSeenBy(plan.rules)) return false;
    const made = await attempt(transaction, async (inner) => {
      const ids = await this.lists.create(inner, plan, writes);
      await inner.judge.settle();
      return ids;
    });
    return made !== null;
  }

  private async alone(transaction: WriteTransaction, { row, write }: WritableRow, faults: ImportFaults): Promise<void> {
    const { manager, context } = transaction;
    const own = { ...transaction, judge: new WriteJudge(manager) };
    const make = async (): Promise<void> => {
      await this.writer.create(own, [write]);
      await own.judge.settle();
    };
    await inSavepoint(transaction, make, (error) => {
      const fault = toContentFault(error, context, false);
      if (!(fault instanceof AppError) || fault.status >= 500) throw error;
      faults.addRefusal(row, fault);
    });
  }
}

/** A row as a write; none where something is wrong, which is noted. */
function resolveRow(
  { row, body, kept }: ImportBody & { readonly row: number },
  { context, faults }: ImportScope,
): readonly WritableRow[] {
  try {
    const write = resolveBody(context, 'create', body);
    let isFit = true;
    for (const [field, value] of kept) isFit = keep({ row, write }, field, value, { context, faults }) && isFit;
    return isFit ? [{ row, write }] : [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    faults.addRefusal(row, error);
    return [];
  }
}

/** Has a value of the file written that the service would fill in; false where it does not fit. Nothing is filled in as ever. */
function keep(
  { row, write }: WritableRow,
  field: LinkedValueField,
  value: unknown,
  { context, faults }: Pick<ImportScope, 'context' | 'faults'>,
): boolean {
  if (value === null) return true;
  const mismatch = writeMismatch(value, field);
  if (mismatch === undefined) write.values.set(field.column, writtenValue(value, field, context.now));
  else faults.add(row, { field: field.name, code: 'value_invalid', message: mismatch });
  return mismatch === undefined;
}
