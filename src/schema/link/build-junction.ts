import { makeFault, SchemaFaultError } from '../codes/schema-fault.js';
import type { LinkedColumn, LinkedForeignKey, LinkedIndex, LinkedTable } from '../model/schema-model.types.js';
import type { CheckedSchema } from '../validate/checked-schema.types.js';
import { isSystemField } from './all-fields.js';
import { columnName, primaryField } from './build-columns.js';
import { cloneKeyColumn } from './column-types.js';
import type { LinkWorld } from './link-world.types.js';
import { objectName } from './object-names.js';
import type { JunctionStorage, PairStorage, Side } from './side.types.js';

/** The junction of a relation; throws `builder.relation.not_m2m` where it has none, which validation rules out. */
export function junctionOf(storage: PairStorage): JunctionStorage {
  if (storage.kind === 'junction') return storage;
  const { schema, field } = storage.pair.other;
  const details = { schema: schema.definition.name, field: field.definition.name, params: { type: storage.pair.type } };
  throw new SchemaFaultError([makeFault('builder.relation.not_m2m', details)]);
}

/** The junction table of an m2m relation: one column to each side, together its primary key. */
export function buildJunction(storage: JunctionStorage, world: LinkWorld): LinkedTable {
  const { pair, table } = storage;
  const sideIds = [pair.owner, pair.other].map((side) => sideId(side, world));
  const id = `junction:${[...sideIds].sort().join(':')}`;
  const managed = !isSystemField(pair.owner.schema, pair.owner.field.definition.name);
  const owner = junctionColumn(pair.owner, storage.ownerColumn, { id, managed, table, world });
  const other = junctionColumn(pair.other, storage.otherColumn, { id, managed, table, world });
  if (owner.name === other.name) throw createFailed(table);
  const indexKey = JSON.stringify(['btree', false, false, other.id]);
  const index: LinkedIndex = {
    key: indexKey,
    name: objectName('ix', [table, other.name], indexKey),
    columns: [other.name],
    unique: false,
    live: false,
    method: 'btree',
  };
  return {
    id,
    name: table,
    schema: pair.owner.schema.definition.name,
    managed,
    columns: [owner, other],
    primaryKey: { name: objectName('pk', [table], id), columns: [owner.name, other.name] },
    indexes: managed ? [index] : [],
    checks: [],
    foreignKeys: managed ? [owner, other].map((column, at) => junctionKey(storage, column, at, world)) : [],
  };
}

/** The id of one side; a back reference that was made automatically goes by the field that made it. */
export function sideId(side: Side, world: LinkWorld): string {
  if (side.maker) return `generated:${sideId(side.maker, world)}`;
  return world.ids.field(side.schema, side.field.definition.name);
}

interface JunctionParts {
  readonly id: string;
  readonly managed: boolean;
  readonly table: string;
  readonly world: LinkWorld;
}

function junctionColumn(side: Side, name: string, { id, managed, table, world }: JunctionParts): LinkedColumn {
  if (name === '') throw createFailed(table);
  const key = primaryField(side.schema);
  return {
    id: `${id}/${sideId(side, world)}`,
    name,
    field: '',
    type: key.type,
    sqlType: cloneKeyColumn(side.schema.definition.name, key),
    nullable: false,
    managed,
    identity: false,
  };
}

function junctionKey(storage: JunctionStorage, column: LinkedColumn, at: number, world: LinkWorld): LinkedForeignKey {
  const { pair, onDelete, onUpdate, table } = storage;
  const target: CheckedSchema = (at === 0 ? pair.owner : pair.other).schema;
  const key = JSON.stringify([column.id, column.sqlType, world.ids.schema(target), onDelete, onUpdate]);
  return {
    key,
    name: objectName('fk', [table, column.name], key),
    column: column.name,
    targetTable: target.definition.namespace,
    targetColumn: columnName(primaryField(target)),
    onDelete,
    onUpdate,
  };
}

function createFailed(table: string): SchemaFaultError {
  return new SchemaFaultError([makeFault('builder.junction_field.create_failed', { params: { table } })]);
}
