import { makeFault, SchemaFaultError } from '../../codes/schema-fault.js';
import { fieldType } from '../../../model/field-types.js';
import type { FieldDefinition } from '../../../../kernel/schema-definition.types.js';
import type { LinkedColumn, LinkedForeignKey, LinkedIndex } from '../../../model/schema-model.types.js';
import type { CheckedSchema } from '../../validate/checked-schema.js';
import { allFields, generatedBy, isIdentity, isSystemField, primaryFieldName } from '../all-fields.js';
import type { ForeignKeyStorage, PairStorage, Side, Sides } from '../relation-sides.js';
import { SCHEMA_LIMITS } from '../../../model/schema-limits.js';
import { fittedIdentifier, shortHash } from '../../../model/identifiers.js';
import type { FieldExpressions } from '../check-expressions.js';
import type { StableIds } from '../stable-ids.js';

const HASH_DIGITS = 8;

export function buildColumns(schema: CheckedSchema, context: LinkContext): readonly LinkedColumn[] {
  const sides = context.sides.get(schema);
  const columns = [...allFields(schema).values()].map((field) => {
    if (fieldType(field.type).sql) return valueColumn(schema, field, context);
    const side = sides?.get(field.name);
    const storage = side && context.storages.get(side);
    if (storage?.kind !== 'foreign_key' || storage.pair.other !== side) return undefined;
    return foreignKeyColumn(schema, field, storage, context);
  });
  return columns.filter((column) => column !== undefined);
}

/** Returns the primary key field. Throws `builder.schema.primary_key.missing`, which validation excludes. */
export function primaryField(schema: CheckedSchema): FieldDefinition {
  const field = allFields(schema).get(primaryFieldName(schema));
  if (field) return field;
  throw new SchemaFaultError([makeFault('builder.schema.primary_key.missing', { schema: schema.definition.name })]);
}

export function columnName(field: FieldDefinition): string {
  return field.db?.column ?? field.name;
}

function valueColumn(schema: CheckedSchema, field: FieldDefinition, context: LinkContext): LinkedColumn {
  const generated = generatedBy(schema, field);
  const isTimestamp = generated === 'created_at' || generated === 'updated_at';
  const value = field.default ?? (isTimestamp ? 'now' : undefined);
  return {
    id: context.ids.field(schema, field.name),
    name: columnName(field),
    field: field.name,
    type: field.type,
    sqlType: columnSqlType(field),
    nullable: field.optional === true || generated === 'deleted_at',
    managed: !isSystemField(schema, field.name),
    identity: isIdentity(schema, field),
    ...(value === undefined ? {} : { default: value }),
  };
}

function foreignKeyColumn(
  schema: CheckedSchema,
  field: FieldDefinition,
  storage: ForeignKeyStorage,
  context: LinkContext,
): LinkedColumn {
  const target = storage.pair.owner.schema;
  const targetField = allFields(target).get(storage.targetField) ?? primaryField(target);
  return {
    id: `${context.ids.field(schema, field.name)}:${context.ids.schema(target)}`,
    name: storage.column,
    field: field.name,
    type: targetField.type,
    sqlType: cloneKeyColumn(target.definition.name, targetField),
    nullable: storage.nullable,
    managed: !isSystemField(schema, field.name),
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
  throw new SchemaFaultError([makeFault('relation.fk.clone_failed', { params: { column: field.name, target } })]);
}

type ObjectPrefix = 'pk' | 'ix' | 'ux' | 'ck' | 'fk';

/** Returns a readable name of at most 63 bytes. The hash makes it unique in the database, including archived tables. */
export function objectName(prefix: ObjectPrefix, parts: readonly string[], key: string): string {
  return fittedIdentifier([prefix, ...parts].join('_'), shortHash(key, HASH_DIGITS));
}

export interface IndexOptions {
  readonly unique?: boolean | undefined;
  readonly live?: boolean;
  readonly method?: LinkedIndex['method'];
  /** Replaces the column names in the index name. */
  readonly label?: string | undefined;
}

export function linkedIndex(table: string, columns: readonly LinkedColumn[], options: IndexOptions = {}): LinkedIndex {
  const { unique = false, live = false, method = 'btree', label } = options;
  const names = columns.map(({ name }) => name);
  const key = JSON.stringify([method, unique, live, ...columns.map(({ id }) => id)]);
  const name = objectName(unique ? 'ux' : 'ix', [table, ...(label ? [label] : names)], key);
  return { key, name, columns: names, unique, live, method };
}

/** @param to the referenced field. Its id, or that of its schema for a junction, is part of the key. */
export function linkedForeignKey(
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

export interface LinkContext {
  readonly sides: Sides;
  readonly storages: ReadonlyMap<Side, PairStorage>;
  readonly ids: StableIds;
  readonly expressions: ReadonlyMap<CheckedSchema, ReadonlyMap<string, FieldExpressions>>;
  /** Unique fields, other than primary keys, that foreign keys refer to, as `schema.field`. */
  readonly referenced: ReadonlySet<string>;
}
