import { fieldType } from '../../model/field-types.js';
import type { LinkedSchema, LinkedValueField } from '../../model/schema-model.types.js';
import { type SchemaContext, schemaFor } from '../content-context.service.js';
import { hasKeyAmong } from '../resolve/keys.js';
import type { ImportQuery } from '../request/parse-import-query.js';
import { QueryFaults, queryInvalid } from '../request/query-faults.js';
import { allOf, type Condition } from '../resolve/conditions.js';
import { FilterResolver } from '../resolve/resolve-filter.js';

/** Types in which each value has exactly one text form. */
const FAMILIES = new Set(['string', 'uuid', 'integer', 'enum']);

/**
 * Returns the field that identifies existing records; null if all are new.
 *
 * @throws AppError `query_invalid` for a field that is not unique, or by which the principal may not filter.
 */
export function importKey(context: SchemaContext, { mode, key }: ImportQuery): LinkedValueField | null {
  if (mode === 'create') return null;
  const { schema, limits } = context;
  const name = key ?? schema.primaryField;
  const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  if (field?.kind !== 'value' || !isDistinguishing(field, schema)) throw queryInvalid(limits, name, 'unknown_field');
  recordsOf(context, field, []);
  return field;
}

export function isDistinguishing(field: LinkedValueField, { primaryField }: LinkedSchema): boolean {
  return (field.unique || field.name === primaryField) && FAMILIES.has(fieldType(field.type).family);
}

/**
 * Returns the condition for records with these keys that may be changed. The primary key works as in a single update; another field
 * requires permission to list.
 */
export function recordsOf(context: SchemaContext, field: LinkedValueField, keys: readonly string[]): Condition {
  const { schema, fields, limits } = context;
  const mayChange = fields.visible(schema, 'update');
  if (field.name === schema.primaryField) return allOf([hasKeyAmong(schema, keys), mayChange]);
  schemaFor(context, schema.name, 'list');
  const faults = new QueryFaults(limits);
  const node = { kind: 'condition', path: [field.name], operator: 'in', values: keys } as const;
  const found = new FilterResolver(fields, faults).resolve(node, schema, 'list');
  faults.assertNone();
  return allOf([fields.visible(schema, 'list'), mayChange, found]);
}
