import type { Place } from '../codes/fault-list.js';
import type {
  FieldDefinition,
  RelationDefinition,
  RenameDefinition,
  SchemaDefinition,
} from '../../../kernel/schema-definition.types.js';
import type { SystemSchema } from '../../../kernel/system-schema.js';
import type { NameSet } from './check-names.js';

/** One side of a relation as far as it could be read; members that were faulty are absent and named. */
export interface CheckedRelation {
  readonly place: Place;
  readonly values: Partial<RelationDefinition>;
  readonly faulty: ReadonlySet<string>;
}

/** A field that can be judged further. */
export interface CheckedField {
  readonly place: Place;
  /** Canonical; exact where the schema is sound. */
  readonly definition: FieldDefinition;
  /** Present for relation fields whose `relation` is an object. */
  readonly relation?: CheckedRelation;
}

/** A schema judged by itself. Only a sound one has an exact definition. */
export interface CheckedSchema {
  readonly place: Place;
  /** Canonical; `name`, `namespace` and `label_field` are empty if they were unusable. */
  readonly definition: SchemaDefinition;
  readonly fields: ReadonlyMap<string, CheckedField>;
  /** Names of fields that are there but could not be read: nothing may call them missing. */
  readonly invalid: NameSet;
  readonly system?: SystemSchema;
  readonly renames?: RenameDefinition;
}
