import type {
  FieldDefinition,
  IndexDefinition,
  RelationDefinition,
  SchemaDefinition,
} from '../../../../src/kernel/schema-definition.types.js';
import type { SystemSchemas } from '../../../../src/kernel/system-schema.js';

/** A file of the project that is converted. */
export interface SourceFile {
  /** Path within the project, with `/`. */
  readonly name: string;
  readonly text: string;
}

/** Note on a part of the source that is not, or not quite, in the result. */
export interface Note {
  /** Path of the source file. */
  readonly file: string;
  /** JSON Pointer into it. */
  readonly pointer: string;
  readonly message: string;
}

/** Former names, as a definition says them beside itself. */
export interface ConvertedRenames {
  readonly schema?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A definition as it is submitted: that of a system schema has its name and the added fields only. */
export type ConvertedSchema = Pick<SchemaDefinition, 'name' | 'fields'> & Partial<SchemaDefinition>;

/** A permission in the form of the roles file. */
export interface ConvertedPermission {
  readonly resource: string;
  readonly value: string;
}

/** A role in the form of the roles file; it is merged. */
export interface ConvertedRole {
  readonly name: string;
  readonly description?: string;
  readonly merge: true;
  readonly permissions: readonly ConvertedPermission[];
}

/** Result of the conversion of a project. */
export interface Conversion {
  readonly schemas: readonly ConvertedSchema[];
  /** By the present name of the schema. */
  readonly renames: Readonly<Record<string, ConvertedRenames>>;
  readonly roles: readonly ConvertedRole[];
  readonly notes: readonly Note[];
}

/** Context of a conversion beside the project. */
export interface ConversionContext {
  readonly system: SystemSchemas;
  /** The project as it was converted before: what has another name by now is renamed. */
  readonly previous?: readonly SourceFile[];
}

/** Converts a project. Does no I/O, never throws, and answers the same for the same input. */
export type Converter = (files: readonly SourceFile[], context: ConversionContext) => Conversion;

/** A place in the source. */
export interface Origin {
  readonly file: string;
  readonly pointer: string;
}

/** A relation whose other side may still be missing. */
export type DraftRelation = Omit<RelationDefinition, 'field'> & { readonly field?: string };

/** A field under its name in the source; `relation.schema` and `relation.field` are names of the source, too. */
export interface DraftField extends Omit<FieldDefinition, 'relation'> {
  readonly at: Origin;
  readonly relation?: DraftRelation;
}

/** A schema under its name in the source. */
export interface DraftSchema {
  readonly at: Origin;
  readonly name: string;
  readonly namespace?: string;
  readonly labelField?: string;
  readonly primaryField?: string;
  readonly disableTimestamp?: boolean;
  /** The schema of the service that it adds fields to. */
  readonly system?: string;
  readonly fields: readonly DraftField[];
  readonly indexes?: readonly (IndexDefinition & { readonly at: Origin })[];
}

/** The names that a schema and its fields have by now, by their names in the source. */
export interface AssembledSchema {
  readonly draft: DraftSchema;
  readonly name: string;
  readonly namespace: string;
  readonly fields: ReadonlyMap<string, string>;
}
