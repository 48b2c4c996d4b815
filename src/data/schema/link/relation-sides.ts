import { type FaultList, jsonPointer } from '../codes/fault-list.js';
import type {
  ErasureAction,
  RelationDefinition,
  ReferentialAction,
  RelationType,
} from '../../../kernel/schema-definition.types.js';
import type { CheckedField, CheckedSchema, CheckedRelation } from '../validate/checked-schema.js';
import type { LinkScope, SchemaSet } from './schema-set.js';
import { nearName } from '../../../kernel/text/near-name.js';
import type { SchemaFaultCode } from '../codes/schema-fault.js';
import { listed } from '../validate/check-key-fields.js';

/**
 * Returns the relation sides of the affected schemas, and those of other schemas that lead to them. A file field is a relation to the files
 * schema (single file: o2m, multiple: m2m) with a generated back reference.
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
  // Existing fields take precedence.
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

export interface Side {
  readonly schema: CheckedSchema;
  readonly field: CheckedField;
  readonly relation: CheckedRelation;
  /** The file field that generated this side; undefined for a declared side. */
  readonly maker?: Side;
}

export type Sides = ReadonlyMap<CheckedSchema, ReadonlyMap<string, Side>>;

/** The two sides of a relation. The owner does not store the foreign key. */
export interface RelationPair {
  readonly type: RelationType;
  readonly owner: Side;
  readonly other: Side;
}

export type PairStorage = ForeignKeyStorage | JunctionStorage;

/** The table of `pair.other` has a column that refers to `targetField` of the owner. */
export interface ForeignKeyStorage {
  readonly kind: 'foreign_key';
  readonly pair: RelationPair;
  readonly column: string;
  readonly targetField: string;
  readonly nullable: boolean;
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
  readonly onErase?: ErasureAction | undefined;
}

export interface JunctionStorage {
  readonly kind: 'junction';
  readonly pair: RelationPair;
  readonly table: string;
  readonly ownerColumn: string;
  readonly otherColumn: string;
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
  readonly onErase?: ErasureAction | undefined;
}

/** Finds the other side of every relation and checks both. Each pair is returned once. */
export function pairRelations(set: SchemaSet, sides: Sides, faults: FaultList): readonly RelationPair[] {
  const pairs: RelationPair[] = [];
  const paired = new Set<Side>();
  for (const bySchema of sides.values()) {
    for (const side of bySchema.values()) {
      if (paired.has(side) || side.maker) continue;
      const back = findBackReference(side, set, sides, faults);
      if (back === undefined) continue;
      paired.add(side).add(back);
      const pair = checkPair(side, back, faults);
      if (pair) pairs.push(pair);
    }
  }
  return pairs;
}

export function pairParams(side: Side, back: Side): Record<string, string> {
  return { target: back.schema.definition.name, backField: back.field.definition.name };
}

export function reportRelation(
  side: Side,
  code: SchemaFaultCode,
  member: string,
  faults: FaultList,
  details: { readonly params?: Record<string, string>; readonly suggestion?: string | undefined } = {},
): void {
  const isOwn = side.field.definition.type === 'relation' && !side.maker;
  const path = isOwn ? jsonPointer(side.relation.place.path, member) : side.field.place.path;
  faults.add(code, side.field.place, { path, ...details });
}

function findBackReference(side: Side, set: SchemaSet, sides: Sides, faults: FaultList): Side | undefined {
  const { schema: targetName, field: backName } = side.relation.values;
  if (targetName === undefined) return undefined;
  const target = set.byName.get(targetName);
  if (target === undefined) {
    const names = [...set.byName.keys()];
    const params = { target: targetName, available: listed(names) };
    reportRelation(side, 'relation.target.not_found', 'schema', faults, {
      params,
      suggestion: nearName(targetName, names),
    });
    return undefined;
  }
  const isUnnamed = set.byName.get(side.schema.definition.name) !== side.schema;
  if (backName === undefined || isUnnamed || target.invalid.has(backName)) return undefined;
  const back = sides.get(target)?.get(backName);
  if (back === side) {
    reportRelation(side, 'relation.back_ref.self', 'field', faults);
    return undefined;
  }
  const answer = back === undefined ? 'no' : pointsBack(back, side);
  if (answer === 'no') reportMissing(side, targetName, backName, sides.get(target), faults);
  return answer === 'yes' ? back : undefined;
}

/** Returns `unknown` if the other side has errors itself, which were reported there. */
function pointsBack(back: Side, side: Side): 'yes' | 'no' | 'unknown' {
  const { schema, field } = back.relation.values;
  if (schema !== undefined && schema !== side.schema.definition.name) return 'no';
  if (field !== undefined && field !== side.field.definition.name) return 'no';
  return schema === undefined || field === undefined ? 'unknown' : 'yes';
}

function reportMissing(
  side: Side,
  target: string,
  backField: string,
  candidates: ReadonlyMap<string, Side> | undefined,
  faults: FaultList,
): void {
  const pointing = [...(candidates ?? [])]
    .filter(([, other]) => pointsBack(other, side) === 'yes')
    .map(([name]) => name);
  const suggestion = pointing[0] ?? nearName(backField, candidates?.keys() ?? []);
  reportRelation(side, 'relation.back_ref.missing', 'field', faults, { params: { target, backField }, suggestion });
}

function checkPair(side: Side, back: Side, faults: FaultList): RelationPair | undefined {
  const [a, b] = [side.relation, back.relation];
  const params = pairParams(side, back);
  const isSameType = a.values.type === b.values.type;
  if (!isSameType && a.values.type && b.values.type) {
    const types = { ...params, type: a.values.type, otherType: b.values.type };
    reportRelation(side, 'relation.type.mismatch', 'type', faults, { params: types });
  }
  const ownersKnown = !a.faulty.has('owner') && !b.faulty.has('owner');
  const owners = [side, back].filter((candidate) => candidate.relation.values.owner);
  if (ownersKnown && owners.length !== 1) {
    const code = owners.length === 0 ? 'relation.owner.missing' : 'relation.owner.duplicate';
    reportRelation(side, code, 'owner', faults, { params });
  }
  const [owner] = owners;
  if (!isSameType || !ownersKnown || owners.length !== 1 || owner === undefined || !a.values.type) return undefined;
  return { type: a.values.type, owner, other: owner === side ? back : side };
}
