import { isDeepStrictEqual } from 'node:util';
import { assemble, type Assembly } from '../draft/assemble.js';
import type {
  Conversion,
  ConversionContext,
  ConvertedRenames,
  DraftField,
  DraftSchema,
  Origin,
  SourceFile,
} from '../draft/conversion.types.js';
import { Notes } from '../draft/notes.js';
import { objectAt, readJson, type SourceObject } from '../draft/source-object.js';
import { isPresentable, readField } from './read-field.js';
import type { Collection } from './collection.types.js';
import { convertRules } from './convert-rules.js';

type DraftIndex = NonNullable<DraftSchema['indexes']>[number];

const INDEX =
  /^\s*CREATE\s+(UNIQUE\s+)?INDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?[`"[]?(\w+)[`"\]]?\s+ON\s+[`"[]?\w+[`"\]]?\s*\(([^()]*)\)\s*(WHERE\s[\s\S]*)?;?\s*$/i;
const COLUMN = /^\s*[`"[]?(\w+)[`"\]]?(\s+COLLATE\s+\w+)?(\s+(?:ASC|DESC))?\s*$/i;
/** A condition that excludes empty values. Unique indexes of Lintel do so by default. */
const EXCLUDES_EMPTY = /^WHERE\s+[`"[]?(\w+)[`"\]]?\s*(?:!=|<>)\s*(?:''|"")\s*;?\s*$/i;

interface SourceContent {
  readonly collections: readonly Collection[];
  readonly assembly: Assembly;
  readonly notes: Notes;
}

/** Converts the collection export of PocketBase (a JSON list). */
export function convertPocketBase(
  files: readonly SourceFile[],
  { system, previous = [] }: ConversionContext,
): Conversion {
  const current = readAll(files, system);
  const previousContent = readAll(previous, system);
  const roles = convertRules(current.collections, current.assembly, current.notes);
  const { schemas } = current.assembly;
  return { schemas, renames: renamesOf(previousContent, current), roles, notes: current.notes.list() };
}

function readAll(files: readonly SourceFile[], system: ConversionContext['system']): SourceContent {
  const notes = new Notes();
  const sources = files.flatMap((file) => sourcesIn(file, notes));
  const collections = readCollections(sources, notes);
  return { collections, notes, assembly: assemble(mergeUserCollections(collections), system, notes) };
}

function sourcesIn(file: SourceFile, notes: Notes): readonly SourceObject[] {
  const json = readJson(file, notes);
  const at = { file: file.name, pointer: '' };
  if (json === undefined) return [];
  if (!Array.isArray(json)) {
    const objectNode = objectAt(json, at, notes);
    const list = objectNode?.objects('collections') ?? [];
    objectNode?.noteUnread();
    return list;
  }
  return json.flatMap((entry, index) => objectAt(entry, { file: file.name, pointer: `/${index}` }, notes) ?? []);
}

/** Accounts of all auth collections become users. */
const USERS = 'user';

function readCollections(sources: readonly SourceObject[], notes: Notes): readonly Collection[] {
  const usable = sources.filter((source) => isUsable(source, notes));
  const isAuth = (source: SourceObject): boolean => source.text('type') === 'auth';
  const names = new Map(
    usable.map((source) => [
      source.text('id') ?? source.text('name') ?? '',
      isAuth(source) ? USERS : (source.text('name') ?? ''),
    ]),
  );
  for (const source of sources) if (source.text('name') === '_superusers') names.set(source.text('id') ?? '', USERS);
  return usable.map((source) => readCollection(source, (id) => names.get(id)));
}

function isUsable(source: SourceObject, notes: Notes): boolean {
  const name = source.text('name');
  const type = source.text('type') ?? 'base';
  const isSystem = source.flag('system') === true && name?.startsWith('_') === true;
  const reason = !name
    ? 'The entry has no `name` and was skipped.'
    : isSystem
      ? `${name} belongs to PocketBase itself. Use the role admin for administrators.`
      : type === 'view'
        ? 'Views are not supported. The view was skipped.'
        : undefined;
  if (reason !== undefined) notes.add(source.at, reason);
  return reason === undefined;
}

function readCollection(source: SourceObject, nameOf: (id: string) => string | undefined): Collection {
  const { at, notes } = source;
  const name = source.text('name') ?? '';
  const isAuth = source.text('type') === 'auth';
  source.ignore('created', 'updated', 'system', 'type');
  const isCurrent = source.value['fields'] !== undefined;
  const list = source.objects(isCurrent ? 'fields' : 'schema').filter((field) => !isTime(field));
  const fields = list.flatMap((field) => readField(field, { nameOf, isAuth }) ?? []);
  const indexes = source.texts('indexes').flatMap((sql, index) => {
    return isAuth && /[(`,\s](tokenKey|email|username)[`,\s)]/.test(sql)
      ? []
      : (readIndex(sql, source.originOf('indexes', index), notes) ?? []);
  });
  if (isAuth && indexes.length > 0)
    notes.add(source.originOf('indexes'), 'Indexes on users were skipped. Create them with a migration.');
  for (const rule of ['listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule', 'manageRule', 'authRule'])
    source.ignore(rule);
  if (isAuth) dropAuthSettings(source);
  source.noteUnread();
  const labels = list.filter(isPresentable).map((field) => field.text('name') ?? '');
  const draft: DraftSchema = isAuth
    ? { at, name: USERS, system: USERS, fields }
    : {
        at,
        name,
        fields,
        indexes: renameTimestampColumns(indexes, list),
        ...(labels[0] ? { labelField: labels[0] } : {}),
      };
  const ids = list.map((field) => [field.text('name') ?? '', field.text('id') ?? ''] as const);
  return { id: source.text('id') ?? name, name, isAuth, source, draft, fieldIds: new Map(ids) };
}

function isTime(field: SourceObject): boolean {
  const isAutomatic = field.text('type') === 'autodate' && /^(created|updated)$/.test(field.text('name') ?? '');
  if (isAutomatic) field.notes.add(field.at, `The field becomes \`${field.text('name')}_at\`.`);
  return isAutomatic;
}

/** Renames the columns `created` and `updated` of indexes, unless a field has that name. */
function renameTimestampColumns(indexes: readonly DraftIndex[], list: readonly SourceObject[]): readonly DraftIndex[] {
  const own = new Set(list.map((field) => field.text('name')));
  const nameOf = (column: string): string =>
    /^(created|updated)$/.test(column) && !own.has(column) ? `${column}_at` : column;
  return indexes.map((index) => ({ ...index, columns: index.columns.map(nameOf) }));
}

function dropAuthSettings(source: SourceObject): void {
  const settings = Object.keys(source.value).filter(
    (member) => !['id', 'name', 'fields', 'schema', 'indexes'].includes(member),
  );
  for (const member of settings)
    if (!/Rule$|^(type|system|created|updated)$/.test(member))
      source.drop(member, 'Sign-in methods are part of the configuration. This setting was skipped.');
}

function mergeUserCollections(collections: readonly Collection[]): readonly DraftSchema[] {
  const auth = collections.filter(({ isAuth }) => isAuth);
  const otherDrafts = collections.filter(({ isAuth }) => !isAuth).map(({ draft }) => draft);
  const [first] = auth;
  if (first === undefined) return otherDrafts;
  const fields: DraftField[] = auth.flatMap(({ draft }) => draft.fields);
  return [...otherDrafts, { ...first.draft, fields }];
}

/** Returns the renames since the previous conversion, matched by id. */
function renamesOf(previousContent: SourceContent, current: SourceContent): Conversion['renames'] {
  if (previousContent.collections.length === 0) return {};
  const [previousNames, currentNames] = [namesById(previousContent), namesById(current)];
  const renames = new Map<string, { schema?: string; fields: Record<string, string> }>();
  for (const [id, { schema, field }] of currentNames) {
    const old = previousNames.get(id);
    if (old === undefined) continue;
    const entry = renames.get(schema) ?? { fields: {} };
    if (old.schema !== schema && field === undefined) entry.schema = old.schema;
    if (old.field !== undefined && field !== undefined && old.field !== field) entry.fields[old.field] = field;
    renames.set(schema, entry);
  }
  const renameEntries = [...renames].flatMap(
    ([name, { schema, fields }]): readonly (readonly [string, ConvertedRenames])[] => {
      const entry = {
        ...(schema === undefined ? {} : { schema }),
        ...(isDeepStrictEqual(fields, {}) ? {} : { fields }),
      };
      return isDeepStrictEqual(entry, {}) ? [] : [[name, entry]];
    },
  );
  return Object.fromEntries(renameEntries);
}

interface NamedObject {
  readonly schema: string;
  readonly field?: string;
}

function namesById({ collections, assembly }: SourceContent): ReadonlyMap<string, NamedObject> {
  const byId = new Map<string, NamedObject>();
  const definitions = new Map(assembly.schemas.map((schema) => [schema.name, schema]));
  for (const { id, draft, fieldIds } of collections) {
    const own = assembly.named.get(draft.name);
    if (own === undefined) continue;
    byId.set(id, { schema: own.name });
    for (const [name, fieldId] of fieldIds) {
      const field = own.fields.get(name);
      if (field === undefined || fieldId === '') continue;
      byId.set(JSON.stringify([id, fieldId]), { schema: own.name, field });
      const relation = definitions.get(own.name)?.fields.find((candidate) => candidate.name === field)?.relation;
      if (relation !== undefined)
        byId.set(JSON.stringify([id, fieldId, 'back']), { schema: relation.schema, field: relation.field });
    }
  }
  return byId;
}

function readIndex(sql: string, at: Origin, notes: Notes): DraftIndex | undefined {
  const [statement, unique, name = '', list = '', where] = sql.length > 2_000 ? [] : (INDEX.exec(sql) ?? []);
  const columns = list.split(',').map((column) => COLUMN.exec(column));
  if (statement === undefined || columns.some((column) => column === null)) {
    notes.add(at, 'The index contains expressions and was skipped.');
    return undefined;
  }
  const names = columns.map((column) => column?.[1] ?? '');
  const isPartial = where !== undefined && !names.includes(EXCLUDES_EMPTY.exec(where)?.[1] ?? '');
  if (isPartial) {
    notes.add(at, 'The index is partial and was skipped.');
    return undefined;
  }
  if (columns.some((column) => column?.[2] !== undefined)) notes.add(at, 'The index is case-sensitive.');
  return { at, name, columns: names, ...(unique === undefined ? {} : { unique: true }) };
}
