import { assemble } from '../draft/assemble.js';
import type { Conversion, ConversionContext, DraftField, DraftSchema, SourceFile } from '../draft/conversion.types.js';
import { Notes } from '../draft/notes.js';
import { objectAt, readJson, type SourceObject } from '../draft/source-object.js';
import { type AttributeContext, readAttribute, componentOwners } from './read-attribute.js';

const CONTENT_TYPE = /(?:^|\/)(?:api|extensions)\/([^/]+)\/content-types\/([^/]+)\/schema\.json$/;
const COMPONENT = /(?:^|\/)components\/([^/]+)\/([^/]+)\.json$/;
const USERS = 'user';

interface Model {
  readonly uid: string;
  readonly name: string;
  readonly source: SourceObject;
  readonly isComponent: boolean;
}

/** Converts the content types and components of a Strapi project (version 4 and later). */
export function convertStrapi(files: readonly SourceFile[], { system }: ConversionContext): Conversion {
  const notes = new Notes();
  const models = files.flatMap((file) => readModel(file, notes) ?? []);
  const names = new Map(models.map(({ uid, name }) => [uid, name]));
  names.set('plugin::users-permissions.user', USERS).set('admin::user', USERS).set('plugin::upload.file', 'file');
  names.set('plugin::users-permissions.role', 'role');
  const context: AttributeContext = { nameOf: (uid) => names.get(uid), components: new Map() };
  const drafts = models.map((model) => readDraft(model, context));
  return {
    schemas: assemble(withOwners(drafts, models, context), system, notes).schemas,
    renames: {},
    roles: [],
    notes: notes.list(),
  };
}

function readModel(file: SourceFile, notes: Notes): Model | undefined {
  const at = { file: file.name, pointer: '' };
  const [, api = '', type = ''] = CONTENT_TYPE.exec(file.name) ?? [];
  const [, category = '', component = ''] = COMPONENT.exec(file.name) ?? [];
  if (api === '' && category === '') {
    notes.add(at, 'The file is neither a content type nor a component and was skipped.');
    return undefined;
  }
  const json = readJson(file, notes);
  const source = json === undefined ? undefined : objectAt(json, at, notes);
  if (source === undefined) return undefined;
  if (category !== '')
    return { uid: `${category}.${component}`, name: `${category}_${component}`, source, isComponent: true };
  const isExtension = /(?:^|\/)extensions\//.test(file.name);
  const uid = `${isExtension ? 'plugin' : 'api'}::${api}.${type}`;
  return { uid, name: uid === 'plugin::users-permissions.user' ? USERS : type, source, isComponent: false };
}

function readDraft({ name, source, isComponent }: Model, context: AttributeContext): DraftSchema {
  const { at, notes } = source;
  const info = source.object('info');
  info?.ignore('displayName', 'singularName', 'pluralName', 'name', 'icon');
  info?.drop('description', 'Schema descriptions are not supported.');
  info?.noteUnread();
  if (source.text('kind') === 'singleType')
    notes.add(source.originOf('kind'), 'A single type is a schema with one record.');
  const namespace = source.text('collectionName');
  source.ignore('__schema__', 'modelType', 'uid', 'modelName', 'globalId');
  const options = readOptions(source);
  const attributes = source.object('attributes');
  const fields = Object.keys(attributes?.value ?? {}).flatMap((attribute) => {
    const entry = attributes?.object(attribute);
    return entry === undefined ? [] : readAttribute({ name: attribute, source: entry, schema: name }, context);
  });
  source.drop('pluginOptions', 'Plugin options, including localisation, are not supported.');
  source.noteUnread();
  const all =
    options.isDrafted && !fields.some((field) => field.name === 'status') ? [...fields, statusField(source)] : fields;
  if (name === USERS && !isComponent) return { at, name, system: USERS, fields: all };
  return { at, name, ...(namespace ? { namespace } : {}), fields: all };
}

function readOptions(source: SourceObject): { readonly isDrafted: boolean } {
  const options = source.object('options');
  const isDrafted = options?.flag('draftAndPublish') === true;
  if (isDrafted) source.notes.add(source.at, 'Draft and published version become one record with a `status`.');
  options?.ignore('increments', 'comment');
  options?.drop('timestamps', 'Every schema has the timestamps `created_at`, `updated_at` and `deleted_at`.');
  options?.noteUnread();
  return { isDrafted };
}

function statusField({ at }: SourceObject): DraftField {
  return { at, type: 'enum', name: 'status', enums: [{ value: 'draft' }, { value: 'published' }], default: 'draft' };
}

function withOwners(
  drafts: readonly DraftSchema[],
  models: readonly Model[],
  context: AttributeContext,
): readonly DraftSchema[] {
  return drafts.map((draft, at) => {
    if (models[at]?.isComponent !== true) return draft;
    return { ...draft, fields: [...draft.fields, ...componentOwners(draft.name, context)] };
  });
}
