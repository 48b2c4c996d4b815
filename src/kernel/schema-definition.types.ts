/** The canonical name of a field type (CONTRACT.md §6). */
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

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** The kinds of relation; `m2o` is accepted and answered as `o2m`. */
export type RelationType = 'o2o' | 'o2m' | 'm2m';

/** Names the action on a reference when the record that it leads to is deleted or its key changes. */
export type ReferentialAction = 'no_action' | 'restrict' | 'cascade' | 'set_null';

/** Names what becomes of the records that refer to an account when that is erased (docs/schemas.md). */
export type ErasureAction = 'delete' | 'keep' | 'anonymise';

/** A schema in canonical form: as it is stored, answered and exported (CONTRACT.md §6). */
export interface SchemaDefinition {
  readonly name: string;
  readonly namespace: string;
  readonly label_field: string;
  readonly primary_field?: string;
  readonly disable_timestamp?: boolean;
  /** Whether the audit log tells of its records: of the fields that are written, by their names or with their values. */
  readonly audit?: true | 'values';
  readonly fields: readonly FieldDefinition[];
  readonly db?: { readonly indexes: readonly IndexDefinition[] };
}

/** A field in canonical form; properties that say nothing (`false`, empty) are absent. */
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
  /** Present only when false: fields are sortable unless they say otherwise. */
  readonly sortable?: false;
  /** Present only when false: fields are filterable unless they say otherwise. */
  readonly filterable?: false;
  readonly searchable?: boolean;
  readonly multiple?: boolean;
  readonly file?: FileFieldDefinition;
  readonly enums?: readonly EnumValueDefinition[];
  readonly relation?: RelationDefinition;
  readonly renderer?: JsonValue;
  readonly db?: FieldDatabaseDefinition;
}

/** Files that a field takes. */
export interface FileFieldDefinition {
  /** Media types, or all of a kind (`image/*`). */
  readonly types?: readonly string[];
  /** In bytes. */
  readonly max_size?: number;
  /** Bytes that one account has in files over this field, in all records together. */
  readonly quota?: number;
  /** Sizes in which its pictures are read, by name. */
  readonly sizes?: Readonly<Record<string, PictureSize>>;
}

/** A size of pictures, at least one of both in pixels. None is made larger than it is. */
export interface PictureSize {
  readonly width?: number;
  readonly height?: number;
  /** `inside` keeps all of the picture, `cover` fills both and cuts what stands out; `inside` where it is absent. */
  readonly fit?: 'inside' | 'cover';
}

/** One value of an enum field. */
export interface EnumValueDefinition {
  readonly value: string;
  readonly label?: string;
}

/** One side of a relation. The side with `owner: true` holds no foreign key. */
export interface RelationDefinition {
  readonly schema: string;
  readonly field: string;
  readonly type: RelationType;
  readonly owner?: boolean;
  readonly optional?: boolean;
  readonly on_delete?: ReferentialAction;
  readonly on_update?: ReferentialAction;
  /** Of a relation over which records refer to accounts. */
  readonly on_erase?: ErasureAction;
  /** o2o, o2m: the foreign-key column. m2m: the junction column that leads to this schema. */
  readonly source_column?: string;
  /** o2o, o2m: the field that the foreign key leads to. m2m: the junction column that leads to the other schema. */
  readonly target_column?: string;
  readonly junction_table?: string;
}

/** An index over fields of the schema. */
export interface IndexDefinition {
  readonly name?: string;
  readonly unique?: boolean;
  readonly columns: readonly string[];
}

/** Describes the storage of a field. */
export interface FieldDatabaseDefinition {
  /** Column name, where it is not the name of the field. */
  readonly column?: string;
  /** A plain index over this field. */
  readonly index?: boolean;
  /** The database counts the values of this integer primary key. */
  readonly increment?: boolean;
}

/** Names former names in a submission, beside the definition. */
export interface RenameDefinition {
  /** Former name of the schema. */
  readonly schema?: string;
  /** Former names of fields, each with its new name. */
  readonly fields: ReadonlyMap<string, string>;
}
