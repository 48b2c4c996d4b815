import type { FieldType } from '../../kernel/schema-definition.types.js';

export type TypeFamily =
  | 'boolean'
  | 'time'
  | 'json'
  | 'uuid'
  | 'bytes'
  | 'enum'
  | 'string'
  | 'integer'
  | 'float'
  | 'relation'
  | 'file';

export interface FieldTypeRow {
  readonly family: TypeFamily;
  /** PostgreSQL type of the column; empty for types without a column. `varchar` takes the size. */
  readonly sql: string;
  readonly cel: string;
  /** Bounds of an integer, both inclusive. */
  readonly range?: readonly [min: bigint, max: bigint];
  /** True if the SQL type is wider than the range, so that the column needs a check. */
  readonly checked?: boolean;
  /** May be a primary key, and so the target of a foreign key. */
  readonly key?: boolean;
  /** May be indexed, sorted by and unique. */
  readonly indexed?: boolean;
  /** Accepted aliases. Responses contain the canonical name. */
  readonly aliases?: readonly string[];
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const signed = (bits: bigint): readonly [bigint, bigint] => [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
const unsigned = (bits: bigint): readonly [bigint, bigint] => [0n, 2n ** bits - 1n];
const integer = { family: 'integer', cel: 'int', key: true, indexed: true } as const;

/** Field types. `int` and `uint` have the exact range of JSON numbers (2^53 − 1). */
export const FIELD_TYPES = {
  bool: { family: 'boolean', sql: 'boolean', cel: 'bool', indexed: true, aliases: ['boolean'] },
  time: {
    family: 'time',
    sql: 'timestamptz(3)',
    cel: 'google.protobuf.Timestamp',
    indexed: true,
    aliases: ['datetime', 'timestamp', 'date'],
  },
  json: { family: 'json', sql: 'jsonb', cel: 'dyn', aliases: ['object', 'array'] },
  uuid: { family: 'uuid', sql: 'uuid', cel: 'string', key: true, indexed: true },
  bytes: { family: 'bytes', sql: 'bytea', cel: 'bytes' },
  enum: { family: 'enum', sql: 'text', cel: 'string', indexed: true },
  string: { family: 'string', sql: 'varchar', cel: 'string', key: true, indexed: true, aliases: ['varchar'] },
  text: { family: 'string', sql: 'text', cel: 'string', aliases: ['longtext'] },
  int: { ...integer, sql: 'bigint', range: [-SAFE, SAFE], checked: true, aliases: ['integer'] },
  int8: { ...integer, sql: 'smallint', range: signed(8n), checked: true },
  int16: { ...integer, sql: 'smallint', range: signed(16n) },
  int32: { ...integer, sql: 'integer', range: signed(32n) },
  int64: { ...integer, sql: 'bigint', range: signed(64n) },
  uint: { ...integer, sql: 'bigint', range: [0n, SAFE], checked: true },
  uint8: { ...integer, sql: 'smallint', range: unsigned(8n), checked: true },
  uint16: { ...integer, sql: 'integer', range: unsigned(16n), checked: true },
  uint32: { ...integer, sql: 'bigint', range: unsigned(32n), checked: true },
  uint64: { ...integer, sql: 'numeric(20,0)', range: unsigned(64n), checked: true },
  float32: { family: 'float', sql: 'real', cel: 'double', indexed: true },
  float64: {
    family: 'float',
    sql: 'double precision',
    cel: 'double',
    indexed: true,
    aliases: ['number', 'float', 'double'],
  },
  relation: { family: 'relation', sql: '', cel: 'dyn' },
  file: { family: 'file', sql: '', cel: 'dyn' },
} as const satisfies Record<FieldType, FieldTypeRow>;

export const FIELD_TYPE_NAMES = Object.keys(FIELD_TYPES) as readonly FieldType[];

const CANONICAL = new Map<string, FieldType>(
  FIELD_TYPE_NAMES.flatMap((type) => [type, ...(fieldType(type).aliases ?? [])].map((name) => [name, type] as const)),
);

export function fieldType(type: FieldType): FieldTypeRow {
  return FIELD_TYPES[type];
}

/** Returns the canonical type of a name or alias; undefined if it is unknown. */
export function canonicalType(name: string): FieldType | undefined {
  return CANONICAL.get(name);
}

export function typeNames(): readonly string[] {
  return [...CANONICAL.keys()];
}

/** Identity columns must have an integer type of the database. `uint64` exceeds these. */
export function isCountable(type: FieldType): boolean {
  return fieldType(type).family === 'integer' && type !== 'uint64';
}
