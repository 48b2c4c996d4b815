import type { DraftField, DraftRelation } from '../draft/conversion.types.js';
import { jsonValue, type SourceObject } from '../draft/source-object.js';

export interface AttributeContext {
  readonly nameOf: (uid: string) => string | undefined;
  /** Relations from each component to the schemas that use it. Reading attributes adds entries. */
  readonly components: Map<string, DraftField[]>;
}

export interface Attribute {
  readonly name: string;
  readonly source: SourceObject;
  readonly schema: string;
}

type TypedField = Omit<DraftField, 'at' | 'name'>;
type ReadType = (attribute: Attribute, context: AttributeContext) => TypedField | undefined;

const DEFAULT_STRING_SIZE = 255;
/** Members that affect only the forms of the Strapi admin panel. */
const DISPLAY_ONLY = ['visible', 'writable', 'configurable', 'customField', 'options', 'searchable', 'useJoinTable'];
const BUILT_IN_USER_FIELDS = new Set([
  'password',
  'resetPasswordToken',
  'confirmationToken',
  'provider',
  'confirmed',
  'blocked',
  'email',
  'username',
  'role',
]);

const TYPES: Readonly<Record<string, ReadType>> = {
  string: ({ source }) => stringField(source, DEFAULT_STRING_SIZE),
  email: ({ source }) => stringField(source, 320),
  text: ({ source }) => textField(source),
  richtext: ({ source }) => textField(source),
  blocks: () => ({ type: 'json' }),
  json: () => ({ type: 'json' }),
  uid: ({ source }) => {
    source.drop('targetField', 'Values are not derived from another field. Add a setter with `slug(…)`.');
    return { ...stringField(source, DEFAULT_STRING_SIZE), unique: true };
  },
  integer: ({ source }) => numberField(source, 'int32'),
  biginteger: ({ source }) => numberField(source, 'int64'),
  decimal: ({ source }) => {
    source.notes.add(source.at, 'A decimal becomes a float64.');
    return numberField(source, 'float64');
  },
  float: ({ source }) => numberField(source, 'float64'),
  date: () => ({ type: 'time' }),
  datetime: () => ({ type: 'time' }),
  timestamp: () => ({ type: 'time' }),
  time: ({ source }) => {
    source.notes.add(source.at, 'A time of day becomes text.');
    return { type: 'string', size: 20 };
  },
  boolean: () => ({ type: 'bool' }),
  enumeration: ({ source }) => {
    const values = source.texts('enum').filter((value) => value !== '');
    source.ignore('enumName');
    return values.length > 0 ? { type: 'enum', enums: values.map((value) => ({ value })) } : { type: 'string' };
  },
  password: ({ source }) => {
    source.notes.add(source.at, 'Additional passwords are not supported. The field was skipped.');
    source.ignore('minLength', 'maxLength');
    return undefined;
  },
  customField: ({ source }) => {
    source.notes.add(source.at, 'A custom field becomes JSON.');
    return { type: 'json' };
  },
  dynamiczone: ({ source }) => {
    source.notes.add(source.at, 'A dynamic zone becomes JSON, which is not checked.');
    source.ignore('components', 'min', 'max');
    return { type: 'json' };
  },
  media: readMedia,
  component: readComponent,
  relation: readRelation,
};

export function readAttribute(attribute: Attribute, context: AttributeContext): readonly DraftField[] {
  const { name, source, schema } = attribute;
  const { at, notes } = source;
  const type = source.text('type') ?? '';
  if (schema === 'user' && BUILT_IN_USER_FIELDS.has(name)) {
    notes.add(at, 'The built-in accounts already have this field.');
    return [];
  }
  const read = Object.hasOwn(TYPES, type) ? TYPES[type]?.(attribute, context) : undefined;
  if (read === undefined) {
    notes.add(at, `The attribute was skipped: ${type.slice(0, 100) || 'its type'} is not supported.`);
    return [];
  }
  source.drop('private', 'Permissions define the visible fields. List them under `read`.');
  source.drop('pluginOptions', 'Plugin options, including localisation, are not supported.');
  source.drop('regex', 'Text patterns are not supported. Check them in a hook.');
  source.drop('column', 'Column types are derived from the field type.');
  source.ignore(...DISPLAY_ONLY);
  const isList = read.relation?.type === 'm2m' || read.relation?.owner === true;
  const isRequired = source.flag('required') === true;
  const isOptional = !isRequired && !isList;
  const value = jsonValue(source.any('default'));
  const isUnique = source.flag('unique') === true || read.unique === true;
  if (isList && isRequired) notes.add(source.originOf('required'), 'A list of records can be empty.');
  const stored = { ...(value === undefined ? {} : { default: value }), ...(isUnique ? { unique: true } : {}) };
  source.noteUnread();
  return [{ at, name, ...read, ...stored, ...(isOptional ? { optional: true } : {}) }];
}

