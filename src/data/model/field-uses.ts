import type { LinkedField, LinkedRelationField, LinkedSchema } from './schema-model.types.js';
import { fieldType } from './field-types.js';

/** Returns true if records of the schema can be written over the API at all. */
export function isWrittenSchema({ traits }: LinkedSchema): boolean {
  return traits.writtenBy !== 'service';
}

/** Returns true if the field can be written only from its other side. */
export function isInverseSide({ traits }: LinkedSchema, { name }: LinkedField): boolean {
  return traits.inverseFields.includes(name);
}

export type WrittenMode = 'create' | 'update';

/** Returns true if a body may contain the field, whatever the permissions are. */
export function isWrittenBy(schema: LinkedSchema, field: LinkedField, mode: WrittenMode): boolean {
  if (!isWrittenSchema(schema) || isInverseSide(schema, field)) return false;
  if (field.kind === 'value' && field.generated !== undefined) return false;
  return mode === 'create' || !(field.immutable || field.name === schema.primaryField);
}

/** Returns true if a create body must contain the field, because nothing else sets it. */
export function isRequiredToCreate(field: LinkedField): boolean {
  return isRequired(field) && !(field.kind === 'relation' && field.isOwnerByDefault === true);
}

/** Returns true if every record has a value of the field, and neither a default nor the server sets it. */
export function isRequired(field: LinkedField): boolean {
  if (field.hidden || field.optional) return false;
  if (field.kind === 'relation') return hasOwnKey(field);
  return field.default === undefined && field.generated === undefined && field.setter?.usesValue !== false;
}

/** Returns true if records store the foreign key of the relation themselves. */
export function hasOwnKey({ join }: LinkedRelationField): boolean {
  return join.kind === 'direct' && join.holder === 'own';
}

/** Fields with a getter are excluded, because the database does not contain the computed value. */
export function isFilterable(field: LinkedField): boolean {
  return !field.hidden && field.filterable && !isComputed(field);
}

/** Returns true if records can be sorted by the field or by a path over it. */
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
