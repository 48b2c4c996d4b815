import type { FaultList } from '../codes/fault-list.js';
import type {
  ErasureAction,
  RelationDefinition,
  ReferentialAction,
  RelationType,
} from '../../../kernel/schema-definition.types.js';
import type { CheckedField, CheckedSchema, CheckedRelation } from '../validate/checked-schema.types.js';
import type { LinkScope } from './link-scope.js';
import type { SchemaSet } from './schema-set.js';

/**
 * Gathers the sides of all relations of the affected schemas, and of their neighbours those that lead to them. A file field is a relation to the schema that
 * holds files (one file: o2m with the foreign key here; several: m2m) and makes its back reference there by itself, named after
 * schema and field.
 */
export function relationSides(set: SchemaSet, { affected, region }: LinkScope, faults: FaultList): Sides {
  const sides = new Map(region.map((schema) => [schema, new Map<string, Side>()]));
  const fileTarget = set.fileTarget ?? '';
  const fileSchema = set.byName.get(fileTarget);
  for (const [schema, own] of sides) {
    for (const field of schema.fields.values()) {
      const side =
        field.definition.type === 'file' ? fileSide(schema, field, fileTarget) : declaredSide(schema, field, faults);
      if (side && (affected.has(schema) || leadsTo(affected, side, set))) own.set(field.definition.name, side);
    }
  }
  const fileSides = fileSchema && sides.get(fileSchema);
  if (!fileSides) return sides;
  const all = [...sides.values()].flatMap((bySchema) => [...bySchema.values()]);
  // Those that were there before are in their right.
  for (const side of [
    ...all.filter(({ schema }) => !schema.place.submitted),
    ...all.filter(({ schema }) => schema.place.submitted),
  ]) {
    if (side.field.definition.type !== 'file' || addBackReference(side, fileSchema, fileSides, faults)) continue;
    sides.get(side.schema)?.delete(side.field.definition.name);
  }
  return sides;
}

function leadsTo(affected: ReadonlySet<CheckedSchema>, { relation }: Side, { byName }: SchemaSet): boolean {
  const target = byName.get(relation.values.schema ?? '');
  return target !== undefined && affected.has(target);
}

/** Returns the name of the back reference that a file field makes. */
function fileBackReference(schema: string, field: string): string {
  return `${schema}_${field}`;
}

function declaredSide(schema: CheckedSchema, field: CheckedField, faults: FaultList): Side | undefined {
  if (field.definition.type !== 'relation') return undefined;
  if (field.relation) return { schema, field, relation: field.relation };
  faults.add('relation.config.missing', field.place);
  return undefined;
}

function fileSide(schema: CheckedSchema, field: CheckedField, target: string): Side | undefined {
  const { name, multiple } = field.definition;
  if (schema.definition.name === '') return undefined;
  const values: RelationDefinition = {
    schema: target,
    field: fileBackReference(schema.definition.name, name),
    type: multiple ? 'm2m' : 'o2m',
    ...(multiple ? { owner: true } : {}),
  };
  return { schema, field, relation: { place: field.place, values, faulty: new Set() } };
}

function addBackReference(side: Side, file: CheckedSchema, fileSides: Map<string, Side>, faults: FaultList): boolean {
  const name = side.relation.values.field ?? '';
  if (file.fields.has(name) || file.invalid.has(name) || fileSides.has(name)) {
    const added = side.schema.place.submitted ? undefined : file.fields.get(name)?.place;
    faults.add('relation.back_ref.taken', added ?? side.field.place, {
      params: { name, target: file.definition.name },
    });
    return false;
  }
  const { type, owner } = side.relation.values;
  const values: Partial<RelationDefinition> = {
    schema: side.schema.definition.name,
    field: side.field.definition.name,
    type,
    ...(owner ? {} : { owner: true }),
  };
  const place = { ...file.place, field: name };
  const field: CheckedField = { place, definition: { type: 'relation', name, optional: true } };
  fileSides.set(name, { schema: file, field, relation: { place, values, faulty: new Set() }, maker: side });
  return true;
}

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

/** Describes the storage of a pair. */
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
  /** Action on erasure, if one of the sides says so. */
  readonly onErase?: ErasureAction | undefined;
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
  /** Action on erasure, if one of the sides says so. */
  readonly onErase?: ErasureAction | undefined;
}
