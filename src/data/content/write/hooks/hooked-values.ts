import { memoize } from '../../../../kernel/memoize.js';
import { isReservedKey } from '../../../model/identifiers.js';
import type { RecordOperation } from '../../../../identity/records/record-event.types.js';
import type { LinkedRelationField, LinkedSchema } from '../../../model/schema-model.types.js';
import type { WriteFaults } from '../../resolve/writes/write-faults.js';
import type { RecordWrite } from '../../resolve/writes/record-write.js';
import { writeMismatch, writtenValue } from '../../resolve/sql-values.js';
import type { ContentContext } from '../../content-context.service.js';

type HookedWrite = Pick<RecordWrite, 'values' | 'inputValues' | 'hidden'>;

export interface HookedValues {
  readonly schema: LinkedSchema;
  readonly operation: RecordOperation;
  readonly write: HookedWrite;
  readonly values: Readonly<Record<string, unknown>>;
  readonly now: Date;
}

/** Returns the given values by field name, as JSON. Hooks may change them. */
export function valuesOf({ inputValues }: HookedWrite): Record<string, unknown> {
  return Object.fromEntries([...inputValues].map(([{ name }, value]) => [name, value]));
}

/** Applies values changed by hooks. Invalid values are reported like those of a client. */
export function applyValues({ schema, operation, write, values, now }: HookedValues, faults: WriteFaults): void {
  const inputNames = new Set([...write.inputValues.keys()].map(({ name }) => name));
  for (const field of write.inputValues.keys())
    if (!Object.hasOwn(values, field.name)) write.values.delete(field.column);
  for (const [name, value] of Object.entries(values)) {
    const field = schema.fields[name];
    if (field?.kind !== 'value' || field.hidden) faults.add(name, 'unknown_field');
    else if (!inputNames.has(name) && field.generated !== undefined) faults.add(name, 'read_only');
    else if (!inputNames.has(name) && operation !== 'create' && (field.immutable || name === schema.primaryField))
      faults.add(name, 'immutable');
    else {
      const mismatch = writeMismatch(value, field);
      if (mismatch !== undefined) faults.add(name, 'value_invalid', mismatch);
      else if (isReservedKey(value, field, schema)) faults.add(name, 'value_reserved');
      else write.values.set(field.column, writtenValue(value, field, now));
    }
  }
}

/** Like {@link applyValues} for write-only fields and for internal columns without a field. */
export function applyHidden({ schema, write, values, now }: HookedValues, faults: WriteFaults): void {
  for (const [name, value] of Object.entries(values)) {
    const field = schema.fields[name];
    const sqlType = schema.traits.internalColumns[name];
    if (field?.kind === 'value' && field.hidden) {
      const mismatch = writeMismatch(value, field);
      if (mismatch !== undefined) faults.add(name, 'value_invalid', mismatch);
      else write.values.set(field.column, writtenValue(value, field, now));
    } else if (sqlType !== undefined) write.values.set(name, { value, sqlType });
    else faults.add(name, 'unknown_field');
  }
}

export interface WrittenBody {
  readonly schema: LinkedSchema;
  readonly body: unknown;
}

interface BodyOfRecord extends WrittenBody {
  readonly body: Readonly<Record<string, unknown>>;
}

const relationsOf = memoize((schema: LinkedSchema) =>
  Object.values(schema.fields).filter((field): field is LinkedRelationField => field.kind === 'relation'),
);

export function writtenBodies(
  { snapshot, limits }: ContentContext,
  bodies: readonly WrittenBody[],
): readonly BodyOfRecord[] {
  return bodies.flatMap(({ schema, body }) => {
    const entries: unknown[] = Array.isArray(body) ? body.slice(0, limits.bulkRecords) : [body];
    return entries.flatMap((entry) => {
      const found: BodyOfRecord[] = [];
      const queue: WrittenBody[] = [{ schema, body: entry }];
      for (let at = 0; at < queue.length && at < limits.nestedRecords; at += 1) {
        const { schema: own, body: one } = queue[at] ?? { schema, body: null };
        if (typeof one !== 'object' || one === null) continue;
        const record = one as BodyOfRecord['body'];
        found.push({ schema: own, body: record });
        for (const { name, target } of relationsOf(own)) {
          const schema = Object.hasOwn(record, name) ? snapshot.schemas[target] : undefined;
          if (schema === undefined) continue;
          const remaining = limits.nestedRecords - queue.length;
          for (const inner of nested(record[name]).slice(0, Math.max(0, remaining)))
            queue.push({ schema, body: inner });
        }
      }
      return found;
    });
  });
}

function nested(value: unknown): readonly object[] {
  const isRecord = (entry: unknown): entry is object => typeof entry === 'object' && entry !== null;
  if (Array.isArray(value)) return value.filter(isRecord);
  if (!isRecord(value)) return [];
  const { $add, $set } = value as { readonly $add?: unknown; readonly $set?: unknown };
  return [value, ...[$add, $set].flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []))];
}
