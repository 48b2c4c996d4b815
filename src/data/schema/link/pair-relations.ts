import type { FaultList } from '../codes/fault-list.js';
import { jsonPointer } from '../codes/json-pointer.js';
import { nearName } from '../../../kernel/near-name.js';
import type { SchemaFaultCode } from '../codes/schema-fault-codes.js';
import { listed } from '../validate/check-key-fields.js';
import type { SchemaSet } from './schema-set.js';
import type { RelationPair, Side, Sides } from './relation-sides.js';

/** Finds the other side of every relation and judges the two together; each pair is judged once, at its first side. */
export function pairRelations(set: SchemaSet, sides: Sides, faults: FaultList): readonly RelationPair[] {
  const pairs: RelationPair[] = [];
  const paired = new Set<Side>();
  for (const bySchema of sides.values()) {
    for (const side of bySchema.values()) {
      if (paired.has(side) || side.maker) continue;
      const back = findBackReference(side, set, sides, faults);
      if (back === undefined) continue;
      paired.add(side).add(back);
      const pair = judgePair(side, back, faults);
      if (pair) pairs.push(pair);
    }
  }
  return pairs;
}

/** Returns what a message about a pair names. */
export function pairParams(side: Side, back: Side): Record<string, string> {
  return { target: back.schema.definition.name, backField: back.field.definition.name };
}

/** Reports a fault of a member of the relation. */
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

/** Returns `unknown` if the other side is faulty itself, which was reported there. */
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

function judgePair(side: Side, back: Side, faults: FaultList): RelationPair | undefined {
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
