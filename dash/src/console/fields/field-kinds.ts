import type { FieldType } from '../data/record-schema.js';
import * as bool from './bool/index.js';
import * as time from './time/index.js';
import * as json from './json/index.js';
import * as uuid from './uuid/index.js';
import * as bytes from './bytes/index.js';
import * as enumeration from './enum/index.js';
import * as string from './string/index.js';
import * as text from './text/index.js';
import * as int from './int/index.js';
import * as int8 from './int8/index.js';
import * as int16 from './int16/index.js';
import * as int32 from './int32/index.js';
import * as int64 from './int64/index.js';
import * as uint from './uint/index.js';
import * as uint8 from './uint8/index.js';
import * as uint16 from './uint16/index.js';
import * as uint32 from './uint32/index.js';
import * as uint64 from './uint64/index.js';
import * as float32 from './float32/index.js';
import * as float64 from './float64/index.js';
import * as relation from './relation/index.js';
import * as file from './file/index.js';
import type { FieldKind } from './shared/field-kind.types.js';

/** Ways in which fields of each type are shown, written, filtered by and defined: one folder a type. */
export const FIELD_KINDS: Readonly<Record<FieldType, FieldKind>> = {
  bool,
  time,
  json,
  uuid,
  bytes,
  enum: enumeration,
  string,
  text,
  int,
  int8,
  int16,
  int32,
  int64,
  uint,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  relation,
  file,
};
