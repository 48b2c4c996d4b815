import type { LinkedField, LinkedSchema } from './schema-model.types.js';
import { fieldType } from './field-types.js';

/** Returns whether records of the schema can be written over the API at all, by somebody. */
export function isWrittenSchema({ traits }: LinkedSchema): boolean {
  return traits.writtenBy !== 'service';
}

/** Returns whether the field is written from its other side alone. */
export function isInverseSide({ traits }: LinkedSchema, { name }: LinkedField): boolean {
  return traits.inverseFields.includes(name);
}

export type WrittenMode = 'create' | 'update';

/** Returns whether a body may have the field at all, whoever sends it (CONTRACT §7). */
export function isWrittenBy(schema: LinkedSchema, field: LinkedField, mode: WrittenMode): boolean {
  if (!isWrittenSchema(schema) || isInverseSide(schema, field)) return false;
  if (field.kind === 'value' && field.generated !== undefined) return false;
  return mode === 'create' || !(field.immutable || field.name === schema.primaryField);
}

/** Returns whether a new record needs a value for the field in its body: nothing else fills it. */
export function isRequiredToCreate(field: LinkedField): boolean {
  if (field.hidden || field.optional) return false;
  if (field.kind === 'relation')
    return field.join.kind === 'direct' && field.join.holder === 'own' && field.isOwnerByDefault !== true;
  return field.default === undefined && field.generated === undefined && field.setter?.usesValue !== false;
}

/** Returns whether a filter may speak of the field. What a getter computes is not in the database in the form that is seen. */
export function isFilterable(field: LinkedField): boolean {
  return !field.hidden && field.filterable && !isComputed(field);
}

/** Returns whether records can be sorted by the field, or by what lies beyond it. */
export function isSortable(field: LinkedField): boolean {
  return !field.hidden && field.sortable && !isComputed(field) && isOrdered(field);
}

export function isSearchable(field: LinkedField): boolean {
  return !field.hidden && field.kind === 'value' && field.searchable && field.filterable;
}

function isComputed(field: LinkedField): boolean {
  return field.kind === 'value' && field.getter !== undefined;
}

function isOrdered(field: LinkedField): boolean {
  return field.kind === 'relation' || field.type === 'text' || fieldType(field.type).indexed === true;
}
