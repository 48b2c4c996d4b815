import type { Place } from '../codes/fault-list.js';
import type { JsonObject, JsonValue, RenameDefinition } from '../../../kernel/schema-definition.types.js';
import type {
  ENUM_MEMBERS,
  FIELD_DB_MEMBERS,
  FIELD_MEMBERS,
  FILE_MEMBERS,
  INDEX_MEMBERS,
  MemberKind,
  MemberTable,
  RELATION_MEMBERS,
  SCHEMA_MEMBERS,
} from './definition-members.js';

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

/** A schema as submitted: JSON types are right, nothing else is judged yet. */
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

/** A relation as submitted. */
export type RawRelation = RawNode<typeof RELATION_MEMBERS>;

/** An enum value as submitted; `undefined` values stand for an entry that is not an object. */
export type RawEnumValue = RawNode<typeof ENUM_MEMBERS>;

/** An index as submitted; columns that are not text were reported. */
export interface RawIndex extends RawNode<typeof INDEX_MEMBERS> {
  readonly columns: readonly string[];
}
