import { createFault, SchemaFaultError } from '../codes/schema-fault.js';
import { fieldType } from '../../model/field-types.js';
import type { FieldDefinition } from '../../../kernel/schema-definition.types.js';
import type {
  LinkedCheck,
  LinkedColumn,
  LinkedForeignKey,
  LinkedIndex,
  LinkedTable,
  LinkedValueField,
} from '../../model/schema-model.types.js';
import type { CheckedSchema } from '../validate/checked-schema.js';
import type { Side, Sides } from './relation-sides.js';
import type { ForeignKeyStorage, PairStorage, JunctionStorage } from './store-pairs.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import { fittedIdentifier, shortHash } from '../../model/identifiers.js';
import type { StableIds } from './stable-ids.js';

const HASH_DIGITS = 8;

export type FieldExpressions = Pick<LinkedValueField, 'setter' | 'getter'>;

export interface StoredSides {
  readonly sides: Sides;
  readonly storages: ReadonlyMap<Side, PairStorage>;
}

export interface LinkContext extends StoredSides {
  readonly ids: StableIds;
  readonly expressions: ReadonlyMap<CheckedSchema, ReadonlyMap<string, FieldExpressions>>;
  /** Unique fields, other than primary keys, that foreign keys refer to, as `schema.field`. */
  readonly referenced: ReadonlySet<string>;
}

/** Returns the foreign key that is stored in the column of a field. */
export function foreignKeyOf(
  schema: CheckedSchema,
  field: string,
  { sides, storages }: StoredSides,
): ForeignKeyStorage | undefined {
  const side = sides.get(schema)?.get(field);
  const storage = side && storages.get(side);
  return storage?.kind === 'foreign_key' && storage.pair.other === side ? storage : undefined;
}

export function referencedField({ pair, targetField }: ForeignKeyStorage): FieldDefinition {
  const target = pair.owner.schema;
  return target.allFields.get(targetField) ?? target.primaryField;
}

interface TableInput {
  readonly schema: CheckedSchema;
  readonly table: string;
  readonly context: LinkContext;
  /** Columns managed by plans. System tables define their own indexes. */
  readonly columns: readonly LinkedColumn[];
}

export function buildTable(schema: CheckedSchema, context: LinkContext): LinkedTable {
  const id = context.ids.schema(schema);
  const table = schema.definition.namespace;
  const columns = buildColumns(schema, context);
  const managed = schema.system === undefined;
  const input = { schema, table, context, columns: columns.filter((column) => column.managed) };
  return {
    id,
    name: table,
    schema: schema.name,
    managed,
    columns,
    primaryKey: {
      name: managed ? objectName('pk', [table], id) : `${table}_pkey`,
      columns: [columnName(schema.primaryField)],
    },
    indexes: buildIndexes(input),
    checks: buildChecks(input),
    foreignKeys: buildForeignKeys(input),
  };
}

function buildIndexes(input: TableInput): readonly LinkedIndex[] {
  const { schema, columns } = input;
  const fields = schema.allFields;
  const indexes = columns.flatMap((column) => {
    const field = fields.get(column.field);
    if (isUniqueColumn(input, column)) return [tableIndex(input, [column], { unique: true })];
    return field?.db?.index || fieldType(field?.type ?? 'json').sql === '' ? [tableIndex(input, [column], {})] : [];
  });
  const byField = new Map(columns.map((column) => [column.field, column]));
  for (const { name, unique, columns: names } of schema.definition.db?.indexes ?? []) {
    const indexed = names.map((field) => byField.get(field)).filter((column) => column !== undefined);
    if (indexed.length > 0) indexes.push(tableIndex(input, indexed, { unique, label: name }));
  }
  const searched = columns.filter((column) => fields.get(column.field)?.searchable);
  if (searched.length > 0) indexes.push(tableIndex(input, searched, { method: 'search', label: 'search' }));
  return [...new Map(indexes.map((index) => [index.key, index])).values()];
}

function isUniqueColumn({ schema, context }: TableInput, { field }: LinkedColumn): boolean {
  if (field === schema.primaryFieldName) return false;
  return schema.allFields.get(field)?.unique === true || foreignKeyOf(schema, field, context)?.pair.type === 'o2o';
}

/** With soft deletion, a unique index covers only live records, unless a foreign key refers to it. */
function tableIndex({ schema, table, context }: TableInput, columns: readonly LinkedColumn[], options: IndexOptions) {
  const isReferenced = columns.some((column) => context.referenced.has(`${schema.name}.${column.field}`));
  const live = options.unique === true && schema.softDelete && !isReferenced;
  return linkedIndex(table, columns, { ...options, live });
}

function buildChecks({ schema, table, columns }: TableInput): readonly LinkedCheck[] {
  return columns.flatMap((column) => {
    const field = schema.allFields.get(column.field);
    const rule = field && checkRule(field);
    if (!rule) return [];
    const key = JSON.stringify([column.id, rule]);
    return [{ key, name: objectName('ck', [table, column.name], key), column: column.name, rule }];
  });
}

