import { canonicalType } from '../../../../src/data/model/field-types.js';
import type { ReferentialAction, RelationType } from '../../../../src/kernel/schema-definition.types.js';
import { assemble } from '../draft/assemble.js';
import type {
  Conversion,
  ConversionContext,
  DraftField,
  DraftRelation,
  DraftSchema,
  SourceFile,
} from '../draft/conversion.types.js';
import { keyField } from '../draft/key-field.js';
import { Notes } from '../draft/notes.js';
import { jsonValue, objectAt, readJson, type SourceObject } from '../draft/source-object.js';
import { translateSetter } from './translate-setter.js';

const SYSTEM: ReadonlyMap<string, string> = new Map([['media', 'file']]);
const RELATIONS: ReadonlyMap<string, RelationType> = new Map([
  ['o2o', 'o2o'],
  ['o2m', 'o2m'],
  ['m2o', 'o2m'],
  ['m2m', 'm2m'],
]);
const ACTIONS: ReadonlyMap<string, ReferentialAction> = new Map([
  ['no_action', 'no_action'],
  ['restrict', 'restrict'],
  ['cascade', 'cascade'],
  ['set_null', 'set_null'],
]);

/** Converts the schema files of a FastSchema project (`data/schemas/*.json`) or of its zip export. */
export function convertFastSchema(files: readonly SourceFile[], { system }: ConversionContext): Conversion {
  const notes = new Notes();
  const drafts = schemaFiles(files, notes).flatMap((file) => {
    const json = readJson(file, notes);
    if (json === undefined) return [];
    const at = { file: file.name, pointer: '' };
    const wrapped = objectAt(json, at, notes);
    if (wrapped === undefined) return [];
    const schemas = Object.hasOwn(wrapped.value, 'schemas') ? wrapped.objects('schemas') : [wrapped];
    return schemas.flatMap((source) => readSchema(source, (name) => systemName(name, system)) ?? []);
  });
  return { schemas: assemble(drafts, system, notes).schemas, renames: {}, roles: [], notes: notes.list() };
}

/** Returns the files in the folder `schemas` if it exists, otherwise all. Other files are noted. */
function schemaFiles(files: readonly SourceFile[], notes: Notes): readonly SourceFile[] {
  const isIn = ({ name }: SourceFile): boolean => /(^|\/)schemas\/[^/]+\.json$/.test(name);
  const inFolder = files.filter(isIn);
  const chosen = inFolder.length > 0 ? inFolder : files.filter(({ name }) => name.endsWith('.json'));
  for (const file of files)
    if (!chosen.includes(file))
      notes.add({ file: file.name, pointer: '' }, 'The file is not a schema file and was skipped.');
  return chosen;
}

type SystemName = (name: string) => string | undefined;

function systemName(name: string, system: ConversionContext['system']): string | undefined {
  const systemName = SYSTEM.get(name) ?? name;
  return system.has(systemName) ? systemName : undefined;
}

function readSchema(source: SourceObject, systemOf: SystemName): DraftSchema | undefined {
  const { at, notes } = source;
  const name = source.text('name');
  if (!name) {
    notes.add(at, 'The entry has no `name` and was skipped.');
    return undefined;
  }
  const system = systemOf(name);
  source.ignore('is_system_schema');
  if (source.flag('is_junction_schema') === true) {
    notes.add(at, `${name} contains the links of a relation and is created with the relation.`);
    return undefined;
  }
  const fields = source.objects('fields').flatMap((field) => readField(field, systemOf) ?? []);
  const [namespace, labelField] = [source.text('namespace'), source.text('label_field')];
  const disableTimestamp = source.flag('disable_timestamp');
  const indexes = readIndexes(source);
  source.noteUnread();
  if (system !== undefined) {
    if (indexes.length > 0) notes.add(source.originOf('db'), `Fields were added to ${system}, but no indexes.`);
    return { at, name: system, system, fields };
  }
  const key = keyOf(fields, notes);
  const primaryField = key === undefined ? undefined : 'id';
  const keys = { labelField, ...(primaryField ? { primaryField } : {}), disableTimestamp: disableTimestamp === true };
  return withoutMissing({
    at,
    name,
    namespace,
    ...keys,
    fields: fields.map((field) => (field.name === 'id' && key ? key : field)),
    indexes,
  }) as DraftSchema;
}

/** A declared `id` is the primary key if its type is supported. */
function keyOf(fields: readonly DraftField[], notes: Notes): DraftField | undefined {
  const field = fields.find(({ name }) => name === 'id');
  return field && keyField(field, notes);
}

function withoutMissing(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== ''));
}

function readIndexes(source: SourceObject): NonNullable<DraftSchema['indexes']> {
  const db = source.object('db');
  const indexes = db?.objects('indexes') ?? [];
  db?.noteUnread();
  return indexes.map((index) => {
    const [name, unique, columns] = [index.text('name'), index.flag('unique'), index.texts('columns')];
    index.noteUnread();
    return { at: index.at, columns, ...(name ? { name } : {}), ...(unique ? { unique } : {}) };
  });
}

