import { below } from '../codes/fault-list.js';
import { nearName } from '../../../kernel/text/near-name.js';
import { fieldType } from '../../model/field-types.js';
import { isTooLong, reservedTable } from '../../model/identifiers.js';
import type { ErasureAction, ReferentialAction, RelationDefinition } from '../../../kernel/schema-definition.types.js';
import type { RelationPair, Side } from './relation-sides.js';

interface StorageBase {
  readonly pair: RelationPair;
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
  readonly onErase?: ErasureAction | undefined;
}

/** The table of `pair.other` has a column that refers to `targetField` of the owner. */
export interface ForeignKeyStorage extends StorageBase {
  readonly kind: 'foreign_key';
  readonly column: string;
  readonly targetField: string;
}

export interface JunctionStorage extends StorageBase {
  readonly kind: 'junction';
  readonly table: string;
  readonly ownerColumn: string;
  readonly otherColumn: string;
}

export type PairStorage = ForeignKeyStorage | JunctionStorage;

export function storePair(pair: RelationPair): PairStorage | undefined {
  return pair.type === 'm2m' ? storeJunction(pair) : storeForeignKey(pair);
}

function storeForeignKey(pair: RelationPair): ForeignKeyStorage | undefined {
  const { owner, other } = pair;
  const column = agreed(other, owner, 'source_column');
  const onDelete = agreed(other, owner, 'on_delete');
  const onUpdate = agreed(other, owner, 'on_update');
  if (!other.isNullable) refuseSetNull(pair);
  const targetField = foreignKeyTarget(pair);
  refuseDefaults(pair, targetField);
  if (targetField === undefined) return undefined;
  return {
    kind: 'foreign_key',
    pair,
    column: column ?? `${other.name}_id`,
    targetField,
    onDelete: onDelete ?? (other.isNullable ? 'set_null' : 'restrict'),
    onUpdate: onUpdate ?? 'cascade',
    onErase: agreedErasure(pair),
  };
}

/** Returns the referenced field: the primary key, or the unique field named by `target_column`. */
function foreignKeyTarget({ owner, other }: RelationPair): string | undefined {
  const name = agreed(other, owner, 'target_column');
  const target = owner.schema;
  const primary = target.primaryFieldName;
  const column = name ?? primary;
  const field = target.allFields.get(column);
  const params = { column, target: target.name };
  const namer = other.relation.values.target_column ? other : owner;
  // A missing or invalid primary key was already reported by its schema.
  if (target.invalid.has(column) || (field === undefined && name === undefined)) return undefined;
  if (field === undefined) {
    const suggestion = nearName(column, target.allFields.keys());
    namer.report('relation.fk.target.not_found', 'target_column', params, suggestion);
    return undefined;
  }
  const isPrimary = column === primary;
  if (!isPrimary && !field.unique) {
    namer.report('relation.fk.target.not_unique', 'target_column', params);
    return undefined;
  }
  // An unsuitable type of the field was already reported by its schema.
  const { key, indexed } = fieldType(field.type);
  return (isPrimary ? key : indexed) ? column : undefined;
}

/** Allows the default `auth.id` only for a field that stores an account id. */
function refuseDefaults({ owner, other }: RelationPair, targetField?: string): void {
  const isAccountKey = holdsAccounts(owner) && targetField === owner.schema.primaryFieldName;
  for (const side of isAccountKey ? [owner] : [owner, other]) {
    const { definition, location } = side.field;
    if (definition.default === undefined) continue;
    side.faults.add('field.default.not_allowed', below(location, 'default'), { params: { type: definition.type } });
  }
}

function storeJunction(pair: RelationPair): JunctionStorage | undefined {
  refuseDefaults(pair);
  const { owner, other } = pair;
  const [schema, otherSchema] = [owner.schema, other.schema];
  const table = agreed(owner, other, 'junction_table');
  const ownerColumn = agreed(owner, other, 'source_column', 'target_column');
  const otherColumn = agreed(owner, other, 'target_column', 'source_column');
  const storage: JunctionStorage = {
    kind: 'junction',
    pair,
    table: table ?? `${schema.definition.namespace}_${owner.name}`,
    ownerColumn: ownerColumn ?? `${schema.name}_id`,
    otherColumn: otherColumn ?? `${schema === otherSchema ? owner.name : otherSchema.name}_id`,
    onDelete: agreed(other, owner, 'on_delete') ?? 'cascade',
    onUpdate: agreed(other, owner, 'on_update') ?? 'cascade',
    onErase: agreedErasure(pair),
  };
  return checkJunction(storage) ? storage : undefined;
}

function checkJunction({ pair: { owner }, table, ownerColumn, otherColumn }: JunctionStorage): boolean {
  const before = owner.faults.size;
  if (isTooLong(table) || reservedJunction(table, owner))
    owner.report('relation.junction_table.invalid', 'junction_table', { name: table });
  for (const name of [ownerColumn, otherColumn])
    if (isTooLong(name)) owner.report('relation.column.invalid', 'source_column', { name });
  if (ownerColumn.toLowerCase() === otherColumn.toLowerCase())
    owner.report('relation.column.duplicate', 'target_column', { name: otherColumn, table });
  return owner.faults.size === before;
}

/** Junction tables of system schemas have reserved names. */
function reservedJunction(table: string, { schema, name }: Side): boolean {
  const isOwn = schema.system?.definition.fields.some((field) => field.name === name);
  return !isOwn && reservedTable(table) !== undefined;
}

type AgreedMember = 'source_column' | 'target_column' | 'junction_table' | 'on_delete' | 'on_update' | 'on_erase';

/** Returns the value given by either side. Reports a conflict on the first side. */
function agreed<Member extends AgreedMember>(
  side: Side,
  back: Side,
  member: Member,
  backMember: AgreedMember = member,
): RelationDefinition[Member] {
  const named: AgreedMember = member;
  const subject = named === 'source_column' || named === 'target_column' ? 'column' : named;
  const [value, other] = [side.relation.values[member], back.relation.values[backMember]];
  if (value !== undefined && other !== undefined && value !== other)
    side.reportPair(`relation.${subject}.mismatch`, member, back, { name: String(value), other: String(other) });
  return (value ?? other) as RelationDefinition[Member];
}

/** Returns `on_erase` of either side. Only valid if records refer to accounts. */
function agreedErasure({ type, owner, other }: RelationPair): ErasureAction | undefined {
  const refers = holdsAccounts(owner) || (type === 'm2m' && holdsAccounts(other));
  const isShared = type === 'm2m' || holdsAccounts(other);
  for (const side of [other, owner]) {
    const named = side.relation.values.on_erase;
    if (named !== undefined && !refers) side.report('relation.on_erase.unrelated', 'on_erase');
    else if (named === 'delete' && isShared) side.report('relation.on_erase.impossible', 'on_erase');
  }
  return agreed(other, owner, 'on_erase');
}

function holdsAccounts({ schema }: Side): boolean {
  return schema.system?.holdsAccounts === true;
}

function refuseSetNull({ owner, other }: RelationPair): void {
  for (const member of ['on_delete', 'on_update'] as const) {
    for (const side of [other, owner])
      if (side.relation.values[member] === 'set_null') side.report(`relation.${member}.impossible`, member);
  }
}
