import { fieldType } from '../../../../src/data/model/field-types.js';
import type { DraftField } from './conversion.types.js';
import type { Notes } from './notes.js';

/** Converts a field to a primary key and drops unsupported options. Returns undefined if the type is not supported for keys. */
export function keyField(field: DraftField, notes: Notes): DraftField | undefined {
  if (fieldType(field.type).key !== true) return undefined;
  const { default: value, getter, optional, db, unique: _unique, ...rest } = field;
  if (value !== undefined || getter !== undefined || optional === true)
    notes.add(field.at, 'A primary key has no default and no getter, and is required: these were left out.');
  const isCounted = db?.increment === true && fieldType(field.type).family === 'integer';
  const isTooLarge = isCounted && field.type === 'uint64';
  if (isTooLarge) notes.add(field.at, 'A key that is counted is an int64 here.');
  return { ...rest, ...(isTooLarge ? { type: 'int64' } : {}), ...(isCounted ? { db: { increment: true } } : {}) };
}
