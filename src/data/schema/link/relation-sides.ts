import { type FaultList, jsonPointer, listed } from '../codes/fault-list.js';
import type { RelationDefinition, RelationType } from '../../../kernel/schema-definition.types.js';
import type { CheckedField, CheckedSchema, CheckedRelation } from '../validate/checked-schema.js';
import type { LinkScope, SchemaSet } from './schema-set.js';
import { nearName } from '../../../kernel/text/near-name.js';
import type { FaultDetails, SchemaFaultCode } from '../codes/schema-fault.js';

/** One side of a relation: a declared field, a file field, or the generated back reference of a file field. */
export class Side {
  readonly name: string;

  constructor(
    readonly schema: CheckedSchema,
    readonly field: CheckedField,
    readonly relation: CheckedRelation,
    readonly faults: FaultList,
    /** The file field that generated this side; undefined for a declared side. */
    readonly creator?: Side,
  ) {
    this.name = field.definition.name;
  }

  get isFile(): boolean {
    return this.field.definition.type === 'file';
  }

  get isNullable(): boolean {
    return this.field.definition.optional === true || this.relation.values.optional === true;
  }

  report(code: SchemaFaultCode, member: string, params?: FaultDetails['params'], suggestion?: string): void {
    const isOwn = !this.isFile && !this.creator;
    const path = isOwn ? jsonPointer(this.relation.location.path, member) : this.field.location.path;
    this.faults.add(code, this.field.location, { path, suggestion, params });
  }

  /** Reports an error of both sides on this one. */
  reportPair(code: SchemaFaultCode, member: string, back: Side, params: FaultDetails['params'] = {}): void {
    this.report(code, member, { target: back.schema.name, backField: back.name, ...params });
  }
}

export type Sides = ReadonlyMap<CheckedSchema, ReadonlyMap<string, Side>>;

/** The two sides of a relation. The owner does not store the foreign key. */
export interface RelationPair {
  readonly type: RelationType;
  readonly owner: Side;
  readonly other: Side;
}

/**
 * Returns the relation sides of the affected schemas, and those of other schemas that lead to them. A file field is a relation to the files
 * schema (single file: o2m, multiple: m2m) with a generated back reference.
 */
export function relationSides(set: SchemaSet, { affected, region }: LinkScope, faults: FaultList): Sides {
  const sides = new Map(region.map((schema) => [schema, new Map<string, Side>()]));
  const leadsTo = ({ relation }: Side): boolean => {
    const target = set.byName.get(relation.values.schema ?? '');
    return target !== undefined && affected.has(target);
  };
  for (const [schema, own] of sides) {
    for (const field of schema.fields.values()) {
      const side = sideOf(schema, field, set.fileTarget, faults);
      if (side && (affected.has(schema) || leadsTo(side))) own.set(side.name, side);
    }
  }
  const fileSchema = set.byName.get(set.fileTarget ?? '');
  const fileSides = fileSchema && sides.get(fileSchema);
  if (!fileSides) return sides;
  const fileFields = [...sides.values()].flatMap((own) => [...own.values()].filter(({ isFile }) => isFile));
  // Existing fields take precedence.
  for (const isNew of [false, true]) {
    for (const side of fileFields.filter(({ schema }) => schema.location.submitted === isNew)) {
      if (!addBackReference(side, fileSchema, fileSides, faults)) sides.get(side.schema)?.delete(side.name);
    }
  }
  return sides;
}

function sideOf(
  schema: CheckedSchema,
  field: CheckedField,
  fileTarget: string | undefined,
  faults: FaultList,
): Side | undefined {
  const { type, name, multiple } = field.definition;
  if (type === 'file' && schema.name !== '') {
    const values: RelationDefinition = {
      schema: fileTarget ?? '',
      field: `${schema.name}_${name}`,
      type: multiple ? 'm2m' : 'o2m',
      ...(multiple ? { owner: true } : {}),
    };
    return new Side(schema, field, { location: field.location, values, faulty: new Set() }, faults);
  }
  if (type !== 'relation') return undefined;
  if (field.relation) return new Side(schema, field, field.relation, faults);
  faults.add('relation.config.missing', field.location);
  return undefined;
}

