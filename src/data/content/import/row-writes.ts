import { AppError } from '../../../kernel/errors/app-error.js';
import type { LinkedValueField } from '../../model/schema-model.types.js';
import type { SchemaContext } from '../content-context.service.js';
import type { RecordRef, RecordWrite } from '../resolve/writes/write.types.js';
import { writeMismatch, writtenValue } from '../resolve/writes/written-value.js';
import { toContentFault } from '../write/content-faults.js';
import { inSavepoint } from '../write/in-transaction.js';
import { WriteJudge } from '../write/write-judge.js';
import type { LockedRecord, WriteTransaction } from '../write/write-transaction.types.js';
import { resolveBody } from '../write/written-record.js';
import type { ImportBodies, ImportBody } from './import-bodies.js';
import type { ImportFaults } from './import-faults.js';

/** A new record of a row. */
export interface MadeRecord {
  readonly row: number;
  /** Its key. */
  readonly id: string;
}

/** Services and options with which one import writes. */
export interface ImportScope {
  readonly transaction: WriteTransaction;
  readonly context: SchemaContext;
  readonly bodies: ImportBodies;
  readonly faults: ImportFaults;
  /** The field by which records are found; null if all are new. */
  readonly key: LinkedValueField | null;
  /** Whether what is not found is made. */
  readonly makes: boolean;
  readonly counts: { created: number; updated: number };
  /** List in which new records are noted, for who would take them back; null if nobody would. */
  readonly made: MadeRecord[] | null;
  /** Whether the others are kept where some rows have faults: nothing of these is written then, not even what is good of them. */
  readonly skipsFaulty: boolean;
  /** Whether other records were made or changed beside those of the rows. */
  readonly touched: { others: boolean };
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

/** Returns a row as a new record; null if something is wrong, which is noted. */
export function asNew({ row, body, kept }: ReadRow, scope: ImportScope): WritableRow | null {
  return noted(row, scope, () => {
    const write = resolveBody(scope.context, 'create', body);
    let isFit = true;
    for (const [field, value] of kept) isFit = keep({ row, write }, field, value, scope) && isFit;
    if (touchesOthers(write)) scope.touched.others = true;
    return isFit ? { row, write } : null;
  });
}

/** Returns whether a new record comes with others, or takes a reference of theirs. */
function touchesOthers({ references, links }: RecordWrite): boolean {
  const isNew = (ref: RecordRef | null): boolean => ref?.kind === 'new';
  if (references.some(({ ref }) => isNew(ref))) return true;
  return links.some(({ field, add }) => add.some(isNew) || (add.length > 0 && field.join.kind === 'direct'));
}

/** Returns a row as a change of a record; null if something is wrong, which is noted. */
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

/** Writes one row, judged by itself, and returns what that gives; where it is refused that is noted, and nothing is left of it: null. */
export async function inTurn<T>(
  transaction: WriteTransaction,
  row: number,
  faults: ImportFaults,
  write: (own: WriteTransaction) => Promise<T>,
): Promise<T | null> {
  const { manager, context } = transaction;
  const own = { ...transaction, judge: new WriteJudge(manager) };
  const work = async (): Promise<T | null> => {
    const done = await write(own);
    await own.judge.settle();
    return done;
  };
  return inSavepoint(transaction, work, (error) => {
    const fault = toContentFault(error, context, false);
    // Who it is has to be proven once more: that is no fault of a row.
    if (!(fault instanceof AppError) || fault.status >= 500 || fault.status === 401) throw error;
    faults.addRefusal(row, fault);
    return null;
  });
}

/** Has a value of the file written that the service would fill in; false if it does not fit. Nothing is filled in as ever. */
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
