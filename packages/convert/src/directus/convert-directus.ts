import { CORE_SCHEMA, load } from 'js-yaml';
import { assemble } from '../draft/assemble.js';
import type { Conversion, ConversionContext, DraftField, DraftSchema, SourceFile } from '../draft/conversion.types.js';
import { Notes } from '../draft/notes.js';
import { objectAt, readJson, type SourceObject } from '../draft/source-object.js';
import { readField } from './read-field.js';
import { type DirectusRelation, readRelations } from './read-relations.js';

const SYSTEM: ReadonlyMap<string, string> = new Map([
  ['directus_users', 'user'],
  ['directus_roles', 'role'],
  ['directus_files', 'file'],
]);

interface Snapshot {
  readonly collections: readonly SourceObject[];
  readonly fields: readonly SourceObject[];
  readonly relations: readonly SourceObject[];
}

/** Converts a Directus schema snapshot (`directus schema snapshot`), in YAML or JSON. */
export function convertDirectus(files: readonly SourceFile[], { system }: ConversionContext): Conversion {
  const notes = new Notes();
  const snapshots = files.flatMap((file) => readSnapshot(file, notes) ?? []);
  const collections = snapshots.flatMap((snapshot) => snapshot.collections);
  const names = namesOf(collections, notes);
  const schemaOf = (collection: string): string | undefined =>
    SYSTEM.get(collection) ?? (names.has(collection) ? collection : undefined);
  const fields = fieldsByCollection(
    snapshots.flatMap((snapshot) => snapshot.fields),
    schemaOf,
    notes,
  );
  const { relations, junctions } = readRelations(
    snapshots.flatMap((snapshot) => snapshot.relations),
    { schemaOf, fields, notes },
  );
  const ofCollection = grouped(relations);
  const drafts = [...names.values()].flatMap((source) => {
    const collection = source.text('collection') ?? '';
    // Junctions are read too, so that losses in them are reported.
    const draft = readCollection(source, fields.get(collection) ?? [], ofCollection.get(collection) ?? []);
    return junctions.has(collection) ? [] : [draft];
  });
  const extensions = [...SYSTEM.keys()].flatMap((name) =>
    extensionOf(name, fields.get(name) ?? [], ofCollection.get(name) ?? []),
  );
  return {
    schemas: assemble([...drafts, ...extensions], system, notes).schemas,
    renames: {},
    roles: [],
    notes: notes.list(),
  };
}

