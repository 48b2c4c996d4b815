import { fieldType } from './field-types.js';
import type { LinkedField } from './schema-model.types.js';

/** Whether a filter may speak of the field. What a getter computes is not in the database in the form that is seen. */
export function isFilterable(field: LinkedField): boolean {
  return !field.hidden && field.filterable && !isComputed(field);
}

/** Whether records can be sorted by the field, or by what lies beyond it. */
export function isSortable(field: LinkedField): boolean {
  return !field.hidden && field.sortable && !isComputed(field) && isOrdered(field);
}

/** Whether `$search` looks into the field. */
export function isSearchable(field: LinkedField): boolean {
  return !field.hidden && field.kind === 'value' && field.searchable && field.filterable;
}

function isComputed(field: LinkedField): boolean {
  return field.kind === 'value' && field.getter !== undefined;
}

function isOrdered(field: LinkedField): boolean {
  return field.kind === 'relation' || field.type === 'text' || fieldType(field.type).indexed === true;
}
