import type {
  FieldDefinition,
  IndexDefinition,
  RelationDefinition,
  SchemaDefinition,
} from '../../../../src/kernel/schema-definition.types.js';
import type { SystemSchemas } from '../../../../src/kernel/system-schema.js';

export interface SourceFile {
  /** Path within the project, with `/`. */
  readonly name: string;
  readonly text: string;
}

/** Note about a part of the source that was lost or changed. */
export interface Note {
  readonly file: string;
  readonly pointer: string;
  readonly message: string;
}

/** Former names, as in the `renames` of a submitted definition. */
export interface ConvertedRenames {
  readonly schema?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A definition to submit. For a system schema it contains only the name and the added fields. */
export type ConvertedSchema = Pick<SchemaDefinition, 'name' | 'fields'> & Partial<SchemaDefinition>;

export interface ConvertedPermission {
  readonly resource: string;
  readonly value: string;
}

/** A role in the format of the roles file. It is merged with an existing role. */
export interface ConvertedRole {
  readonly name: string;
  readonly description?: string;
  readonly merge: true;
  readonly permissions: readonly ConvertedPermission[];
}

export interface Conversion {
  readonly schemas: readonly ConvertedSchema[];
  /** By the current name of the schema. */
  readonly renames: Readonly<Record<string, ConvertedRenames>>;
  readonly roles: readonly ConvertedRole[];
  readonly notes: readonly Note[];
}

export interface ConversionContext {
  readonly system: SystemSchemas;
  /** Files of the previous conversion, to detect renames. */
  readonly previous?: readonly SourceFile[];
}

/** Converts a project. A pure function: no I/O, never throws. */
export type Converter = (files: readonly SourceFile[], context: ConversionContext) => Conversion;

export interface Origin {
  readonly file: string;
  readonly pointer: string;
}

/** A relation whose other side may be missing. */
export type DraftRelation = Omit<RelationDefinition, 'field'> & { readonly field?: string };

/** A field with its source name. `relation.schema` and `relation.field` are source names too. */
export interface DraftField extends Omit<FieldDefinition, 'relation'> {
  readonly at: Origin;
  readonly relation?: DraftRelation;
}

export interface DraftSchema {
  readonly at: Origin;
  readonly name: string;
  readonly namespace?: string;
  readonly labelField?: string;
  readonly primaryField?: string;
  readonly disableTimestamp?: boolean;
  /** The system schema that it extends. */
  readonly system?: string;
  readonly fields: readonly DraftField[];
  readonly indexes?: readonly (IndexDefinition & { readonly at: Origin })[];
}

/** Final names of a schema and its fields. `fields` maps source names to final names. */
export interface AssembledSchema {
  readonly draft: DraftSchema;
  readonly name: string;
  readonly namespace: string;
  readonly fields: ReadonlyMap<string, string>;
}
