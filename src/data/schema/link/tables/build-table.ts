import { fieldType } from '../../../model/field-types.js';
import type {
  LinkedCheck,
  LinkedColumn,
  LinkedForeignKey,
  LinkedIndex,
  LinkedTable,
} from '../../../model/schema-model.types.js';
import type { CheckedSchema } from '../../validate/checked-schema.js';
import { allFields, deletesSoftly, primaryFieldName } from '../all-fields.js';
import {
  buildColumns,
  columnName,
  primaryField,
  objectName,
  type LinkContext,
  type IndexOptions,
  linkedForeignKey,
  linkedIndex,
} from './build-columns.js';
import type { ForeignKeyStorage } from '../relation-sides.js';

export function buildTable(schema: CheckedSchema, context: LinkContext): LinkedTable {
  const id = context.ids.schema(schema);
  const name = schema.definition.namespace;
  const columns = buildColumns(schema, context);
  const managed = schema.system === undefined;
  const key = columnName(primaryField(schema));
  return {
    id,
    name,
    schema: schema.definition.name,
    managed,
    columns,
    primaryKey: { name: managed ? objectName('pk', [name], id) : `${name}_pkey`, columns: [key] },
    indexes: buildIndexes({ schema, name, context, columns: columns.filter((column) => column.managed) }),
    checks: buildChecks(schema, name, columns),
    foreignKeys: buildForeignKeys(schema, name, columns, context),
  };
}

interface IndexInput {
  readonly schema: CheckedSchema;
  readonly name: string;
  readonly context: LinkContext;
  /** Columns managed by plans. System tables define their own indexes. */
  readonly columns: readonly LinkedColumn[];
}

function buildIndexes(input: IndexInput): readonly LinkedIndex[] {
  const { schema, columns } = input;
  const fields = allFields(schema);
  const indexes = columns.flatMap((column) => {
    const field = fields.get(column.field);
    const unique = isUniqueColumn(input, column);
    if (unique) return [tableIndex(input, [column], { unique })];
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

function isUniqueColumn({ schema, context }: IndexInput, column: LinkedColumn): boolean {
  if (column.field === primaryFieldName(schema)) return false;
  if (allFields(schema).get(column.field)?.unique) return true;
  const side = context.sides.get(schema)?.get(column.field);
  return side !== undefined && context.storages.get(side)?.pair.type === 'o2o';
}

/** With soft deletion, a unique index covers only live records, unless a foreign key refers to it. */
function tableIndex({ schema, name, context }: IndexInput, columns: readonly LinkedColumn[], options: IndexOptions) {
  const { unique = false } = options;
  const isReferenced = columns.some((column) => context.referenced.has(`${schema.definition.name}.${column.field}`));
  const live = unique && deletesSoftly(schema) && !isReferenced;
  return linkedIndex(name, columns, { ...options, live });
}

function buildChecks(schema: CheckedSchema, table: string, columns: readonly LinkedColumn[]): readonly LinkedCheck[] {
  const fields = allFields(schema);
  const checks = columns
    .filter((column) => column.managed)
    .map((column): LinkedCheck | undefined => {
      const field = fields.get(column.field);
      const rule =
        field &&
        checkRule(
          field.type,
          field.enums?.map((entry) => entry.value),
        );
      if (rule === undefined) return undefined;
      const key = JSON.stringify([column.id, rule]);
      return { key, name: objectName('ck', [table, column.name], key), column: column.name, rule };
    });
  return checks.filter((check) => check !== undefined);
}

function checkRule(type: LinkedColumn['type'], values: readonly string[] | undefined): LinkedCheck['rule'] | undefined {
  const { range, checked } = fieldType(type);
  if (values) return { kind: 'enum', values };
  return range && checked ? { kind: 'range', min: String(range[0]), max: String(range[1]) } : undefined;
}

function buildForeignKeys(
  schema: CheckedSchema,
  table: string,
  columns: readonly LinkedColumn[],
  context: LinkContext,
) {
  const foreignKeys = columns
    .filter((column) => column.managed)
    .map((column) => {
      const side = context.sides.get(schema)?.get(column.field);
      const storage = side && context.storages.get(side);
      return storage?.kind === 'foreign_key' ? foreignKey(table, column, storage, context) : undefined;
    });
  return foreignKeys.filter((key) => key !== undefined);
}

function foreignKey(
  table: string,
  column: LinkedColumn,
  storage: ForeignKeyStorage,
  context: LinkContext,
): LinkedForeignKey {
  const target = storage.pair.owner.schema;
  const targetField = allFields(target).get(storage.targetField) ?? primaryField(target);
  const to = { id: context.ids.field(target, targetField.name), schema: target, field: targetField };
  return linkedForeignKey(table, column, to, storage);
}
