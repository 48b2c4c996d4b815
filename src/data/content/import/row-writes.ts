import { AppError } from '../../../kernel/app-error.js';
import type { LinkedValueField } from '../../model/schema-model.types.js';
import type { SchemaContext } from '../content-context.service.js';
import type { RecordWrite } from '../resolve/write.types.js';
import { writeMismatch, writtenValue } from '../resolve/written-value.js';
import { toContentFault } from '../write/content-faults.js';
import { inSavepoint } from '../write/in-transaction.js';
import { WriteJudge } from '../write/write-judge.js';
import type { LockedRecord, WriteTransaction } from '../write/write-transaction.types.js';
import { resolveBody } from '../write/written-record.js';
import type { ImportBodies, ImportBody } from './import-bodies.js';
import type { ImportFaults } from './import-faults.js';

/** What one import writes with. */
export interface ImportScope {
  readonly transaction: WriteTransaction;
  readonly context: SchemaContext;
  readonly bodies: ImportBodies;
  readonly faults: ImportFaults;
  /** The field by which records are found; null where all are new. */
  readonly key: LinkedValueField | null;
  /** Whether what is not found is made. */
  readonly makes: boolean;
  readonly counts: { created: number; updated: number };
}

/** A row with what it says. */
export interface ReadRow extends ImportBody {
  readonly row: number;
}

/** A row that is to be written. */
export interface WritableRow {
  readonly row: number;
  readonly write: RecordWrite;
}

/** A row as a new record; null where something is wrong, which is noted. */
export function asNew({ row, body, kept }: ReadRow, scope: ImportScope): WritableRow | null {
  return noted(row, scope, () => {
    const write = resolveBody(scope.context, 'create', body);
    let isFit = true;
    for (const [field, value] of kept) isFit = keep({ row, write }, field, value, scope) && isFit;
    return isFit ? { row, write } : null;
  });
}

/** A row as a change of a record; null where something is wrong, which is noted. */
export function asChange({ row, body }: ReadRow, locked: LockedRecord, scope: ImportScope): WritableRow | null {
  const { key, context } = scope;
  const values = Object(body) as Readonly<Record<string, unknown>>;
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => name !== key?.name));
  return noted(row, scope, () => ({ row, write: resolveBody(context, 'update', others, locked) }));
}

function noted(row: number, { faults }: ImportScope, read: () => WritableRow | null): WritableRow | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    faults.addRefusal(row, error);
    return null;
  }
}

/** Writes one row, judged by itself; where it is refused that is noted, and nothing is left of it. */
export async function inTurn(
  transaction: WriteTransaction,
  row: number,
  faults: ImportFaults,
  write: (own: WriteTransaction) => Promise<void>,
): Promise<void> {
  const { manager, context } = transaction;
  const own = { ...transaction, judge: new WriteJudge(manager) };
  const work = async (): Promise<void> => {
    await write(own);
    await own.judge.settle();
  };
  await inSavepoint(transaction, work, (error) => {
    const fault = toContentFault(error, context, false);
    // Who it is has to be proven once more: that is no fault of a row.
    if (!(fault instanceof AppError) || fault.status >= 500 || fault.status === 401) throw error;
    faults.addRefusal(row, fault);
  });
}

/** Has a value of the file written that the service would fill in; false where it does not fit. Nothing is filled in as ever. */
function keep(
  { row, write }: WritableRow,
  field: LinkedValueField,
  value: unknown,
  { context, faults }: ImportScope,
): boolean {
  if (value === null) return true;
  const mismatch = writeMismatch(value, field);
  if (mismatch === undefined) write.values.set(field.column, writtenValue(value, field, context.now));
  else faults.add(row, { field: field.name, code: 'value_invalid', message: mismatch });
  return mismatch === undefined;
}
