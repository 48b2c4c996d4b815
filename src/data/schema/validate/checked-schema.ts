import type { Place } from '../codes/fault-list.js';
import type {
  FieldDefinition,
  RelationDefinition,
  RenameDefinition,
  SchemaDefinition,
} from '../../../kernel/schema-definition.types.js';
import type { SystemSchema } from '../../../kernel/system-schema.js';

/** One side of a relation as far as it could be read; members that were faulty are absent and named. */
export interface CheckedRelation {
  readonly place: Place;
  readonly values: Partial<RelationDefinition>;
  readonly faulty: ReadonlySet<string>;
}

export interface CheckedField {
  readonly place: Place;
  /** Canonical; exact where the schema is sound. */
  readonly definition: FieldDefinition;
  /** Present for relation fields whose `relation` is an object. */
  readonly relation?: CheckedRelation;
}

/** A schema checked by itself. Only a sound one has an exact definition. */
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

type NameSet = Pick<ReadonlySet<string>, 'has'> & Iterable<string>;

/** The fields of a schema of which nothing could be read, not even their number. */
export const EVERY_NAME: NameSet = { has: () => true, [Symbol.iterator]: () => [].values() };
