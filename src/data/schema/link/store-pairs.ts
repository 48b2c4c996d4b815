import { type FaultList, below } from '../codes/fault-list.js';
import { nearName } from '../../../kernel/text/near-name.js';
import { fieldType } from '../../model/field-types.js';
import { isTooLong } from '../../model/identifiers.js';
import { reservedTable } from '../../model/reserved-words.js';
import type { ErasureAction, ReferentialAction } from '../../../kernel/schema-definition.types.js';
import { allFields, primaryFieldName } from './all-fields.js';
import {
  pairParams,
  reportRelation,
  type ForeignKeyStorage,
  type JunctionStorage,
  type PairStorage,
  type RelationPair,
  type Side,
} from './relation-sides.js';

export function storePair(pair: RelationPair, faults: FaultList): PairStorage | undefined {
  return pair.type === 'm2m' ? storeJunction(pair, faults) : storeForeignKey(pair, faults);
}

function storeForeignKey(pair: RelationPair, faults: FaultList): ForeignKeyStorage | undefined {
  const { owner, other } = pair;
  const column = agreed(other, owner, ['source_column', 'source_column'], 'relation.column.mismatch', faults);
  const nullable = isNullable(other);
  const onDelete = agreedAction(pair, 'on_delete', faults) ?? (nullable ? 'set_null' : 'restrict');
  const onUpdate = agreedAction(pair, 'on_update', faults) ?? 'cascade';
  refuseSetNull(pair, nullable, faults);
  const targetField = foreignKeyTarget(pair, faults);
  refuseDefaults(pair, targetField, faults);
  if (targetField === undefined) return undefined;
  return {
    kind: 'foreign_key',
    pair,
    column: column ?? `${other.field.definition.name}_id`,
    targetField,
    nullable,
    onDelete,
    onUpdate,
    onErase: agreedErasure(pair, faults),
  };
}

function isNullable({ field, relation }: Side): boolean {
  return field.definition.optional === true || relation.values.optional === true;
}

/** Returns the referenced field: the primary key, or the unique field named by `target_column`. */
function foreignKeyTarget(pair: RelationPair, faults: FaultList): string | undefined {
  const { owner, other } = pair;
  const name = agreed(other, owner, ['target_column', 'target_column'], 'relation.column.mismatch', faults);
  const target = owner.schema;
  const primary = primaryFieldName(target);
  const fields = allFields(target);
  const wanted = name ?? primary;
  const field = fields.get(wanted);
  const params = { column: wanted, target: target.definition.name };
  const namer = other.relation.values.target_column ? other : owner;
  // A missing or invalid primary key was already reported by its schema.
  if (target.invalid.has(wanted) || (field === undefined && name === undefined)) return undefined;
  if (field === undefined) {
    const suggestion = nearName(wanted, fields.keys());
    reportRelation(namer, 'relation.fk.target.not_found', 'target_column', faults, { params, suggestion });
    return undefined;
  }
  const isPrimary = wanted === primary;
  if (!isPrimary && !field.unique) {
    reportRelation(namer, 'relation.fk.target.not_unique', 'target_column', faults, { params });
    return undefined;
  }
  // An unsuitable type of the field was already reported by its schema.
  const { key, indexed } = fieldType(field.type);
  return (isPrimary ? key : indexed) ? wanted : undefined;
}

/** Allows the default `auth.id` only for a field that stores an account id. */
function refuseDefaults({ owner, other }: RelationPair, targetField: string | undefined, faults: FaultList): void {
  const holdsId = owner.schema.system?.holdsAccounts === true && targetField === primaryFieldName(owner.schema);
  for (const side of holdsId ? [owner] : [owner, other]) {
    const { definition, place } = side.field;
    if (definition.default === undefined) continue;
    faults.add('field.default.not_allowed', below(place, 'default'), { params: { type: definition.type } });
  }
}

