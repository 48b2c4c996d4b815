import type { Place } from '../codes/fault-list.js';
import type { JsonObject, JsonValue, RenameDefinition } from '../../../kernel/schema-definition.types.js';

/** JSON types of members. `any` accepts every JSON value up to the maximum depth. */
export type MemberKind = 'text' | 'boolean' | 'number' | 'object' | 'list' | 'any';

export type MemberTable = Readonly<Record<string, MemberKind>>;

export const SCHEMA_MEMBERS = {
  name: 'text',
  label_field: 'text',
  namespace: 'text',
  primary_field: 'text',
  disable_timestamp: 'boolean',
  audit: 'any',
  fields: 'list',
  db: 'object',
  renames: 'object',
} as const satisfies MemberTable;

/** Members of a field. `type`, `relation` and `enums` have separate error codes for a wrong JSON type. */
export const FIELD_MEMBERS = {
  type: 'any',
  name: 'text',
  label: 'text',
  size: 'number',
  unique: 'boolean',
  optional: 'boolean',
  default: 'any',
  immutable: 'boolean',
  setter: 'text',
  getter: 'text',
  sortable: 'boolean',
  filterable: 'boolean',
  searchable: 'boolean',
  multiple: 'boolean',
  file: 'object',
  enums: 'any',
  relation: 'any',
  renderer: 'any',
  db: 'object',
} as const satisfies MemberTable;

export const FILE_MEMBERS = {
  types: 'list',
  max_size: 'number',
  quota: 'number',
  sizes: 'object',
} as const satisfies MemberTable;

/** Members of a relation. `type` has a separate error code for a wrong JSON type. */
export const RELATION_MEMBERS = {
  schema: 'text',
  type: 'any',
  field: 'text',
  owner: 'boolean',
  optional: 'boolean',
  on_delete: 'text',
  on_update: 'text',
  on_erase: 'text',
  source_column: 'text',
  target_column: 'text',
  junction_table: 'text',
} as const satisfies MemberTable;

export const ENUM_MEMBERS = { value: 'any', label: 'text' } as const satisfies MemberTable;

export const FIELD_DB_MEMBERS = {
  column: 'text',
  index: 'boolean',
  increment: 'boolean',
} as const satisfies MemberTable;

export const SCHEMA_DB_MEMBERS = { indexes: 'list' } as const satisfies MemberTable;

export const INDEX_MEMBERS = { name: 'text', unique: 'boolean', columns: 'list' } as const satisfies MemberTable;

export const RENAME_MEMBERS = { schema: 'text', fields: 'object' } as const satisfies MemberTable;

interface KindValues {
  text: string;
  boolean: boolean;
  number: number;
  object: JsonObject;
  list: readonly JsonValue[];
  any: JsonValue;
}

/** Members with a valid JSON type. `null` counts as missing. */
export type MemberValues<T extends MemberTable> = { readonly [K in keyof T]?: KindValues[T[K] & MemberKind] };

export interface RawNode<T extends MemberTable> {
  readonly place: Place;
  readonly values: MemberValues<T>;
  /** Members that were already reported. Later stages must not report them as missing. */
  readonly faulty: ReadonlySet<string>;
}

/** A submitted schema. Only JSON types have been checked. */
export interface RawSchema extends RawNode<typeof SCHEMA_MEMBERS> {
  readonly fields: readonly RawField[];
  readonly indexes: readonly RawIndex[];
  readonly renames?: RenameDefinition;
}

/** A submitted field. `'unusable'` marks a member with the wrong JSON type. */
export interface RawField extends RawNode<typeof FIELD_MEMBERS> {
  /** The submitted text. Any other JSON type is undefined here and was reported as `field.type.parse_error`. */
  readonly type?: string;
  /** True if a number in `default` was rounded by the parser. */
  readonly isDefaultRounded: boolean;
  readonly relation?: RawRelation | 'unusable';
  readonly enums?: readonly RawEnumValue[] | 'unusable';
  readonly file?: RawNode<typeof FILE_MEMBERS>;
  readonly db?: RawNode<typeof FIELD_DB_MEMBERS>;
}

export type RawRelation = RawNode<typeof RELATION_MEMBERS>;

/** A submitted enum value. Its values are undefined for an entry that is not an object. */
export type RawEnumValue = RawNode<typeof ENUM_MEMBERS>;

/** A submitted index. Columns that are not strings were reported. */
export interface RawIndex extends RawNode<typeof INDEX_MEMBERS> {
  readonly columns: readonly string[];
}
