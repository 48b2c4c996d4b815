import type { FieldDefinition } from '../../../kernel/schema-definition.types.js';
import { automaticFields } from '../validate/check-key-fields.js';
import { isCountable } from '../validate/check-field-options.js';
import type { CheckedSchema } from '../validate/checked-schema.js';

/** Returns the fields in column order: `id`, declared, hidden, timestamps. Without back references of files. */
export function allFields(schema: CheckedSchema): ReadonlyMap<string, FieldDefinition> {
  const known = KNOWN.get(schema) ?? gather(schema);
  KNOWN.set(schema, known);
  return known;
}

const KNOWN = new WeakMap<CheckedSchema, ReadonlyMap<string, FieldDefinition>>();

function gather(schema: CheckedSchema): ReadonlyMap<string, FieldDefinition> {
  const { definition, fields, system } = schema;
  const automatic = automaticFields({
    system: system !== undefined,
    primaryField: definition.primary_field,
    timestamps: !definition.disable_timestamp,
    declared: new Set(fields.keys()),
  });
  const declared = [...fields.values()].map((field) => field.definition);
  const ordered = [...automatic.before, ...declared, ...(system?.hidden ?? []), ...automatic.after];
  return new Map(ordered.map((field) => [field.name, field]));
}

export function primaryFieldName(schema: CheckedSchema): string {
  return schema.definition.primary_field ?? 'id';
}

/** Returns true for a built-in field of a system schema, whose column is created by migrations. */
export function isSystemField(schema: CheckedSchema, field: string): boolean {
  const { system } = schema;
  if (system === undefined) return false;
  return [...system.definition.fields, ...system.hidden].some((own) => own.name === field);
}

export function generatedBy(schema: CheckedSchema, field: FieldDefinition) {
  const isPrimary = field.name === primaryFieldName(schema);
  if (isPrimary && field.type === 'uuid') return 'uuid';
  if (isIdentity(schema, field)) return 'increment';
  const hasTimes = !schema.definition.disable_timestamp;
  if (!hasTimes || field.type !== 'time') return undefined;
  if (field.name === 'created_at' || field.name === 'updated_at') return field.name;
  return field.name === 'deleted_at' && deletesSoftly(schema) ? 'deleted_at' : undefined;
}

/** Returns true if records have soft deletion. System schemas define it explicitly. */
export function deletesSoftly({ system, definition }: CheckedSchema): boolean {
  return system === undefined ? !definition.disable_timestamp : system.softDelete;
}

export function isIdentity(schema: CheckedSchema, field: FieldDefinition): boolean {
  const isPrimary = field.name === primaryFieldName(schema);
  return isCountable(field.type) && (isPrimary || field.db?.increment === true);
}