function readField(source: SourceObject, systemOf: SystemName): DraftField | undefined {
  const { at, notes } = source;
  const [name, type] = [source.text('name'), source.text('type')];
  const canonical = canonicalType(type === 'media' ? 'file' : (type ?? ''));
  if (!name || canonical === undefined) {
    notes.add(
      at,
      name
        ? `The type ${(type ?? '').slice(0, 100)} is unknown, so the field was skipped.`
        : 'The entry has no `name` and was skipped.',
    );
    return undefined;
  }
  // The server has the same generated fields.
  source.ignore('is_system_field', 'is_locked', 'queryable');
  if (source.flag('is_system_field') === true && /^(id|created_at|updated_at|deleted_at)$/.test(name)) {
    if (name === 'id' && canonical !== 'uuid') notes.add(at, 'Record ids are UUIDs, not numbers.');
    return undefined;
  }
  const [relation, enums, db] = [readRelation(source, systemOf), readEnums(source), readStorage(source)];
  const setter = translated(source, 'setter');
  const getter = translated(source, 'getter');
  const field = {
    at,
    type: canonical,
    name,
    label: source.text('label'),
    size: source.number('size'),
    ...flagsOf(source),
    default: timeDefault(jsonValue(source.any('default')), canonical),
    renderer: jsonValue(source.any('renderer')),
    setter,
    getter,
    enums: canonical === 'enum' || enums.length > 0 ? enums : undefined,
    db,
    relation,
  };
  source.noteUnread();
  if (canonical === 'relation' && relation === undefined) {
    notes.add(at, 'The relation has no target, so the field was skipped.');
    return undefined;
  }
  if (canonical === 'enum' && enums.length === 0) {
    notes.add(at, 'The enum has no values and becomes a string.');
    return withoutMissing({ ...field, type: 'string', enums: undefined }) as DraftField;
  }
  return withoutMissing(field) as DraftField;
}

function flagsOf(source: SourceObject): Partial<DraftField> {
  const set = (['unique', 'optional', 'immutable', 'searchable', 'multiple'] as const).filter(
    (member) => source.flag(member) === true,
  );
  // These default to true here and to false in FastSchema.
  const unset = (['sortable', 'filterable'] as const).filter((member) => source.flag(member) === false);
  return Object.fromEntries<boolean>([
    ...set.map((member) => [member, true] as const),
    ...unset.map((member) => [member, false] as const),
  ]);
}

function timeDefault(value: DraftField['default'], type: string): DraftField['default'] {
  const isNow = typeof value === 'string' && /^(now\(\)|now|current_timestamp)$/i.test(value);
  return type === 'time' && isNow ? 'now' : value;
}

function readEnums(source: SourceObject): NonNullable<DraftField['enums']> {
  return source.objects('enums').flatMap((entry) => {
    const [value, label] = [entry.text('value'), entry.text('label')];
    entry.noteUnread();
    return value === undefined ? [] : [{ value, ...(label ? { label } : {}) }];
  });
}

function readStorage(source: SourceObject): DraftField['db'] {
  const db = source.object('db');
  if (db === undefined) return undefined;
  const increment = db.flag('increment');
  // `UNSIGNED` is part of the type, and a unique key is in `unique`.
  if (isWord(db.any('attr'), 'unsigned')) db.ignore('attr');
  else db.drop('attr', 'Column attributes are not supported. The attribute was skipped.');
  if (isWord(db.any('key'), 'uni')) db.ignore('key');
  else db.drop('key', 'Column keys are not supported. The key was skipped.');
  db.drop('collation', 'Columns use the collation of the database. The collation was skipped.');
  db.noteUnread();
  if (increment === true && source.value['name'] !== 'id')
    source.notes.add(db.originOf('increment'), 'Auto-increment is supported for primary keys only. It was skipped.');
  return increment === true && source.value['name'] === 'id' ? { increment: true } : undefined;
}

function readRelation(source: SourceObject, systemOf: SystemName): DraftRelation | undefined {
  const relation = source.object('relation');
  if (relation === undefined) return undefined;
  const schema = relation.text('schema');
  const type = RELATIONS.get(relation.text('type') ?? '');
  const columns = relation.object('fk_columns');
  const read = {
    schema: schema === undefined ? undefined : (systemOf(schema) ?? schema),
    field: relation.text('field'),
    type,
    owner: relation.flag('owner') === true ? true : undefined,
    optional: relation.flag('optional') === true ? true : undefined,
    on_delete: readAction(relation, 'on_delete'),
    on_update: readAction(relation, 'on_update'),
    source_column: relation.text('source_column') ?? columns?.text('target_column'),
    target_column: relation.text('target_column'),
    junction_table: relation.text('junction_table'),
  };
  if (columns?.value['current_column'] === 'id') columns.ignore('current_column');
  columns?.ignore('target_column');
  columns?.noteUnread();
  relation.noteUnread();
  return schema && type ? (withoutMissing(read) as DraftRelation) : undefined;
}

function readAction(relation: SourceObject, member: 'on_delete' | 'on_update'): ReferentialAction | undefined {
  const text = relation.text(member);
  if (!text) return undefined;
  const action = ACTIONS.get(text.toLowerCase().replaceAll(/[ -]/g, '_'));
  if (action === undefined)
    relation.notes.add(relation.originOf(member), `${text.slice(0, 100)} is not supported and was skipped.`);
  return action;
}

function translated(source: SourceObject, member: 'setter' | 'getter'): string | undefined {
  const text = source.text(member);
  if (!text) return undefined;
  const cel = translateSetter(text);
  if (cel === undefined) source.notes.add(source.originOf(member), `The ${member} was skipped. Rewrite it in CEL.`);
  return cel;
}

function isWord(value: unknown, word: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === word;
}
