import type { SystemSchemas } from '../../../../src/kernel/system-schema.js';
import { fieldType } from '../../../../src/data/model/field-types.js';
import {
  isPlainIdentifier,
  isTooLong,
  reservedColumn,
  reservedMember,
  reservedSchemaName,
  reservedTable,
} from '../../../../src/data/model/identifiers.js';
import { withoutUndefined } from '../../../../src/data/model/plain-record.js';
import type { FieldDefinition, RelationDefinition } from '../../../../src/kernel/schema-definition.types.js';
import { assembleIndexes } from './assemble-indexes.js';
import { completeRelations } from './complete-relations.js';
import type { AssembledSchema, ConvertedSchema, DraftField, DraftSchema } from './conversion.types.js';
import { normalizeField } from './normalize-field.js';
import { NameScope } from './names.js';
import type { Notes } from './notes.js';

export interface Assembly {
  readonly schemas: readonly ConvertedSchema[];
  /** By name in the source. */
  readonly named: ReadonlyMap<string, AssembledSchema>;
}

const TIMESTAMPS = ['created_at', 'updated_at', 'deleted_at'];

/**
 * Converts drafts to definitions with valid names, both sides of relations and a label field. Drops options that a type does not support.
 */
export function assemble(drafts: readonly DraftSchema[], system: SystemSchemas, notes: Notes): Assembly {
  const added = drafts.map((draft) => withoutSystemFields(draft, system, notes));
  const complete = completeRelations(added, system, notes).map((draft) => withOptionalFields(draft, notes));
  const tableNames = new NameScope(
    [...system.values()].map(({ definition }) => definition.namespace),
    (name) => reservedTable(name) !== undefined,
  );
  const named = assignNames(complete, system, { tableNames, notes });
  const schemas = [...named.values()].map((schema) => {
    return schema.draft.system === undefined
      ? assembleSchema(schema, { named, tableNames, notes })
      : { name: schema.name, fields: assembleFields(schema, { named, tableNames, notes }) };
  });
  return { schemas: schemas.filter(({ name, fields }) => fields.length > 0 || !system.has(name)), named };
}

/** Removes fields that the system schema already has. Their definitions stay unchanged. */
function withoutSystemFields(draft: DraftSchema, system: SystemSchemas, notes: Notes): DraftSchema {
  const systemSchema = system.get(draft.system ?? '');
  if (systemSchema === undefined) return draft;
  const usedNames = new Set(
    [...systemSchema.definition.fields, ...systemSchema.hidden].map(({ name }) => name.toLowerCase()),
  );
  const fields = draft.fields.filter(({ name, at }) => {
    const isSystemField = usedNames.has(name.toLowerCase());
    if (isSystemField)
      notes.add(at, `${draft.system} already has a field \`${name.slice(0, 100)}\`, which was not changed.`);
    return !isSystemField;
  });
  return { ...draft, fields };
}

/** Makes new fields of a system schema optional, because existing records have no value for them. */
function withOptionalFields(draft: DraftSchema, notes: Notes): DraftSchema {
  if (draft.system === undefined) return draft;
  const fields = draft.fields.map((field) => {
    if (field.optional === true || field.default !== undefined || !hasOwnColumn(field)) return field;
    notes.add(field.at, `Existing records of ${draft.system} have no value, so the field is optional.`);
    return { ...field, optional: true };
  });
  return { ...draft, fields };
}

function hasOwnColumn({ type, multiple, relation }: DraftField): boolean {
  if (relation !== undefined) return relation.type !== 'm2m' && relation.owner !== true;
  return type === 'file' ? multiple !== true : fieldType(type).sql !== '';
}

interface AssemblyContext {
  readonly named: ReadonlyMap<string, AssembledSchema>;
  readonly tableNames: NameScope;
  readonly notes: Notes;
}

