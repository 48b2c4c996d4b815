import type { Place } from '../codes/fault-list.js';
import type {
  FieldDefinition,
  RelationDefinition,
  RenameDefinition,
  SchemaDefinition,
} from '../../../kernel/schema-definition.types.js';
import type { SystemSchema } from '../../../kernel/system-schema.js';

/** One side of a relation. Invalid members are omitted and listed in `faulty`. */
export interface CheckedRelation {
  readonly place: Place;
  readonly values: Partial<RelationDefinition>;
  readonly faulty: ReadonlySet<string>;
}

export interface CheckedField {
  readonly place: Place;
  /** Canonical. Complete only if the schema is valid. */
  readonly definition: FieldDefinition;
  /** Set for relation fields whose `relation` is an object. */
  readonly relation?: CheckedRelation;
}

/** A separately checked schema. Its definition is complete only if it is valid. */
export interface CheckedSchema {
  readonly place: Place;
  /** Canonical. `name`, `namespace` and `label_field` are empty if they were invalid. */
  readonly definition: SchemaDefinition;
  readonly fields: ReadonlyMap<string, CheckedField>;
  /** Names of invalid fields. Later stages must not report them as missing. */
  readonly invalid: NameSet;
  readonly system?: SystemSchema;
  readonly renames?: RenameDefinition;
}

type NameSet = Pick<ReadonlySet<string>, 'has'> & Iterable<string>;

/** The invalid fields of a schema whose fields are not all known. */
export const EVERY_NAME: NameSet = { has: () => true, [Symbol.iterator]: () => [].values() };