function checkRule({ type, enums }: FieldDefinition): LinkedCheck['rule'] | undefined {
  const { range, checked } = fieldType(type);
  if (enums) return { kind: 'enum', values: enums.map(({ value }) => value) };
  return range && checked ? { kind: 'range', min: String(range[0]), max: String(range[1]) } : undefined;
}

function buildForeignKeys({ schema, table, columns, context }: TableInput): readonly LinkedForeignKey[] {
  return columns.flatMap((column) => {
    const storage = foreignKeyOf(schema, column.field, context);
    if (storage === undefined) return [];
    const target = storage.pair.owner.schema;
    const field = referencedField(storage);
    const to = { id: context.ids.field(target, field.name), schema: target, field };
    return [linkedForeignKey(table, column, to, storage)];
  });
}

function buildColumns(schema: CheckedSchema, context: LinkContext): readonly LinkedColumn[] {
  return [...schema.allFields.values()].flatMap((field) => {
    if (fieldType(field.type).sql) return [valueColumn(schema, field, context)];
    const storage = foreignKeyOf(schema, field.name, context);
    return storage ? [foreignKeyColumn(schema, field, storage, context)] : [];
  });
}

export function columnName(field: FieldDefinition): string {
  return field.db?.column ?? field.name;
}

function valueColumn(schema: CheckedSchema, field: FieldDefinition, context: LinkContext): LinkedColumn {
  const generated = schema.generatedBy(field);
  const isTimestamp = generated === 'created_at' || generated === 'updated_at';
  const value = field.default ?? (isTimestamp ? 'now' : undefined);
  return {
    id: context.ids.field(schema, field.name),
    name: columnName(field),
    field: field.name,
    type: field.type,
    sqlType: columnSqlType(field),
    nullable: field.optional === true || generated === 'deleted_at',
    managed: !schema.isSystemField(field.name),
    identity: schema.isIdentity(field),
    ...(value === undefined ? {} : { default: value }),
  };
}

function foreignKeyColumn(
  schema: CheckedSchema,
  field: FieldDefinition,
  storage: ForeignKeyStorage,
  { ids }: LinkContext,
): LinkedColumn {
  const { owner, other } = storage.pair;
  const targetField = referencedField(storage);
  return {
    id: `${ids.field(schema, field.name)}:${ids.schema(owner.schema)}`,
    name: storage.column,
    field: field.name,
    type: targetField.type,
    sqlType: cloneKeyColumn(owner.schema.name, targetField),
    nullable: other.isNullable,
    managed: !schema.isSystemField(field.name),
    identity: false,
  };
}

/** Returns the SQL type of a field; empty for fields without a column. */
export function columnSqlType(field: FieldDefinition): string {
  const { sql } = fieldType(field.type);
  return sql === 'varchar' ? `varchar(${field.size ?? SCHEMA_LIMITS.defaultStringSize})` : sql;
}

/** Returns the SQL type of a foreign key. Throws `relation.fk.clone_failed`, which validation excludes. */
export function cloneKeyColumn(target: string, field: FieldDefinition): string {
  if (fieldType(field.type).indexed) return columnSqlType(field);
  throw new SchemaFaultError([createFault('relation.fk.clone_failed', { params: { column: field.name, target } })]);
}

/** Returns a readable name of at most 63 bytes. The hash makes it unique in the database, including archived tables. */
function objectName(prefix: 'pk' | 'ix' | 'ux' | 'ck' | 'fk', parts: readonly string[], key: string): string {
  return fittedIdentifier([prefix, ...parts].join('_'), shortHash(key, HASH_DIGITS));
}

interface IndexOptions {
  readonly unique?: boolean | undefined;
  readonly live?: boolean;
  readonly method?: LinkedIndex['method'];
  /** Replaces the column names in the index name. */
  readonly label?: string | undefined;
}

function linkedIndex(table: string, columns: readonly LinkedColumn[], options: IndexOptions = {}): LinkedIndex {
  const { unique = false, live = false, method = 'btree', label } = options;
  const names = columns.map(({ name }) => name);
  const key = JSON.stringify([method, unique, live, ...columns.map(({ id }) => id)]);
  const name = objectName(unique ? 'ux' : 'ix', [table, ...(label ? [label] : names)], key);
  return { key, name, columns: names, unique, live, method };
}

/** @param to the referenced field. Its id, or that of its schema for a junction, is part of the key. */
function linkedForeignKey(
  table: string,
  column: LinkedColumn,
  to: { readonly id: string; readonly schema: CheckedSchema; readonly field: FieldDefinition },
  { onDelete, onUpdate }: Pick<LinkedForeignKey, 'onDelete' | 'onUpdate'>,
): LinkedForeignKey {
  const key = JSON.stringify([column.id, column.sqlType, to.id, onDelete, onUpdate]);
  return {
    key,
    name: objectName('fk', [table, column.name], key),
    column: column.name,
    targetTable: to.schema.definition.namespace,
    targetColumn: columnName(to.field),
    onDelete,
    onUpdate,
  };
}

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
