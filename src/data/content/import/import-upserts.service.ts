import { isJsonObject } from '../../../kernel/text/json.js';
import { Injectable } from '@nestjs/common';
import type { LinkedValueField } from '../../model/schema-model.types.js';
import { readsRecord } from '../resolve/field-expressions.js';
import type { RecordLocks } from '../render/render-write.js';
import { locksOthers } from '../plan/plan-locks.js';
import { readBody } from '../write/written-record.js';
import type { LockedRecord, WriteTransaction } from '../write/transaction/in-transaction.js';
import { lockWrites, RecordLocking, acquireTurns } from '../write/record-locking.service.js';
import { SetWriter } from '../write/sets/set-writer.service.js';
import { keyText } from '../resolve/keys.js';
import { recordsOf } from './import-key.js';
import { asChange, asNew, type ImportScope, inTurn, type ReadRow, type WritableRow } from './row-writes.js';

interface FoundRow {
  readonly read: ReadRow;
  readonly locked: LockedRecord | null;
}

interface PlannedRow {
  readonly writable: WritableRow;
  /** Null for a new record. */
  readonly locked: LockedRecord | null;
}

@Injectable()
export class ImportUpserts {
  constructor(
    private readonly writer: SetWriter,
    private readonly locking: RecordLocking,
  ) {}

  async write(scope: ImportScope, key: LinkedValueField, rows: readonly ReadRow[]): Promise<void> {
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
    await this.create(scope.transaction, planned);
    return planned.locked === null ? 'created' : 'updated';
  }

  private async create(transaction: WriteTransaction, { writable: { write }, locked }: PlannedRow): Promise<void> {
    if (locked === null) await this.writer.create(transaction, [write]);
    else await this.writer.update(transaction, write, [locked]);
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
