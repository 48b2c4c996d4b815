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

/** Returns the field that is the primary key; throws `builder.schema.primary_key.missing`, which validation rules out. */
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

/** Returns the SQL type of the column of a field; empty for fields without a column of their own. */
export function columnSqlType(field: FieldDefinition): string {
  const { sql } = fieldType(field.type);
  return sql === 'varchar' ? `varchar(${field.size ?? SCHEMA_LIMITS.defaultStringSize})` : sql;
}

/** Returns the SQL type of a foreign key to a field. Throws `relation.fk.clone_failed`, which validation rules out. */
export function cloneKeyColumn(target: string, field: FieldDefinition): string {
  if (fieldType(field.type).indexed) return columnSqlType(field);
  throw new SchemaFaultError([makeFault('relation.fk.clone_failed', { params: { column: field.name, target } })]);
}

type ObjectPrefix = 'pk' | 'ix' | 'ux' | 'ck' | 'fk';

/** Returns a readable name of at most 63 bytes. The hash makes it unique in the database, also beside archived tables. */
export function objectName(prefix: ObjectPrefix, parts: readonly string[], key: string): string {
  return fittedIdentifier([prefix, ...parts].join('_'), shortHash(key, HASH_DIGITS));
}

export interface IndexOptions {
  readonly unique?: boolean | undefined;
  readonly live?: boolean;
  readonly method?: LinkedIndex['method'];
  /** Takes the place of the columns in the name. */
  readonly label?: string | undefined;
}

export function linkedIndex(table: string, columns: readonly LinkedColumn[], options: IndexOptions = {}): LinkedIndex {
  const { unique = false, live = false, method = 'btree', label } = options;
  const names = columns.map(({ name }) => name);
  const key = JSON.stringify([method, unique, live, ...columns.map(({ id }) => id)]);
  const name = objectName(unique ? 'ux' : 'ix', [table, ...(label ? [label] : names)], key);
  return { key, name, columns: names, unique, live, method };
}

/** @param to the referenced field; its id, or that of its schema for a junction, is a part of the key. */
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

/** Holds the checked parts of all schemas from which the linked model is built; nothing in it is faulty. */
export interface LinkContext {
  readonly sides: Sides;
  readonly storages: ReadonlyMap<Side, PairStorage>;
  readonly ids: StableIds;
  readonly expressions: ReadonlyMap<CheckedSchema, ReadonlyMap<string, FieldExpressions>>;
  /** Fields that are not the primary key and yet the target of a foreign key, as `schema.field`. */
  readonly referenced: ReadonlySet<string>;
}
