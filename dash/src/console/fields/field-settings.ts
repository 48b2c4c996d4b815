import type { FieldType } from '../data/record-schema.js';
import { settings as bool } from './bool/settings.js';
import { settings as time } from './time/settings.js';
import { settings as json } from './json/settings.js';
import { settings as uuid } from './uuid/settings.js';
import { settings as bytes } from './bytes/settings.js';
import { settings as enumeration } from './enum/settings.js';
import { settings as string } from './string/settings.js';
import { settings as text } from './text/settings.js';
import { settings as int } from './int/settings.js';
import { settings as int8 } from './int8/settings.js';
import { settings as int16 } from './int16/settings.js';
import { settings as int32 } from './int32/settings.js';
import { settings as int64 } from './int64/settings.js';
import { settings as uint } from './uint/settings.js';
import { settings as uint8 } from './uint8/settings.js';
import { settings as uint16 } from './uint16/settings.js';
import { settings as uint32 } from './uint32/settings.js';
import { settings as uint64 } from './uint64/settings.js';
import { settings as float32 } from './float32/settings.js';
import { settings as float64 } from './float64/settings.js';
import { settings as relation } from './relation/settings.js';
import { settings as file } from './file/settings.js';
import type { Setting } from './shared/field-kind.types.js';

/** Settings that the definition of a field of each type may have, without the parts in which its values are shown. */
export const FIELD_SETTINGS: Readonly<Record<FieldType, readonly Setting[]>> = {
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