function dropBounds(source: SourceObject, ...members: readonly string[]): void {
  for (const member of members)
    source.drop(member, 'Minimum and maximum values are not supported. Check them in a hook.');
}

function numberField(source: SourceObject, type: 'int32' | 'int64' | 'float64'): TypedField {
  dropBounds(source, 'min', 'max');
  return { type };
}

function stringField(source: SourceObject, defaultSize: number): TypedField {
  dropBounds(source, 'minLength', 'min', 'max');
  const size = source.number('maxLength') ?? defaultSize;
  return { type: 'string', size: Number.isInteger(size) && size >= 1 && size <= 65_535 ? size : defaultSize };
}

function textField(source: SourceObject): TypedField {
  dropBounds(source, 'minLength', 'min', 'max');
  const size = source.number('maxLength');
  return { type: 'text', ...(size === undefined ? {} : { size }) };
}

const MEDIA_TYPES: Readonly<Record<string, readonly string[]>> = {
  images: ['image/*'],
  videos: ['video/*'],
  audios: ['audio/*'],
  files: [],
};

function readMedia({ source }: Attribute): TypedField {
  const allowed = source.texts('allowedTypes');
  const types = allowed.flatMap((name) => (Object.hasOwn(MEDIA_TYPES, name) ? (MEDIA_TYPES[name] ?? []) : []));
  // `files` allows all types, so there is no restriction.
  const isOpen = allowed.length === 0 || allowed.includes('files');
  if (isOpen && types.length > 0)
    source.notes.add(source.originOf('allowedTypes'), 'Files of every type are accepted.');
  source.ignore('allowedTypes');
  return {
    type: 'file',
    ...(source.flag('multiple') === true ? { multiple: true } : {}),
    ...(isOpen ? {} : { file: { types } }),
  };
}

/** Reads a component, which becomes a separate record that is deleted with its owner. */
function readComponent(
  { name, source, schema }: Attribute,
  { nameOf, components }: AttributeContext,
): TypedField | undefined {
  const component = nameOf(source.text('component') ?? '');
  const isRepeatable = source.flag('repeatable') === true;
  dropBounds(source, 'min', 'max');
  if (component === undefined) return undefined;
  const back = `${schema}_${name}`;
  const type = isRepeatable ? 'o2m' : 'o2o';
  const owner: DraftField = {
    at: source.at,
    type: 'relation',
    name: back,
    optional: true,
    relation: { schema, field: name, type, on_delete: 'cascade' },
  };
  const uses = components.get(component);
  if (uses === undefined) components.set(component, [owner]);
  else uses.push(owner);
  source.notes.add(source.at, `A component becomes a record of ${component}, which is deleted with its parent record.`);
  return { type: 'relation', relation: { schema: component, field: back, type, owner: true } };
}

export function componentOwners(component: string, { components }: AttributeContext): readonly DraftField[] {
  return components.get(component) ?? [];
}

function readRelation({ name, source }: Attribute, { nameOf }: AttributeContext): TypedField | undefined {
  const kind = source.text('relation') ?? '';
  const [mappedBy, inversedBy] = [source.text('mappedBy'), source.text('inversedBy')];
  const target = source.text('target') ?? '';
  const schema = nameOf(target);
  if (kind.startsWith('morph')) {
    source.notes.add(source.at, 'A relation to records of any type becomes JSON, which is not checked.');
    source.ignore('morphBy', 'morphColumn');
    return { type: 'json' };
  }
  if (schema === undefined) {
    source.notes.add(source.originOf('target'), `${target.slice(0, 100)} is not in the source.`);
    return undefined;
  }
  const back = mappedBy ?? inversedBy;
  const isOneWay = back === undefined;
  const named = { schema, ...(back === undefined ? {} : { field: back }) };
  const relation = relationOf(kind, named, { isOneWay, isMapped: mappedBy !== undefined });
  if (relation === undefined)
    source.notes.add(
      source.originOf('relation'),
      `The relation type ${kind.slice(0, 100)} is unknown, so ${name} was skipped.`,
    );
  return relation && { type: 'relation', relation };
}

function relationOf(
  kind: string,
  named: Pick<DraftRelation, 'schema' | 'field'>,
  { isOneWay, isMapped }: { readonly isOneWay: boolean; readonly isMapped: boolean },
): DraftRelation | undefined {
  switch (kind) {
    case 'oneToOne':
      return { ...named, type: 'o2o', ...(isMapped ? { owner: true } : {}) };
    case 'oneToMany':
      // Without the other side, several records can link to the same target.
      return isOneWay ? { ...named, type: 'm2m', owner: true } : { ...named, type: 'o2m', owner: true };
    case 'manyToOne':
      return { ...named, type: 'o2m' };
    case 'manyToMany':
      return { ...named, type: 'm2m', ...(isMapped ? {} : { owner: true }) };
    default:
      return undefined;
  }
}
