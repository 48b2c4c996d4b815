import type { FieldType } from '../data/record-schema.js';
import {
  BoolCell,
  BytesCell,
  EnumCell,
  JsonCell,
  NumberCell,
  ReferenceCell,
  TextCell,
  TimeCell,
  UuidCell,
} from './cells.js';
import { FileInput } from './file-input.js';
import {
  BOOL_FILTER,
  CHOICE_FILTER,
  KEY_FILTER,
  NUMBER_FILTER,
  PRESENCE_FILTER,
  TEXT_FILTER,
  TIME_FILTER,
  UUID_FILTER,
  INTEGER_FILTER,
} from './filters.js';
import {
  BoolInput,
  BytesInput,
  EnumInput,
  JsonInput,
  NumberInput,
  StringInput,
  TextInput,
  TimeInput,
  UuidInput,
  IntegerInput,
} from './inputs.js';
import { ReferenceInput } from './reference-input.js';
import type { FieldKind } from './field-kind.types.js';

const INTEGER: FieldKind = { Cell: NumberCell, Input: IntegerInput, filter: INTEGER_FILTER };
const FLOAT: FieldKind = { Cell: NumberCell, Input: NumberInput, filter: NUMBER_FILTER };

export const FIELD_KINDS: Readonly<Record<FieldType, FieldKind>> = {
  bool: { Cell: BoolCell, Input: BoolInput, filter: BOOL_FILTER },
  time: { Cell: TimeCell, Input: TimeInput, filter: TIME_FILTER },
  json: { Cell: JsonCell, Input: JsonInput, filter: PRESENCE_FILTER },
  uuid: { Cell: UuidCell, Input: UuidInput, filter: UUID_FILTER },
  bytes: { Cell: BytesCell, Input: BytesInput, filter: PRESENCE_FILTER },
  enum: { Cell: EnumCell, Input: EnumInput, filter: CHOICE_FILTER },
  string: { Cell: TextCell, Input: StringInput, filter: TEXT_FILTER },
  text: { Cell: TextCell, Input: TextInput, filter: TEXT_FILTER },
  int: INTEGER,
  int8: INTEGER,
  int16: INTEGER,
  int32: INTEGER,
  int64: INTEGER,
  uint: INTEGER,
  uint8: INTEGER,
  uint16: INTEGER,
  uint32: INTEGER,
  uint64: INTEGER,
  float32: FLOAT,
  float64: FLOAT,
  relation: { Cell: ReferenceCell, Input: ReferenceInput, filter: KEY_FILTER },
  file: { Cell: ReferenceCell, Input: FileInput, filter: KEY_FILTER },
};
