import type {
  ErasureAction,
  FieldType,
  FileFieldDefinition,
  JsonValue,
  ReferentialAction,
  RelationType,
  SchemaDefinition,
} from '../../kernel/schema-definition.types.js';
import type { SchemaTraits } from '../../kernel/system-schema.js';

/** All schemas, with names resolved to tables and columns. Plain data without cycles or functions. */
export interface SchemaModel {
  /** By name. The object has no prototype, so any text can be looked up. */
  readonly schemas: Readonly<Record<string, LinkedSchema>>;
}

export interface LinkedSchema {
  /** Stable over renames. A schema that is dropped and created again gets another id. */
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly system: boolean;
  readonly labelField: string;
  readonly primaryField: string;
  /** True if a deletion sets `deleted_at`. */
  readonly softDelete: boolean;
  /** Canonical definition, as returned and exported. */
  readonly definition: SchemaDefinition;
  /** By name, in column order. The object has no prototype. */
  readonly fields: Readonly<Record<string, LinkedField>>;
  readonly table: LinkedTable;
  readonly junctions: readonly LinkedTable[];
  /** SHA-256 of the properties above. */
  readonly hash: string;
  /** Traits of a system schema in this release. Never stored. */
  readonly traits: SchemaTraits;
}

export type FieldOrigin =
  /** From the submitted definition. */
  | 'declared'
  /** `id` and the timestamps, which every schema has. */
  | 'automatic'
  /** Built-in field of a system schema. */
  | 'system'
  /** Back reference of a file field. */
  | 'generated';

interface LinkedFieldBase {
  /** Stable over renames and type changes. A field that is dropped and created again gets another id. */
  readonly id: string;
  readonly name: string;
  readonly label?: string;
  readonly origin: FieldOrigin;
  readonly optional: boolean;
  readonly immutable: boolean;
  readonly sortable: boolean;
  readonly filterable: boolean;
  /** Write-only: never returned, filtered or sorted by. */
  readonly hidden: boolean;
}

export interface LinkedValueField extends LinkedFieldBase {
  readonly kind: 'value';
  readonly type: Exclude<FieldType, 'relation' | 'file'>;
  readonly column: string;
  readonly sqlType: string;
  /** Maximum length: characters for text, bytes for bytes. */
  readonly size?: number;
  readonly unique: boolean;
  readonly searchable: boolean;
  readonly enums?: readonly string[];
  /** Default for new records; `"now"` for times. */
  readonly default?: JsonValue;
  readonly generated?: 'uuid' | 'increment' | 'created_at' | 'updated_at' | 'deleted_at';
  readonly setter?: LinkedExpression;
  readonly getter?: LinkedExpression;
}

export interface LinkedRelationField extends LinkedFieldBase {
  readonly kind: 'relation';
  readonly type: 'relation' | 'file';
  readonly relation: RelationType;
  readonly target: string;
  readonly backField: string;
  readonly many: boolean;
  readonly join: RelationJoin;
  /** Action when an account is erased. Equal on both sides. */
  readonly onErase?: ErasureAction;
  /** A new record without a value refers to the account that creates it: `default: "auth.id"`. */
  readonly isOwnerByDefault?: true;
  /** Limits of a file field; undefined if it accepts all files. */
  readonly file?: FileFieldDefinition;
}

export type LinkedField = LinkedValueField | LinkedRelationField;

export type RelationJoin = DirectJoin | JunctionJoin;

/** `own.ownColumn = target.targetColumn`. One of the two columns is the foreign key. */
export interface DirectJoin {
  readonly kind: 'direct';
  readonly holder: 'own' | 'target';
  readonly ownColumn: string;
  readonly targetTable: string;
  readonly targetColumn: string;
}

/** `own.ownColumn = junction.junctionOwnColumn` and `junction.junctionTargetColumn = target.targetColumn`. */
export interface JunctionJoin {
  readonly kind: 'junction';
  readonly ownColumn: string;
  readonly targetTable: string;
  readonly targetColumn: string;
  readonly junctionTable: string;
  readonly junctionOwnColumn: string;
  readonly junctionTargetColumn: string;
  /** Sort column of the list, in ascending order. Only for multi-file fields. */
  readonly junctionOrderColumn?: string;
}

export interface LinkedExpression {
  readonly source: string;
  readonly resultType: string;
  /** False for an expression that computes its value from the record alone. */
  readonly usesValue: boolean;
  /** Fields of `record` that it reads; `["*"]` for the record as a whole. */
  readonly reads: readonly string[];
}

export interface LinkedTable {
  readonly id: string;
  readonly name: string;
  /** Name of its schema. For a junction, the owner. */
  readonly schema: string;
  /** False for a table created by migrations. Only columns of added fields are then planned. */
  readonly managed: boolean;
  readonly columns: readonly LinkedColumn[];
  readonly primaryKey: { readonly name: string; readonly columns: readonly string[] };
  readonly indexes: readonly LinkedIndex[];
  readonly checks: readonly LinkedCheck[];
  readonly foreignKeys: readonly LinkedForeignKey[];
}

export interface LinkedColumn {
  /** Stable. A foreign key to another schema is another column. */
  readonly id: string;
  readonly name: string;
  /** Name of its field; empty in a junction. */
  readonly field: string;
  readonly type: FieldType;
  readonly sqlType: string;
  readonly nullable: boolean;
  /** False for a column created by migrations. */
  readonly managed: boolean;
  readonly identity: boolean;
  readonly default?: JsonValue;
}

export interface LinkedIndex {
  /** Identity of the index: equal keys mean the same index, even under another name. */
  readonly key: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** Partial index over records that are not deleted. */
  readonly live: boolean;
  /** `search` is a full-text index over the concatenated columns. */
  readonly method: 'btree' | 'search';
}

export interface LinkedCheck {
  readonly key: string;
  readonly name: string;
  readonly column: string;
  readonly rule:
    | { readonly kind: 'enum'; readonly values: readonly string[] }
    | { readonly kind: 'range'; readonly min: string; readonly max: string };
}

export interface LinkedForeignKey {
  readonly key: string;
  readonly name: string;
  readonly column: string;
  readonly targetTable: string;
  readonly targetColumn: string;
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
}

/** Shape of a list query without values. Columns are identified by stable ids. */
export interface QueryShape {
  readonly schema: string;
  /** Columns compared with one or a few values. */
  readonly equal: readonly string[];
  /** Columns compared with a bound. */
  readonly ranges: readonly string[];
  /** Leading sort keys with the same direction, if they are columns of the table. */
  readonly order: readonly string[];
}

export interface SeenQuery {
  readonly shape: QueryShape;
  readonly seen: number;
  /** Total duration in milliseconds, measured by the server. */
  readonly milliseconds: number;
}