function assignNames(
  drafts: readonly DraftSchema[],
  system: SystemSchemas,
  { tableNames, notes }: Omit<AssemblyContext, 'named'>,
): Map<string, AssembledSchema> {
  const systemDefinitions = [...system.values()].map(({ definition }) => definition);
  const usedNames = systemDefinitions.flatMap(({ name, namespace }) => [name, namespace]);
  const names = new NameScope(usedNames, (name) => reservedSchemaName(name) !== undefined);
  const named = drafts.map((draft) => [draft, draft.system ?? names.unique(draft.name, 'schema')] as const);
  // Records are addressed by schema name or table name, so no other schema may use either.
  for (const [, name] of named) tableNames.reserve(name);
  return new Map(
    named.map(([draft, name]) => {
      if (name !== draft.name && draft.system === undefined)
        notes.add(
          draft.at,
          `The name ${draft.name.slice(0, 100)} is already used or not allowed. The schema is named ${name}.`,
        );
      tableNames.release(name);
      const namespace = system.get(name)?.definition.namespace ?? tableNames.unique(draft.namespace ?? name, 'table');
      tableNames.reserve(name);
      if (draft.namespace !== undefined && namespace !== draft.namespace)
        notes.add(
          draft.at,
          `The table name ${draft.namespace.slice(0, 100)} is not allowed. The table is named ${namespace}.`,
        );
      return [draft.name, { draft, name, namespace, fields: nameFields(draft, system, notes) }];
    }),
  );
}

function nameFields(draft: DraftSchema, system: SystemSchemas, notes: Notes): ReadonlyMap<string, string> {
  const systemSchema = system.get(draft.system ?? '');
  const usedNames = systemSchema
    ? [...systemSchema.definition.fields, ...systemSchema.hidden].map(({ name }) => name)
    : [...(draft.primaryField === 'id' ? [] : ['id']), ...(draft.disableTimestamp ? [] : TIMESTAMPS)];
  const names = new NameScope(usedNames, (name) => reservedMember(name) !== undefined);
  return new Map(
    draft.fields.map((field) => {
      const name = names.unique(field.name, 'field');
      if (name !== field.name)
        notes.add(
          field.at,
          `The name ${field.name.slice(0, 100)} is already used or not allowed. The field is named ${name}.`,
        );
      return [field.name, name];
    }),
  );
}

function assembleSchema(schema: AssembledSchema, context: AssemblyContext): ConvertedSchema {
  const { draft, name, namespace } = schema;
  const fields = assembleFields(schema, context);
  const indexes = assembleIndexes(schema, fields, context.notes);
  const primary = draft.primaryField === undefined ? undefined : schema.fields.get(draft.primaryField);
  return withoutUndefined<ConvertedSchema>({
    name,
    namespace,
    label_field: labelOf(schema, fields, context.notes),
    primary_field: primary === 'id' ? undefined : primary,
    disable_timestamp: draft.disableTimestamp || undefined,
    fields,
    db: indexes.length > 0 ? { indexes } : undefined,
  });
}

/** Returns the label field: the one of the source if it is text, otherwise the first text field. */
function labelOf({ draft, fields: names }: AssembledSchema, fields: readonly FieldDefinition[], notes: Notes): string {
  const texts = fields.filter(({ type }) => type === 'string' || type === 'text').map(({ name }) => name);
  const givenLabel = draft.labelField === undefined ? undefined : names.get(draft.labelField);
  if (givenLabel !== undefined && texts.includes(givenLabel)) return givenLabel;
  const chosen = texts[0] ?? 'id';
  if (draft.labelField !== undefined && draft.labelField !== 'id')
    notes.add(draft.at, `${draft.labelField.slice(0, 100)} is not a text field. The label field is ${chosen}.`);
  return draft.labelField === 'id' ? 'id' : chosen;
}

