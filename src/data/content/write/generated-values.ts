import { newId } from '../../../kernel/keys/random.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import type { WrittenValue } from '../resolve/writes/write.types.js';

export function generatedValues(schema: LinkedSchema, now: Date, id = newId()): Map<string, WrittenValue> {
  const values = new Map<string, WrittenValue>();
  const key = generatedField(schema, 'uuid');
  if (key) values.set(key.column, { value: id, sqlType: 'uuid' });
  for (const name of ['created_at', 'updated_at'] as const) {
    const field = generatedField(schema, name);
    if (field) values.set(field.column, timeValue(now));
  }
  return values;
}

export function generatedField(
  schema: LinkedSchema,
  generated: NonNullable<LinkedValueField['generated']>,
): LinkedValueField | undefined {
  let known = GENERATED.get(schema);
  if (known === undefined) {
    const values = Object.values(schema.fields).filter((field): field is LinkedValueField => field.kind === 'value');
    known = new Map(values.toReversed().map((field) => [field.generated, field]));
    GENERATED.set(schema, known);
  }
  return known.get(generated);
}

const GENERATED = new WeakMap<LinkedSchema, ReadonlyMap<LinkedValueField['generated'], LinkedValueField>>();

export function timeValue(now: Date): WrittenValue {
  const known = TIMES.get(now) ?? { value: now.toISOString(), sqlType: 'timestamptz' };
  TIMES.set(now, known);
  return known;
}

const TIMES = new WeakMap<Date, WrittenValue>();
