import { hasAnyRounded, parseJson, stringifyJson, isJsonObject } from '../../../kernel/text/json.js';
import type { ImportRow } from './rows/import-source.js';
import { NamedRecord, namesRecords, withKeys } from './named-records.js';
import { Injectable } from '@nestjs/common';
import { Pauses } from '../../../kernel/pauses.js';
import { quoteIdentifier } from '../../model/identifiers.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import { locksOthers } from '../plan/plan-locks.js';
import type { RecordLocks } from '../render/render-write.js';
import { readsRecord, keyText } from '../resolve/sql-values.js';
import { RecordChanges } from '../write/hooks/record-changes.service.js';
import { acquireTurns, lockCreates, lockWrites, RecordLocking } from '../write/record-locking.service.js';
import { SetWriter } from '../write/sets/set-writer.service.js';
import { type LockedRecord, run, type WriteTransaction } from '../write/transaction/in-transaction.js';
import { readBody } from '../write/written-record.js';
import { recordsOf } from './open-import.js';
import { asChange, asNew, type ImportScope, inTurn, type ReadRow, type WritableRow } from './row-writes.js';

export interface StagedRow extends ImportRow {
  /** Whether a cell could not be parsed. The row is checked for further errors, but not written. */
  readonly isFaulty: boolean;
}

/** `named` lists the relations that reference a record by a unique field. */
type Entry = readonly [row: number, isFaulty: 0 | 1, body?: unknown, named?: readonly string[]];

/** Prefix of a text without rounded numbers. It can be parsed with `JSON.parse`. */
const PLAIN = ' ';

/**
 * Serializes rows for {@link unstaged}. Numbers keep their original text.
 *
 * @param faulty positions of the rows with parse errors.
 */
export function staged(rows: readonly ImportRow[], faulty: ReadonlySet<number>): string {
  const entries = rows.map((row) => entryOf(row, faulty.has(row.row) ? 1 : 0));
  return hasAnyRounded(entries) ? stringifyJson(entries) : PLAIN + JSON.stringify(entries);
}

function entryOf({ row, body }: ImportRow, isFaulty: 0 | 1): Entry {
  if (body === undefined) return [row, isFaulty];
  const named: string[] = [];
  const values = Object(body) as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(values)) if (values[name] instanceof NamedRecord) named.push(name);
  return named.length === 0 ? [row, isFaulty, body] : [row, isFaulty, body, named];
}

export function unstaged(text: string): readonly StagedRow[] {
  const entries: unknown = text.startsWith(PLAIN) ? JSON.parse(text) : parseJson(text);
  return (entries as readonly Entry[]).map(([row, isFaulty, body, named = []]) => {
    for (const name of named) {
      const bodies = body as Record<string, unknown>;
      const { by, text: value } = bodies[name] as NamedRecord;
      bodies[name] = new NamedRecord(by, value);
    }
    return { row, body, size: 0, isFaulty: isFaulty === 1 };
  });
}

/** Parsed rows. `writable` contains their writes if these can be planned without looking up other records. */
export interface ReadRows {
  readonly rows: readonly ReadRow[];
  /** Whether some rows reference records by a field other than their key. */
  readonly isNamed: boolean;
  readonly writable: readonly WritableRow[] | null;
}

interface FoundRow {
  readonly read: ReadRow;
  readonly locked: LockedRecord | null;
}

interface PlannedRow {
  readonly writable: WritableRow;
  /** Null for a new record. */
  readonly locked: LockedRecord | null;
}

/** Writes rows of a file. Each row gets the checks, rules, setters and hooks of a single write. */
@Injectable()
export class ImportWriter {
  constructor(
    private readonly changes: RecordChanges,
    private readonly writer: SetWriter,
    private readonly locking: RecordLocking,
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
    const bodies = read.map(({ body }) => ({ schema, body }));
    const request = await this.changes.prepare(context, bodies);
    const here = { ...scope, transaction: { ...scope.transaction, request } };
    if (key !== null) await this.upsert(here, key, read);
    else await this.create(here, writable ?? read.flatMap((one) => asNew(one, scope) ?? []));
  }

