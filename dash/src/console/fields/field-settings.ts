import type { FieldType } from '../data/record-schema.js';
import type { Setting } from './field-kind.types.js';

const ANY: readonly Setting[] = ['optional', 'default', 'immutable', 'setter', 'getter', 'filterable'];

const ORDERED_SETTINGS: readonly Setting[] = [...ANY, 'unique', 'sortable'];
const STRING_SETTINGS: readonly Setting[] = [...ORDERED_SETTINGS, 'size', 'searchable'];
const TEXT_SETTINGS: readonly Setting[] = [...ANY, 'size', 'sortable', 'searchable'];
const BYTES_SETTINGS: readonly Setting[] = [...ANY, 'size'];
const ENUM_SETTINGS: readonly Setting[] = [...ORDERED_SETTINGS, 'enums'];
const PLAIN_SETTINGS: readonly Setting[] = ANY;
const RELATION_SETTINGS: readonly Setting[] = ['optional', 'default', 'immutable', 'filterable', 'relation'];
const FILE_SETTINGS: readonly Setting[] = ['optional', 'immutable', 'filterable', 'multiple', 'file'];

/** Settings that a field definition of each type can have. Separate from `FIELD_KINDS`, so that the model page does not load the inputs. */
export const FIELD_SETTINGS: Readonly<Record<FieldType, readonly Setting[]>> = {
  bool: ORDERED_SETTINGS,
  time: ORDERED_SETTINGS,
  json: PLAIN_SETTINGS,
  uuid: ORDERED_SETTINGS,
  bytes: BYTES_SETTINGS,
  enum: ENUM_SETTINGS,
  string: STRING_SETTINGS,
  text: TEXT_SETTINGS,
  int: ORDERED_SETTINGS,
  int8: ORDERED_SETTINGS,
  int16: ORDERED_SETTINGS,
  int32: ORDERED_SETTINGS,
  int64: ORDERED_SETTINGS,
  uint: ORDERED_SETTINGS,
  uint8: ORDERED_SETTINGS,
  uint16: ORDERED_SETTINGS,
  uint32: ORDERED_SETTINGS,
  uint64: ORDERED_SETTINGS,
  float32: ORDERED_SETTINGS,
  float64: ORDERED_SETTINGS,
  relation: RELATION_SETTINGS,
  file: FILE_SETTINGS,
};
