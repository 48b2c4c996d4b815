import { fieldType } from '../../../../src/data/model/field-types.js';
import type { DraftField } from './conversion.types.js';
import type { Notes } from './notes.js';

/** Converts a field to a primary key and drops unsupported options. Returns undefined if the type is not supported for keys. */
export function keyField(field: DraftField, notes: Notes): DraftField | undefined {
  if (fieldType(field.type).key !== true) return undefined;
  const { default: value, getter, optional, db, unique: _unique, ...rest } = field;
  if (value !== undefined || getter !== undefined || optional === true)
    notes.add(field.at, 'A primary key is required and has no default and no getter. These were skipped.');
  const isAutoIncrement = db?.increment === true && fieldType(field.type).family === 'integer';
  const isTooLarge = isAutoIncrement && field.type === 'uint64';
  if (isTooLarge) notes.add(field.at, 'An auto-increment key becomes an int64.');
  return { ...rest, ...(isTooLarge ? { type: 'int64' } : {}), ...(isAutoIncrement ? { db: { increment: true } } : {}) };
}
