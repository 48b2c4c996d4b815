import type { ReferentialAction, RelationType } from '../../model/schema-definition.types.js';
import type { CheckedField, CheckedRelation, CheckedSchema } from '../validate/checked-schema.types.js';

/** One side of a relation: a relation or file field, or the back reference that a file field makes. */
export interface Side {
  readonly schema: CheckedSchema;
  readonly field: CheckedField;
  readonly relation: CheckedRelation;
  /** The file field that made this side; absent for a side that was declared. */
  readonly maker?: Side;
}

/** The sides of all relations: by name of the schema, then of the field. */
export type Sides = ReadonlyMap<CheckedSchema, ReadonlyMap<string, Side>>;

/** Two sides that name each other. The owner holds no foreign key. */
export interface RelationPair {
  readonly type: RelationType;
  readonly owner: Side;
  readonly other: Side;
}

/** How a pair is stored. */
export type PairStorage = ForeignKeyStorage | JunctionStorage;

/** The table of `pair.other` holds a column that leads to `targetField` of the owner. */
export interface ForeignKeyStorage {
  readonly kind: 'foreign_key';
  readonly pair: RelationPair;
  readonly column: string;
  readonly targetField: string;
  readonly nullable: boolean;
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
}

/** A junction table with one column to each side. */
export interface JunctionStorage {
  readonly kind: 'junction';
  readonly pair: RelationPair;
  readonly table: string;
  readonly ownerColumn: string;
  readonly otherColumn: string;
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
}
