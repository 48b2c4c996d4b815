import { makeFault, SchemaFaultError } from '../../codes/schema-fault.js';
import type { LinkedColumn, LinkedForeignKey, LinkedTable } from '../../../model/schema-model.types.js';
import type { CheckedSchema } from '../../validate/checked-schema.js';
import { isSystemField } from '../all-fields.js';
import {
  primaryField,
  cloneKeyColumn,
  objectName,
  type LinkContext,
  linkedForeignKey,
  linkedIndex,
} from './build-columns.js';
import type { JunctionStorage, PairStorage, Side } from '../relation-sides.js';

/** Returns the junction of a relation. Throws `builder.relation.not_m2m` if it has none, which validation excludes. */
export function junctionOf(storage: PairStorage): JunctionStorage {
  if (storage.kind === 'junction') return storage;
  const { schema, field } = storage.pair.other;
  const details = { schema: schema.definition.name, field: field.definition.name, params: { type: storage.pair.type } };
  throw new SchemaFaultError([makeFault('builder.relation.not_m2m', details)]);
}

/** Identity column that stores the link order of a multi-file field. */
export const ORDER_COLUMN = 'position';

/** Only multi-file fields have ordered links. */
export function isOrdered({ field }: Side): boolean {
  return field.definition.type === 'file';
}

/** Returns the junction table of an m2m relation. Its two foreign keys form the primary key. */
export function buildJunction(storage: JunctionStorage, context: LinkContext): LinkedTable {
  const { pair, table } = storage;
  const id = `junction:${[pair.owner, pair.other]
    .map((side) => sideId(side, context))
    .sort()
    .join(':')}`;
  const managed = !isSystemField(pair.owner.schema, pair.owner.field.definition.name);
  const parts: JunctionParts = { id, managed, table, context };
  const sides = [
    { column: junctionColumn(pair.owner, storage.ownerColumn, parts), target: pair.owner.schema },
    { column: junctionColumn(pair.other, storage.otherColumn, parts), target: pair.other.schema },
  ].sort((a, b) => (a.column.id < b.column.id ? -1 : 1)); // By id, so that a change of the owner keeps the table.
  const columns = sides.map((side) => side.column);
  const names = columns.map((column) => column.name);
  if (new Set(names).size < columns.length) throw createFailed(table);
  return {
    id,
    name: table,
    schema: pair.owner.schema.definition.name,
    managed,
    columns: isOrdered(pair.owner) ? [...columns, orderColumn(id)] : columns,
    primaryKey: { name: objectName('pk', [table], id), columns: names },
    // The primary key index serves the first column, so the second needs its own.
    indexes: managed ? columns.slice(1).map((column) => linkedIndex(table, [column])) : [],
    checks: [],
    foreignKeys: managed ? sides.map(({ column, target }) => junctionKey(storage, column, target, context)) : [],
  };
}

/** Returns the id of a side. A generated back reference is identified by its file field. */
export function sideId(side: Side, context: LinkContext): string {
  if (side.maker) return `generated:${sideId(side.maker, context)}`;
  return context.ids.field(side.schema, side.field.definition.name);
}

interface JunctionParts {
  readonly id: string;
  readonly managed: boolean;
  readonly table: string;
  readonly context: LinkContext;
}

function junctionColumn(side: Side, name: string, { id, managed, table, context }: JunctionParts): LinkedColumn {
  if (name === '') throw createFailed(table);
  const key = primaryField(side.schema);
  return {
    id: `${id}/${sideId(side, context)}`,
    name,
    field: '',
    type: key.type,
    sqlType: cloneKeyColumn(side.schema.definition.name, key),
    nullable: false,
    managed,
    identity: false,
  };
}

/** Cannot collide with the other two columns, whose names end in `_id`. */
function orderColumn(id: string): LinkedColumn {
  const counted = { type: 'int64', sqlType: 'bigint', nullable: false, managed: true, identity: true } as const;
  return { id: `${id}/${ORDER_COLUMN}`, name: ORDER_COLUMN, field: '', ...counted };
}

function junctionKey(
  { onDelete, onUpdate, table }: JunctionStorage,
  column: LinkedColumn,
  target: CheckedSchema,
  context: LinkContext,
): LinkedForeignKey {
  const to = { id: context.ids.schema(target), schema: target, field: primaryField(target) };
  return linkedForeignKey(table, column, to, { onDelete, onUpdate });
}

function createFailed(table: string): SchemaFaultError {
  return new SchemaFaultError([makeFault('builder.junction_field.create_failed', { params: { table } })]);
}
