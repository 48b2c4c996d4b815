import type { LinkedField, LinkedSchema } from './schema-model.types.js';
import { isGivenElsewhere, isWrittenSchema } from './system-writing.js';

/** What a body does with its record. */
export type WrittenMode = 'create' | 'update';

/** Whether a body may have the field at all, whoever sends it (CONTRACT §7). */
export function isWrittenBy(schema: LinkedSchema, field: LinkedField, mode: WrittenMode): boolean {
  if (!isWrittenSchema(schema) || isGivenElsewhere(schema, field)) return false;
  // A password is written and never read.
  if (field.hidden) return schema.system && schema.name === 'user' && field.name === 'password';
  if (field.kind === 'value' && field.generated !== undefined) return false;
  return mode === 'create' || !(field.immutable || field.name === schema.primaryField);
}

/** Whether a new record needs a value for the field in its body: nothing else fills it. */
export function isRequiredToCreate(field: LinkedField): boolean {
  if (field.hidden || field.optional) return false;
  if (field.kind === 'relation') return field.join.kind === 'direct' && field.join.holder === 'own';
  return field.default === undefined && field.generated === undefined && field.setter?.usesValue !== false;
}