function addBackReference(side: Side, file: CheckedSchema, fileSides: Map<string, Side>, faults: FaultList): boolean {
  const { field: name = '', type, owner } = side.relation.values;
  if (file.fields.has(name) || file.invalid.has(name) || fileSides.has(name)) {
    const added = side.schema.location.submitted ? undefined : file.fields.get(name)?.location;
    faults.add('relation.back_ref.taken', added ?? side.field.location, { params: { name, target: file.name } });
    return false;
  }
  const values = { schema: side.schema.name, field: side.name, type, ...(owner ? {} : { owner: true }) };
  const location = { ...file.location, field: name };
  const field: CheckedField = { location, definition: { type: 'relation', name, optional: true } };
  fileSides.set(name, new Side(file, field, { location, values, faulty: new Set() }, faults, side));
  return true;
}

/** Finds the other side of every relation and checks both. Each pair is returned once. */
export function pairRelations(set: SchemaSet, sides: Sides): readonly RelationPair[] {
  const pairs: RelationPair[] = [];
  const paired = new Set<Side>();
  for (const own of sides.values()) {
    for (const side of own.values()) {
      if (paired.has(side) || side.creator) continue;
      const back = findBackReference(side, set, sides);
      if (back === undefined) continue;
      paired.add(side).add(back);
      const pair = checkPair(side, back);
      if (pair) pairs.push(pair);
    }
  }
  return pairs;
}

function findBackReference(side: Side, set: SchemaSet, sides: Sides): Side | undefined {
  const { schema: targetName, field: backName } = side.relation.values;
  if (targetName === undefined) return undefined;
  const target = set.byName.get(targetName);
  if (target === undefined) {
    const names = [...set.byName.keys()];
    const params = { target: targetName, available: listed(names) };
    side.report('relation.target.not_found', 'schema', params, nearName(targetName, names));
    return undefined;
  }
  const isUnnamed = set.byName.get(side.schema.name) !== side.schema;
  if (backName === undefined || isUnnamed || target.invalid.has(backName)) return undefined;
  const candidates = sides.get(target);
  const back = candidates?.get(backName);
  if (back === side) {
    side.report('relation.back_ref.self', 'field');
    return undefined;
  }
  const answer = back === undefined ? 'no' : pointsBack(back, side);
  if (answer === 'no') {
    const pointing = [...(candidates?.values() ?? [])].find((other) => pointsBack(other, side) === 'yes');
    const suggestion = pointing?.name ?? nearName(backName, candidates?.keys() ?? []);
    side.report('relation.back_ref.missing', 'field', { target: targetName, backField: backName }, suggestion);
  }
  return answer === 'yes' ? back : undefined;
}

/** Returns `unknown` if the other side has errors itself, which were reported there. */
function pointsBack(back: Side, side: Side): 'yes' | 'no' | 'unknown' {
  const { schema, field } = back.relation.values;
  if ((schema ?? side.schema.name) !== side.schema.name || (field ?? side.name) !== side.name) return 'no';
  return schema === undefined || field === undefined ? 'unknown' : 'yes';
}

function checkPair(side: Side, back: Side): RelationPair | undefined {
  const [a, b] = [side.relation, back.relation];
  const { type } = a.values;
  const isSameType = type === b.values.type;
  if (!isSameType && type && b.values.type)
    side.reportPair('relation.type.mismatch', 'type', back, { type, otherType: b.values.type });
  if (a.faulty.has('owner') || b.faulty.has('owner')) return undefined;
  const [owner, second] = [side, back].filter((candidate) => candidate.relation.values.owner);
  if (owner === undefined) side.reportPair('relation.owner.missing', 'owner', back);
  else if (second !== undefined) side.reportPair('relation.owner.duplicate', 'owner', back);
  else if (isSameType && type) return { type, owner, other: owner === side ? back : side };
  return undefined;
}
