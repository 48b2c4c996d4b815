import { cachedBy } from '../../../kernel/cached-by.js';
import { newId } from '../../../kernel/keys/random.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import type { WrittenValue } from '../resolve/writes/write.types.js';

export function generatedValues(schema: LinkedSchema, now: Date, id = newId()): Map<string, WrittenValue> {
  const values = new Map<string, WrittenValue>();
  const key = generatedFields(schema).get('uuid');
  if (key) values.set(key.column, { value: id, sqlType: 'uuid' });
  for (const name of ['created_at', 'updated_at'] as const) {
    const field = generatedFields(schema).get(name);
    if (field) values.set(field.column, timeValue(now));
  }
  return values;
}

/** Returns the column with the time of the last change, if the schema has one. */
export function updatedAtOf(schema: LinkedSchema, now: Date): ReadonlyMap<string, WrittenValue> {
  const field = generatedFields(schema).get('updated_at');
  return new Map(field ? [[field.column, timeValue(now)]] : []);
}

/** The first field of each kind of generated value. */
const generatedFields = cachedBy((schema: LinkedSchema) => {
  const values = Object.values(schema.fields).filter((field): field is LinkedValueField => field.kind === 'value');
  return new Map(values.toReversed().map((field) => [field.generated, field]));
});

/** Writes with the same time share one value, which lets the writer recognise equal rows. */
export const timeValue = cachedBy((now: Date): WrittenValue => ({ value: now.toISOString(), sqlType: 'timestamptz' }));