function storeJunction(pair: RelationPair, faults: FaultList): JunctionStorage | undefined {
  refuseDefaults(pair, undefined, faults);
  const { owner, other } = pair;
  const named = agreed(owner, other, ['junction_table', 'junction_table'], 'relation.junction_table.mismatch', faults);
  const ownerColumn = agreed(owner, other, ['source_column', 'target_column'], 'relation.column.mismatch', faults);
  const otherColumn = agreed(owner, other, ['target_column', 'source_column'], 'relation.column.mismatch', faults);
  const [ownerName, otherName] = [owner.schema.definition.name, other.schema.definition.name];
  const storage: JunctionStorage = {
    kind: 'junction',
    pair,
    table: named ?? `${owner.schema.definition.namespace}_${owner.field.definition.name}`,
    ownerColumn: ownerColumn ?? `${ownerName}_id`,
    otherColumn: otherColumn ?? `${owner.schema === other.schema ? owner.field.definition.name : otherName}_id`,
    onDelete: agreedAction(pair, 'on_delete', faults) ?? 'cascade',
    onUpdate: agreedAction(pair, 'on_update', faults) ?? 'cascade',
    onErase: agreedErasure(pair, faults),
  };
  return checkJunction(storage, faults) ? storage : undefined;
}

function checkJunction({ pair, table, ownerColumn, otherColumn }: JunctionStorage, faults: FaultList): boolean {
  const before = faults.size;
  const { owner } = pair;
  if (isTooLong(table) || reservedJunction(table, owner)) {
    reportRelation(owner, 'relation.junction_table.invalid', 'junction_table', faults, { params: { name: table } });
  }
  for (const name of [ownerColumn, otherColumn]) {
    if (isTooLong(name)) {
      reportRelation(owner, 'relation.column.invalid', 'source_column', faults, { params: { name } });
    }
  }
  if (ownerColumn.toLowerCase() === otherColumn.toLowerCase()) {
    const params = { name: otherColumn, table };
    reportRelation(owner, 'relation.column.duplicate', 'target_column', faults, { params });
  }
  return faults.size === before;
}

/** Junction tables of system schemas have reserved names. */
function reservedJunction(table: string, { schema, field }: Side): boolean {
  const own = schema.system?.definition.fields.some((candidate) => candidate.name === field.definition.name);
  return !own && reservedTable(table) !== undefined;
}

type NamingMember = 'source_column' | 'target_column' | 'junction_table';

/** Returns the name given by either side. Reports a conflict on the first side. */
function agreed(
  side: Side,
  back: Side,
  [member, backMember]: readonly [NamingMember, NamingMember],
  code: 'relation.column.mismatch' | 'relation.junction_table.mismatch',
  faults: FaultList,
): string | undefined {
  const [name, other] = [side.relation.values[member], back.relation.values[backMember]];
  if (name !== undefined && other !== undefined && name !== other) {
    reportRelation(side, code, member, faults, { params: { ...pairParams(side, back), name, other } });
  }
  return name ?? other;
}

function agreedAction(pair: RelationPair, member: 'on_delete' | 'on_update', faults: FaultList) {
  const [name, other] = [pair.other.relation.values[member], pair.owner.relation.values[member]];
  if (name !== undefined && other !== undefined && name !== other) {
    const params = pairParams(pair.other, pair.owner);
    reportRelation(pair.other, `relation.${member}.mismatch`, member, faults, { params });
  }
  return name ?? other;
}

/** Returns `on_erase` of either side. Only valid if records refer to accounts. */
function agreedErasure({ type, owner, other }: RelationPair, faults: FaultList): ErasureAction | undefined {
  const [action, back] = [other.relation.values.on_erase, owner.relation.values.on_erase];
  const isOfAccounts = ({ schema }: Side): boolean => schema.system?.holdsAccounts === true;
  const refers = isOfAccounts(owner) || (type === 'm2m' && isOfAccounts(other));
  const isShared = type === 'm2m' || isOfAccounts(other);
  if (action !== undefined && back !== undefined && action !== back)
    reportRelation(other, 'relation.on_erase.mismatch', 'on_erase', faults, { params: pairParams(other, owner) });
  for (const side of [other, owner]) {
    const named = side.relation.values.on_erase;
    if (named === undefined) continue;
    if (!refers) reportRelation(side, 'relation.on_erase.unrelated', 'on_erase', faults);
    else if (named === 'delete' && isShared) reportRelation(side, 'relation.on_erase.impossible', 'on_erase', faults);
  }
  return action ?? back;
}

function refuseSetNull(pair: RelationPair, nullable: boolean, faults: FaultList): void {
  if (nullable) return;
  for (const member of ['on_delete', 'on_update'] as const) {
    for (const side of [pair.other, pair.owner]) {
      const named: ReferentialAction | undefined = side.relation.values[member];
      if (named === 'set_null') reportRelation(side, `relation.${member}.impossible`, member, faults);
    }
  }
}
