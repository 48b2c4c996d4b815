import { AppError } from '../../../kernel/errors/app-error.js';
import { copyRounded, isJsonObject } from '../../../kernel/text/json.js';
import { relationKeyLists, relationKeys } from '../../model/relation-keys.js';
import type { LinkedValueField } from '../../model/schema-model.types.js';
import type { SchemaContext } from '../content-context.service.js';
import { isFieldWritable, isNameable } from '../resolve/content-access.js';
import type { RecordRef, RecordWrite } from '../resolve/writes/record-write.js';
import { writeMismatch, writtenValue } from '../resolve/sql-values.js';
import { toContentFault } from '../write/content-faults.js';
import {
  inSavepoint,
  type LockedRecord,
  WriteRuleChecks,
  type WriteTransaction,
} from '../write/transaction/in-transaction.js';
import { resolveBody } from '../write/written-record.js';
import type { ImportFaults } from './rows/import-source.js';
import type { OpenedImport } from './open-import.js';

interface ImportBody {
  readonly body: unknown;
  readonly generatedValues: ReadonlyMap<LinkedValueField, unknown>;
  readonly key: unknown;
}

const NONE: ReadonlyMap<LinkedValueField, unknown> = new Map();

/** Converts exported records to write bodies: `author_id` becomes the relation `author`, and generated fields are removed. */
export class ImportBodies {
  readonly ignored = new Set<string>();
  private readonly generated: ReadonlyMap<string, LinkedValueField>;
  private readonly relations: ReadonlyMap<string, string>;

  constructor(private readonly opened: OpenedImport) {
    const { schema, snapshot, access } = opened.context;
    const filled = Object.values(schema.fields).flatMap((field) =>
      field.kind === 'value' && field.generated !== undefined && isNameable(schema, field.name, access)
        ? [[field.name, field] as const]
        : [],
    );
    const all = [...relationKeys(schema, snapshot.schemas), ...relationKeyLists(schema, snapshot.schemas)];
    const keys = all.filter(
      ({ relation, keyField }) =>
        keyField.name === snapshot.schemas[relation.target]?.primaryField &&
        opened.actions.some((action) => isFieldWritable(schema, action, relation.name, access)),
    );
    this.generated = new Map(filled);
    this.relations = new Map(keys.map(({ name, relation }) => [name, relation.name]));
  }

  read(row: unknown): ImportBody {
    if (!isJsonObject(row)) return { body: row, generatedValues: NONE, key: null };
    const key = this.opened.key?.name ?? null;
    const byKey = key === null ? null : row[key];
    const isUnchanged = Object.keys(row).every((name) => !this.generated.has(name) && !this.relations.has(name));
    if (isUnchanged) return { body: row, generatedValues: NONE, key: byKey };
    const generatedValues = new Map<LinkedValueField, unknown>();
    const entries = Object.entries(row).flatMap(([name, value]: [string, unknown]) => {
      const filled = this.generated.get(name);
      const relation = this.relations.get(name);
      if (filled !== undefined) {
        if (this.opened.query.keepsGeneratedValues) generatedValues.set(filled, value);
        else if (name !== key) this.ignored.add(name);
        return [];
      }
      if (relation !== undefined) return Object.hasOwn(row, relation) ? [] : [[relation, value] as const];
      return [[name, value] as const];
    });
    return { body: copyRounded(row, Object.fromEntries(entries)), generatedValues, key: byKey };
  }
}

export interface CreatedRecord {
  readonly row: number;
  readonly id: string;
}

export interface ImportScope {
  readonly transaction: WriteTransaction;
  readonly context: SchemaContext;
  readonly bodies: ImportBodies;
  readonly faults: ImportFaults;
  /** The field that identifies existing records; null if all records are new. */
  readonly key: LinkedValueField | null;
  readonly createsRows: boolean;
  readonly counts: { created: number; updated: number };
  /** Collects created records for a later undo; null if the import cannot be undone. */
  readonly createdRecords: CreatedRecord[] | null;
  /** Whether valid rows are written even if other rows have errors. Rows with errors are skipped completely. */
  readonly skipsFaulty: boolean;
  /** `otherValues` is true if records beyond those of the rows were created or changed. */
  readonly touched: { others: boolean };
}

export function importScope(
  opened: OpenedImport,
  transaction: WriteTransaction,
  faults: ImportFaults,
  { createdRecords = null, skipsFaulty = false }: Partial<Pick<ImportScope, 'createdRecords' | 'skipsFaulty'>> = {},
): ImportScope {
  const { context, query, key } = opened;
  const bodies = new ImportBodies(opened);
  const counts = { created: 0, updated: 0 };
  const touched = { others: false };
  const createsRows = query.mode !== 'update';
  return { transaction, context, bodies, faults, key, createsRows, counts, createdRecords, skipsFaulty, touched };
}

export interface ReadRow extends ImportBody {
  readonly row: number;
}

export interface WritableRow {
  readonly row: number;
  readonly write: RecordWrite;
}

export function asNew({ row, body, generatedValues }: ReadRow, scope: ImportScope): WritableRow | null {
  return readOrRecordError(row, scope, () => {
    const write = resolveBody(scope.context, 'create', body);
    let isFit = true;
    for (const [field, value] of generatedValues) isFit = recordCreated({ row, write }, field, value, scope) && isFit;
    if (touchesOthers(write)) scope.touched.others = true;
    return isFit ? { row, write } : null;
  });
}

/** Returns true if a new record creates other records, or takes over references of existing ones. */
function touchesOthers({ references, links }: RecordWrite): boolean {
  const isNew = (ref: RecordRef | null): boolean => ref?.kind === 'new';
  if (references.some(({ ref }) => isNew(ref))) return true;
  return links.some(({ field, add }) => add.some(isNew) || (add.length > 0 && field.join.kind === 'direct'));
}

export function asChange({ row, body }: ReadRow, locked: LockedRecord, scope: ImportScope): WritableRow | null {
  const { key, context } = scope;
  const values = Object(body) as Readonly<Record<string, unknown>>;
  const otherValues = Object.fromEntries(Object.entries(values).filter(([name]) => name !== key?.name));
  return readOrRecordError(row, scope, () => ({ row, write: resolveBody(context, 'update', otherValues, locked) }));
}

function readOrRecordError(row: number, { faults }: ImportScope, read: () => WritableRow | null): WritableRow | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    faults.addRefusal(row, error);
    return null;
  }
}

/** Writes one row in a savepoint with its own rule checks. On an error it rolls back, adds the error to `faults` and returns null. */
export async function inTurn<T>(
  transaction: WriteTransaction,
  row: number,
  faults: ImportFaults,
  write: (own: WriteTransaction) => Promise<T>,
  isDelete = false,
): Promise<T | null> {
  const { manager, context } = transaction;
  const own = { ...transaction, ruleChecks: new WriteRuleChecks(manager) };
  const work = async (): Promise<T | null> => {
    const done = await write(own);
    await own.ruleChecks.settle();
    return done;
  };
  return inSavepoint(transaction, work, (error) => {
    const fault = toContentFault(error, context, isDelete);
    // A request to sign in again is not an error of the row.
    if (!(fault instanceof AppError) || fault.status >= 500 || fault.status === 401) throw error;
    faults.addRefusal(row, fault);
    return null;
  });
}

/** Writes a value of the file to a generated field. Returns false if it does not fit. Null lets the server generate the value. */
function recordCreated(
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
