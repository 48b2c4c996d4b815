import { createFault, SchemaFaultError } from '../../codes/schema-fault.js';
import type { LinkedColumn, LinkedTable } from '../../../model/schema-model.types.js';
import { cloneKeyColumn, objectName, type LinkContext, linkedForeignKey, linkedIndex } from './build-table.js';
import type { Side } from '../relation-sides.js';
import type { JunctionStorage } from '../store-pairs.js';

/** Identity column that stores the link order of a multi-file field. */
export const ORDER_COLUMN = 'position';

/** Returns the junction table of an m2m relation. Its two foreign keys form the primary key. Only multi-file fields have ordered links. */
export function buildJunction(storage: JunctionStorage, context: LinkContext): LinkedTable {
  const { pair, table } = storage;
  const { owner, other } = pair;
  const ids = [sideId(owner, context), sideId(other, context)].sort();
  const id = `junction:${ids.join(':')}`;
  const managed = !owner.schema.isSystemField(owner.name);
  const column = (side: Side, name: string): LinkedColumn => {
    const { name: target, primaryField: key } = side.schema;
    const sqlType = cloneKeyColumn(target, key);
    const columnId = `${id}/${sideId(side, context)}`;
    return { id: columnId, name, field: '', type: key.type, sqlType, nullable: false, managed, identity: false };
  };
  const sides = [
    { column: column(owner, storage.ownerColumn), schema: owner.schema },
    { column: column(other, storage.otherColumn), schema: other.schema },
  ].sort((a, b) => (a.column.id < b.column.id ? -1 : 1)); // By id, so that a change of the owner keeps the table.
  const columns = sides.map((side) => side.column);
  const names = columns.map(({ name }) => name);
  if (new Set(names).size < names.length)
    throw new SchemaFaultError([createFault('builder.junction_field.create_failed', { params: { table } })]);
  const foreignKeys = sides.map(({ column: own, schema }) =>
    linkedForeignKey(table, own, { id: context.ids.schema(schema), schema, field: schema.primaryField }, storage),
  );
  return {
    id,
    name: table,
    schema: owner.schema.name,
    managed,
    columns: owner.isFile ? [...columns, orderColumn(id)] : columns,
    primaryKey: { name: objectName('pk', [table], id), columns: names },
    // The primary key index serves the first column, so the second needs its own.
    indexes: managed ? columns.slice(1).map((second) => linkedIndex(table, [second])) : [],
    checks: [],
    foreignKeys: managed ? foreignKeys : [],
  };
}

/** Returns the id of a side. A generated back reference is identified by its file field. */
export function sideId(side: Side, context: LinkContext): string {
  if (side.creator) return `generated:${sideId(side.creator, context)}`;
  return context.ids.field(side.schema, side.name);
}

/** Cannot collide with the other two columns, whose names end in `_id`. */
function orderColumn(id: string): LinkedColumn {
  const counted = { type: 'int64', sqlType: 'bigint', nullable: false, managed: true, identity: true } as const;
  return { id: `${id}/${ORDER_COLUMN}`, name: ORDER_COLUMN, field: '', ...counted };
}
