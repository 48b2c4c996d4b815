export type FieldType =
  | 'bool'
  | 'time'
  | 'json'
  | 'uuid'
  | 'bytes'
  | 'enum'
  | 'string'
  | 'text'
  | 'int'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'float32'
  | 'float64'
  | 'relation'
  | 'file';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** The kinds of relation; `m2o` is accepted and returned as `o2m`. */
export type RelationType = 'o2o' | 'o2m' | 'm2m';

/** Action on a reference when the referenced record is deleted or its key changes. */
export type ReferentialAction = 'no_action' | 'restrict' | 'cascade' | 'set_null';

/** Action on records that refer to an account when the account is erased (docs/guides/data/deleting-records.md). */
export type ErasureAction = 'delete' | 'keep' | 'anonymise';

export interface SchemaDefinition {
  readonly name: string;
  readonly namespace: string;
  readonly label_field: string;
  readonly primary_field?: string;
  readonly disable_timestamp?: boolean;
  /** Whether the audit log includes its records: `true` for the names of the written fields, `values` for their values too. */
  readonly audit?: true | 'values';
  readonly fields: readonly FieldDefinition[];
  readonly db?: { readonly indexes: readonly IndexDefinition[] };
}

/** A field in canonical form. Default values (`false`, empty) are left out. */
export interface FieldDefinition {
  readonly type: FieldType;
  readonly name: string;
  readonly label?: string;
  readonly size?: number;
  readonly unique?: boolean;
  readonly optional?: boolean;
  readonly default?: JsonValue;
  readonly immutable?: boolean;
  readonly setter?: string;
  readonly getter?: string;
  /** Present only if false. Default: true. */
  readonly sortable?: false;
  /** Present only if false. Default: true. */
  readonly filterable?: false;
  readonly searchable?: boolean;
  readonly multiple?: boolean;
  readonly file?: FileFieldDefinition;
  readonly enums?: readonly EnumValueDefinition[];
  readonly relation?: RelationDefinition;
  readonly renderer?: JsonValue;
  readonly db?: FieldDatabaseDefinition;
}

export interface FileFieldDefinition {
  /** Media types, or all of a kind (`image/*`). */
  readonly types?: readonly string[];
  readonly max_size?: number;
  /** Total bytes of the files of one account in this field, over all records. */
  readonly quota?: number;
  readonly sizes?: Readonly<Record<string, ImageSize>>;
}

/** Size of an image in pixels, with at least one of both. Images are not enlarged. */
export interface ImageSize {
  readonly width?: number;
  readonly height?: number;
  /** `inside` (default) keeps the whole image; `cover` fills both and crops the rest. */
  readonly fit?: 'inside' | 'cover';
}

export interface EnumValueDefinition {
  readonly value: string;
  readonly label?: string;
}

/** One side of a relation. The side with `owner: true` has no foreign key. */
export interface RelationDefinition {
  readonly schema: string;
  readonly field: string;
  readonly type: RelationType;
  readonly owner?: boolean;
  readonly optional?: boolean;
  readonly on_delete?: ReferentialAction;
  readonly on_update?: ReferentialAction;
  /** For relations to accounts only. */
  readonly on_erase?: ErasureAction;
  /** o2o, o2m: the foreign-key column. m2m: the junction column that refers to this schema. */
  readonly source_column?: string;
  /** o2o, o2m: the referenced field. m2m: the junction column that refers to the other schema. */
  readonly target_column?: string;
  readonly junction_table?: string;
}

export interface IndexDefinition {
  readonly name?: string;
  readonly unique?: boolean;
  readonly columns: readonly string[];
}

export interface FieldDatabaseDefinition {
  readonly column?: string;
  readonly index?: boolean;
  /** Whether the database generates the values of this integer primary key. */
  readonly increment?: boolean;
}

export interface RenameDefinition {
  readonly schema?: string;
  /** New names of fields, by their former names. */
  readonly fields: ReadonlyMap<string, string>;
}