function assembleFields(schema: AssembledSchema, context: AssemblyContext): readonly FieldDefinition[] {
  const columns = new NameScope(['id', ...TIMESTAMPS], (name) => reservedColumn(name) !== undefined);
  const isValue = ({ type }: DraftField): boolean => fieldType(type).sql !== '';
  // Columns of values are named before foreign keys, which can have any name.
  for (const field of schema.draft.fields) {
    const name = schema.fields.get(field.name) ?? field.name;
    if (isValue(field) && reservedColumn(name) === undefined) columns.reserve(name);
  }
  return schema.draft.fields.map((field) => {
    const name = schema.fields.get(field.name) ?? field.name;
    const { type, db, ...rest } = normalizeField(field, context.notes);
    if (isValue(field)) {
      const column = reservedColumn(name) === undefined ? db?.column : columns.unique(name, 'value');
      const stored = withoutUndefined({ ...db, column });
      return { type, name, ...rest, ...(Object.keys(stored).length > 0 ? { db: stored } : {}) };
    }
    if (field.relation === undefined) return { type, name, ...rest };
    return { type, name, ...rest, relation: assembleRelation({ schema, field, name }, columns, context) };
  });
}

interface AssembledField {
  readonly schema: AssembledSchema;
  readonly field: DraftField;
  readonly name: string;
}

function assembleRelation(
  { schema, field, name }: AssembledField,
  columns: NameScope,
  context: AssemblyContext,
): RelationDefinition {
  const {
    source_column,
    target_column: _target,
    junction_table,
    ...relation
  } = field.relation ?? { schema: '', type: 'o2m' };
  const target = context.named.get(relation.schema);
  const back = target?.fields.get(relation.field ?? '') ?? '';
  const onDelete = normalizeOnDelete(field, target, context.notes);
  const definition = { ...relation, schema: target?.name ?? relation.schema, field: back, on_delete: onDelete };
  if (relation.type === 'm2m') {
    const isOwner = relation.owner === true;
    return withoutUndefined<RelationDefinition>({
      ...definition,
      ...(isOwner ? junctionColumns({ schema, field, name }, target, context.notes) : {}),
      ...(isOwner ? { junction_table: junctionTable({ schema, field, name }, junction_table, context) } : {}),
    });
  }
  if (relation.owner === true) return withoutUndefined<RelationDefinition>(definition);
  const column = columns.unique(source_column ?? `${name}_id`, 'key');
  return withoutUndefined<RelationDefinition>({
    ...definition,
    source_column: column === `${name}_id` ? undefined : column,
  });
}

/** Returns the junction columns of the source if they are valid. A self relation whose default names would collide gets other names. */
function junctionColumns({ schema, field, name }: AssembledField, target: AssembledSchema | undefined, notes: Notes) {
  const { source_column: source, target_column: other } = field.relation ?? {};
  const isUsable = (column: string | undefined): column is string =>
    column !== undefined && isPlainIdentifier(column) && !isTooLong(column) && reservedColumn(column) === undefined;
  if (isUsable(source) && isUsable(other) && source.toLowerCase() !== other.toLowerCase())
    return { source_column: source, target_column: other };
  if (source !== undefined || other !== undefined)
    notes.add(field.at, 'The column names of the links are not allowed. The default names were used.');
  const collides = target?.name === schema.name && name.toLowerCase() === schema.name.toLowerCase();
  return collides ? { source_column: `${name}_id`, target_column: `other_${name}_id` } : {};
}

/** Returns the name of a junction table, or undefined if the default name is valid and free. */
function junctionTable(
  { schema, name }: AssembledField,
  junctionName: string | undefined,
  { tableNames }: AssemblyContext,
): string | undefined {
  const defaultName = `${schema.namespace}_${name}`;
  const table = tableNames.unique(junctionName ?? defaultName, 'links');
  return table === defaultName ? undefined : table;
}

/** Returns the `on_delete` action. `set_null` is dropped for a required foreign key. */
function normalizeOnDelete(field: DraftField, target: AssembledSchema | undefined, notes: Notes) {
  const action = field.relation?.on_delete;
  if (action !== 'set_null') return action;
  const keyOwner =
    field.relation?.owner === true ? target?.draft.fields.find(({ name }) => name === field.relation?.field) : field;
  if (keyOwner?.optional === true) return action;
  notes.add(field.at, '`on_delete: set_null` was skipped, because the relation is required.');
  return undefined;
}