function readSnapshot(file: SourceFile, notes: Notes): Snapshot | undefined {
  const at = { file: file.name, pointer: '' };
  // YAML may also be JSON, which parses faster.
  const isYaml = /\.ya?ml$/i.test(file.name) && !/^\s*\{/.test(file.text);
  const value = isYaml ? readYaml(file, notes) : readJson(file, notes);
  const outer = value === undefined ? undefined : objectAt(value, at, notes);
  // The HTTP API wraps the snapshot in `data`.
  const source =
    outer !== undefined && outer.value['collections'] === undefined ? (outer.object('data') ?? outer) : outer;
  if (source === undefined) return undefined;
  source.ignore('version', 'directus', 'vendor', 'systemFields');
  const snapshot = {
    collections: source.objects('collections'),
    fields: source.objects('fields'),
    relations: source.objects('relations'),
  };
  source.noteUnread();
  return snapshot;
}

/** A snapshot has no aliases, and its nesting is known. */
const YAML_OPTIONS = { schema: CORE_SCHEMA, maxAliases: 0, maxDepth: 100 };

function readYaml(file: SourceFile, notes: Notes): unknown {
  try {
    const value: unknown = load(file.text, YAML_OPTIONS);
    return readJson({ name: file.name, text: JSON.stringify(value) ?? '' }, notes);
  } catch {
    notes.add({ file: file.name, pointer: '' }, 'The file is not valid YAML and was skipped.');
    return undefined;
  }
}

/** Returns the collections that have a table. Folders have none. */
function namesOf(collections: readonly SourceObject[], notes: Notes): ReadonlyMap<string, SourceObject> {
  const named = new Map<string, SourceObject>();
  for (const source of collections) {
    const name = source.text('collection');
    if (!name) notes.add(source.at, 'The entry has no `collection` and was skipped.');
    else if (source.value['schema'] === null || source.value['schema'] === undefined)
      notes.add(source.at, `${name.slice(0, 100)} is a folder and was skipped.`);
    else if (name.startsWith('directus_'))
      notes.add(source.at, `${name.slice(0, 100)} belongs to Directus itself and was skipped.`);
    else if (named.has(name))
      notes.add(source.at, `Two collections have the name ${name.slice(0, 100)}. The first was used.`);
    else named.set(name, source);
  }
  return named;
}

function fieldsByCollection(
  fields: readonly SourceObject[],
  schemaOf: (name: string) => string | undefined,
  notes: Notes,
) {
  const byCollection = new Map<string, SourceObject[]>();
  for (const source of fields) {
    const collection = source.text('collection') ?? '';
    if (schemaOf(collection) === undefined)
      notes.add(source.at, 'The collection is not in the source, so the field was skipped.');
    else if (byCollection.has(collection)) byCollection.get(collection)?.push(source);
    else byCollection.set(collection, [source]);
  }
  return byCollection;
}

type Relations = readonly DirectusRelation[];

function grouped(relations: Relations): ReadonlyMap<string, Relations> {
  const groups = new Map<string, DirectusRelation[]>();
  for (const relation of relations) {
    const group = groups.get(relation.collection);
    if (group === undefined) groups.set(relation.collection, [relation]);
    else group.push(relation);
  }
  return groups;
}

function readCollection(source: SourceObject, fields: readonly SourceObject[], relations: Relations): DraftSchema {
  const name = source.text('collection') ?? '';
  const label = readMeta(source);
  const schema = source.object('schema');
  schema?.ignore('name');
  schema?.drop('comment', 'Table comments are not supported.');
  schema?.noteUnread();
  source.noteUnread();
  const key = fields.find((field) => isKey(field));
  const read = fields.flatMap((field) => (field === key ? keyOf(field) : readOwn(field, name, relations)));
  const primaryField = key && read.some((field) => field.name === key.text('field')) ? key.text('field') : undefined;
  return {
    at: source.at,
    name,
    fields: [...read, ...sidesOf(name, relations, read)],
    ...(label === undefined ? {} : { labelField: label }),
    ...(primaryField === undefined ? {} : { primaryField }),
  };
}

function extensionOf(name: string, fields: readonly SourceObject[], relations: Relations): readonly DraftSchema[] {
  const system = SYSTEM.get(name) ?? name;
  const read = fields.flatMap((field) => readOwn(field, name, relations));
  const all = [...read, ...sidesOf(name, relations, read)];
  const [first] = all;
  return first === undefined ? [] : [{ at: first.at, name: system, system, fields: all }];
}

/** Returns the label field, if the display template consists of a single field. */
function readMeta(source: SourceObject): string | undefined {
  const meta = source.object('meta');
  if (meta === undefined) return undefined;
  meta.ignore(
    'collection',
    'icon',
    'color',
    'hidden',
    'group',
    'collapse',
    'sort',
    'accountability',
    'archive_app_filter',
    'item_duplication_fields',
  );
  if (meta.flag('singleton') === true)
    meta.notes.add(meta.originOf('singleton'), 'A singleton is a schema with one record.');
  for (const member of ['archive_field', 'archive_value', 'unarchive_value', 'sort_field'])
    meta.drop(member, 'Archiving and sorting are not configured in the schema.');
  meta.drop('translations', 'Translated names are not supported.');
  meta.drop('note', 'Schema descriptions are not supported.');
  meta.drop('preview_url', 'Previews are not configured in the schema.');
  meta.drop('versioning', 'Record versions are not supported.');
  const template = meta.text('display_template');
  const [, label] = /^\s*\{\{\s*(\w+)\s*\}\}\s*$/.exec(template ?? '') ?? [];
  if (template && label === undefined)
    meta.notes.add(meta.originOf('display_template'), 'A label is a single field, not a template.');
  meta.noteUnread();
  return label;
}

function isKey(field: SourceObject): boolean {
  const schema = field.value['schema'] as Readonly<Record<string, unknown>> | null | undefined;
  return typeof schema === 'object' && schema?.['is_primary_key'] === true;
}

/** Returns the primary key of a collection. UUIDs are generated, auto-increment numbers stay so, and other keys are set by the client. */
function keyOf(source: SourceObject): readonly DraftField[] {
  const read = readField(source);
  const isUuid = read?.type === 'uuid' && read.name === 'id';
  if (read === undefined || isUuid) return [];
  const { default: value, optional: _optional, unique: _unique, ...field } = read;
  const isNumber = field.type.startsWith('int');
  if (!isNumber && field.type !== 'string' && field.type !== 'uuid') {
    source.notes.add(source.at, 'The type of the primary key is not supported for keys. Record ids are UUIDs instead.');
    return [];
  }
  const schema = source.value['schema'] as Readonly<Record<string, unknown>>;
  const isAutoIncrement = isNumber && (schema['has_auto_increment'] === true || value !== undefined);
  return [{ ...field, ...(isAutoIncrement ? { db: { increment: true } } : {}) }];
}

/** Reads a field. The field of a relation is read together with it. */
function readOwn(source: SourceObject, collection: string, relations: Relations): readonly DraftField[] {
  const name = source.text('field') ?? '';
  const side = relations.find((relation) => relation.collection === collection && relation.field === name);
  const read = readField(source, side?.draft);
  return read === undefined ? [] : [read];
}

/** Returns relation sides without a field in the source. */
function sidesOf(collection: string, relations: Relations, read: readonly DraftField[]): readonly DraftField[] {
  const names = new Set(read.map(({ name }) => name));
  return relations.flatMap(({ collection: own, field, draft, at }) => {
    if (own !== collection || names.has(field)) return [];
    names.add(field);
    return [{ at, type: 'relation' as const, name: field, optional: true, relation: draft }];
  });
}
