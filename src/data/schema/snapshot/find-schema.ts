import { nearName } from '../../../kernel/near-name.js';
import { makeFault, SchemaFaultError } from '../codes/schema-fault.js';
import type { LinkedField, LinkedSchema } from '../../model/schema-model.types.js';
import { listed } from '../validate/check-key-fields.js';
import type { SchemaSnapshot } from './schema-snapshot.types.js';

/** Returns the schema of a name or namespace, or `undefined`. */
export function findSchema(snapshot: SchemaSnapshot, name: string): LinkedSchema | undefined {
  const known = snapshot.names[name];
  return known === undefined ? undefined : snapshot.schemas[known];
}

/** Returns the schema of a name or namespace; throws `builder.schema.not_found`, which lists what there is. */
export function getSchema(snapshot: SchemaSnapshot, name: string): LinkedSchema {
  const schema = findSchema(snapshot, name);
  if (schema) return schema;
  const names = Object.keys(snapshot.schemas);
  const params = { name, available: listed(names) };
  const suggestion = nearName(name, names);
  throw new SchemaFaultError([makeFault('builder.schema.not_found', { params, suggestion })]);
}

/** Returns the field of a name in a known schema; throws `field.not_found`, which lists what there is. */
export function getField(schema: LinkedSchema, name: string): LinkedField {
  const field = schema.fields[name];
  if (field) return field;
  const names = Object.keys(schema.fields);
  const params = { name, available: listed(names) };
  const details = { schema: schema.name, field: name, params, suggestion: nearName(name, names) };
  throw new SchemaFaultError([makeFault('field.not_found', details)]);
}
