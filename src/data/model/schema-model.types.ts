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

/** All schemas with every name resolved to tables and columns: plain data without cycles or functions. */
export interface SchemaModel {
  /** By name; the record has no prototype, so any text can be looked up. */
  readonly schemas: Readonly<Record<string, LinkedSchema>>;
}

export interface LinkedSchema {
  /** Stable over renames; a schema dropped and made again has another. */
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly system: boolean;
  readonly labelField: string;
  readonly primaryField: string;
  /** True if deleting sets `deleted_at`. */
  readonly softDelete: boolean;
  /** Canonical definition, as returned and exported. */
  readonly definition: SchemaDefinition;
  /** By name, in column order; the record has no prototype. */
  readonly fields: Readonly<Record<string, LinkedField>>;
  readonly table: LinkedTable;
  /** The junction tables of the m2m relations that this schema owns. */
  readonly junctions: readonly LinkedTable[];
  /** SHA-256 over everything above. */
  readonly hash: string;
  /** Traits of a system schema in this release of the service; never stored. */
  readonly traits: SchemaTraits;
}

export type FieldOrigin =
  /** The submitted definition. */
  | 'declared'
  /** `id` and the timestamps, which every schema gets. */
  | 'automatic'
  /** A system schema's own. */
  | 'system'
  /** The back reference of a file field. */
  | 'generated';

interface LinkedFieldBase {
  /** Stable over renames and changes of type; a field dropped and made again has another. */
  readonly id: string;
  readonly name: string;
  readonly label?: string;
  readonly origin: FieldOrigin;
  readonly optional: boolean;
  readonly immutable: boolean;
  readonly sortable: boolean;
  readonly filterable: boolean;
  /** Never answered, filtered or sorted by; only written. */
  readonly hidden: boolean;
}

export interface LinkedValueField extends LinkedFieldBase {
  readonly kind: 'value';
  readonly type: Exclude<FieldType, 'relation' | 'file'>;
  readonly column: string;
  readonly sqlType: string;
  /** Longest value: characters for text, bytes for bytes. */
  readonly size?: number;
  readonly unique: boolean;
  readonly searchable: boolean;
  readonly enums?: readonly string[];
  /** Used where a record is created without a value; `"now"` for times. */
  readonly default?: JsonValue;
  /** Source of the value if none is given. */
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
  /** Action of the definition on the erasure of an account; the same on both sides. */
  readonly onErase?: ErasureAction;
  /** A new record that does not say otherwise refers to the account that makes it: `default: "auth.id"`. */
  readonly isOwnerByDefault?: true;
  /** Limits on the files that a field of files takes; missing if it takes all. */
  readonly file?: FileFieldDefinition;
}

export type LinkedField = LinkedValueField | LinkedRelationField;

export type RelationJoin = DirectJoin | JunctionJoin;

/** `own.ownColumn = target.targetColumn`; one of the two columns is the foreign key. */
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
  /** Column in whose ascending order the list stands: of a field of several files. */
  readonly junctionOrderColumn?: string;
}

/** An expression that was checked: its text and what it reads, so that nobody evaluates more than needed. */
export interface LinkedExpression {
  readonly source: string;
  readonly resultType: string;
  /** False for an expression that computes its value from the record alone. */
  readonly usesValue: boolean;
  /** Fields of `record` that it reads; `["*"]` where it reads the record as a whole. */
  readonly reads: readonly string[];
}

export interface LinkedTable {
  readonly id: string;
  readonly name: string;
  /** The schema that it belongs to; the owner for a junction. */
  readonly schema: string;
  /** False for a table that migrations make: only columns of added fields are planned. */
  readonly managed: boolean;
  readonly columns: readonly LinkedColumn[];
  readonly primaryKey: { readonly name: string; readonly columns: readonly string[] };
  readonly indexes: readonly LinkedIndex[];
  readonly checks: readonly LinkedCheck[];
  readonly foreignKeys: readonly LinkedForeignKey[];
}

export interface LinkedColumn {
  /** Stable; a foreign key that leads to another schema is another column. */
  readonly id: string;
  readonly name: string;
  /** The field that it belongs to; empty in a junction. */
  readonly field: string;
  readonly type: FieldType;
  readonly sqlType: string;
  readonly nullable: boolean;
  /** False for a column that migrations make. */
  readonly managed: boolean;
  readonly identity: boolean;
  readonly default?: JsonValue;
}

export interface LinkedIndex {
  /** Key that makes it this index: equal keys are the same index, whatever its name. */
  readonly key: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** Only over records that are not deleted. */
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