  private async create(scope: ImportScope, writable: readonly WritableRow[]): Promise<void> {
    const { transaction, faults, counts, createdRecords } = scope;
    const writes = writable.map(({ write }) => write);
    await lockCreates(transaction, writes);
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

  private async upsert(scope: ImportScope, key: LinkedValueField, rows: readonly ReadRow[]): Promise<void> {
    const { transaction, faults } = scope;
    const { schema } = scope.context;
    const keyed = rows.filter((one) => hasKey(scope, key, one));
    await this.lock(scope, key, keyed);
    const texts = keyed.map(({ key: value }) => keyText(value, key));
    const isDistinct = new Set(texts).size === texts.length && !texts.includes(undefined);
    if (isDistinct && !readsRecord(schema)) {
      const found = await this.find(scope, key, keyed);
      const planned = found.map((one) => planRow(scope, key, one));
      if (planned.every((one) => one !== null) && (await this.together(scope, planned))) return;
    }
    for (const one of keyed) {
      const done = await inTurn(transaction, one.row, faults, (own) =>
        this.alone({ ...scope, transaction: own }, key, one),
      );
      if (done !== null) scope.counts[done] += 1;
    }
  }

  /** Locks existing records and the records that the rows link, in one order. Without links, records are locked when they are found. */
  private async lock(scope: ImportScope, key: LinkedValueField, rows: readonly ReadRow[]): Promise<void> {
    const { schema } = scope.context;
    if (!rows.some(({ body }) => locksOthers('update', schema, body)))
      return acquireTurns(scope.transaction, {
        turns: this.locking.turnsOfMany(scope.transaction, schema, 'NO KEY UPDATE'),
      });
    const found = await this.find(scope, key, rows, null);
    const writes = found.map(({ read, locked }) => {
      const mode = locked === null ? 'create' : 'update';
      return { ids: locked === null ? [] : [locked.id], write: readBody(scope.context, mode, read.body).write };
    });
    await lockWrites(scope.transaction, writes);
  }

  /** @param strength null to read without a lock. */
  private async find(
    scope: ImportScope,
    key: LinkedValueField,
    rows: readonly ReadRow[],
    strength: RecordLocks['strength'] = 'NO KEY UPDATE',
  ): Promise<readonly FoundRow[]> {
    const { context, transaction } = scope;
    const keys = rows.flatMap(({ key: value }) => keyText(value, key) ?? []);
    const where = recordsOf(context, key, keys);
    const locked =
      keys.length === 0
        ? []
        : await this.locking.lockAll(transaction, context.schema, where, keys.length, strength, []);
    const byKey = new Map(locked.map((record) => [keyText(record.values[key.name], key), record]));
    return rows.map((read) => {
      const text = keyText(read.key, key);
      return { read, locked: text === undefined ? null : (byKey.get(text) ?? null) };
    });
  }

  /** Writes all rows in bulk if the result equals writing them one by one. Returns false if not possible or if a row fails. */
  private async together(scope: ImportScope, rows: readonly PlannedRow[]): Promise<boolean> {
    const { transaction, counts } = scope;
    const entries = rows.map(({ writable: { write }, locked }) => ({ id: locked?.id ?? null, write }));
    if ((await this.writer.tryAll(transaction, entries)) === null) return false;
    for (const { locked } of rows) counts[locked === null ? 'created' : 'updated'] += 1;
    return true;
  }

  private async alone(scope: ImportScope, key: LinkedValueField, read: ReadRow): Promise<'created' | 'updated' | null> {
    const [found] = await this.find(scope, key, [read]);
    const planned = found === undefined ? null : planRow(scope, key, found);
    if (planned === null) return null;
    const { writable, locked } = planned;
    if (locked === null) await this.writer.create(scope.transaction, [writable.write]);
    else await this.writer.update(scope.transaction, writable.write, [locked]);
    return locked === null ? 'created' : 'updated';
  }
}

/** Returns true if the row can be looked up by key. A row without a key is new. Adds an error otherwise. */
function hasKey(
  { createsRows, faults }: ImportScope,
  key: LinkedValueField,
  { row, key: value, body }: ReadRow,
): boolean {
  const isNew = value === null || value === undefined;
  if (!isJsonObject(body)) {
    faults.addToRow(row, 'body_invalid', 'must be an object');
    return false;
  }
  if (isNew && createsRows) return true;
  if (isNew) faults.add(row, { field: key.name, code: 'required', message: 'is required' });
  else if (keyText(value, key) === undefined)
    faults.add(row, { field: key.name, code: 'value_invalid', message: 'does not fit the field' });
  else return true;
  return false;
}

function planRow(scope: ImportScope, key: LinkedValueField, { read, locked }: FoundRow): PlannedRow | null {
  const { createsRows, faults } = scope;
  const isNamed = read.key !== null && read.key !== undefined;
  // If the server generates the key, it would differ from the file. Then each import would create the record again.
  const isOther = isNamed && key.generated !== undefined && !read.generatedValues.has(key);
  if (locked === null && (!createsRows || isOther)) {
    faults.add(read.row, {
      field: key.name,
      code: 'record_not_found',
      message: 'does not match a record that you can change',
    });
    return null;
  }
  const writable = locked === null ? asNew(read, scope) : asChange(read, locked, scope);
  return writable && { writable, locked };
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
