import type { Place } from '../codes/fault-list.js';
import type { JsonObject, JsonValue, RenameDefinition } from '../../../kernel/schema-definition.types.js';

/** JSON types that a member can be asked to have; `any` takes every JSON value within the allowed depth. */
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

/** The members of a field. `type`, `relation` and `enums` have codes of their own where their JSON type is wrong. */
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

/** The members of a relation. `type` has a code of its own where its JSON type is wrong. */
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

/** The values of a member table that have the right JSON type; `null` counts as absent. */
export type MemberValues<T extends MemberTable> = { readonly [K in keyof T]?: KindValues[T[K] & MemberKind] };

/** One JSON object of a definition: its place, its usable values, and which members were there but unusable. */
export interface RawNode<T extends MemberTable> {
  readonly place: Place;
  readonly values: MemberValues<T>;
  /** Members that were reported already: a later stage must not call them missing. */
  readonly faulty: ReadonlySet<string>;
}

/** A schema as submitted: JSON types are right, nothing else is checked yet. */
export interface RawSchema extends RawNode<typeof SCHEMA_MEMBERS> {
  readonly fields: readonly RawField[];
  readonly indexes: readonly RawIndex[];
  readonly renames?: RenameDefinition;
}

/** A field as submitted. `'unusable'` stands for a member that is there but not of the JSON type that it needs. */
export interface RawField extends RawNode<typeof FIELD_MEMBERS> {
  /** Text as submitted, `'unusable'` was reported as `field.type.parse_error`. */
  readonly type?: string;
  /** True if a number in `default` had to be rounded when it was read. */
  readonly isDefaultRounded: boolean;
  readonly relation?: RawRelation | 'unusable';
  readonly enums?: readonly RawEnumValue[] | 'unusable';
  readonly file?: RawNode<typeof FILE_MEMBERS>;
  readonly db?: RawNode<typeof FIELD_DB_MEMBERS>;
}

export type RawRelation = RawNode<typeof RELATION_MEMBERS>;

/** An enum value as submitted; `undefined` values stand for an entry that is not an object. */
export type RawEnumValue = RawNode<typeof ENUM_MEMBERS>;

/** An index as submitted; columns that are not text were reported. */
export interface RawIndex extends RawNode<typeof INDEX_MEMBERS> {
  readonly columns: readonly string[];
}
