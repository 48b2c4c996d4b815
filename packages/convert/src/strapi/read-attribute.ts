import type { DraftField, DraftRelation } from '../draft/conversion.types.js';
import { jsonValue, type SourceObject } from '../draft/source-object.js';

export interface AttributeReading {
  readonly nameOf: (uid: string) => string | undefined;
  /** Relations from each component to the schemas that use it. Filled while reading. */
  readonly components: Map<string, DraftField[]>;
}

export interface Attribute {
  readonly name: string;
  readonly source: SourceObject;
  readonly schema: string;
}

type TypedField = Omit<DraftField, 'at' | 'name'>;
type ReadType = (attribute: Attribute, reading: AttributeReading) => TypedField | undefined;

const STRING = 255;
/** Members that affect only editing. */
const DISPLAY_ONLY = ['visible', 'writable', 'configurable', 'customField', 'options', 'searchable', 'useJoinTable'];
const OF_ACCOUNTS = new Set([
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
  string: ({ source }) => sized(source, STRING),
  email: ({ source }) => sized(source, 320),
  text: ({ source }) => long(source),
  richtext: ({ source }) => long(source),
  blocks: () => ({ type: 'json' }),
  json: () => ({ type: 'json' }),
  uid: ({ source }) => {
    source.lose('targetField', 'A value is not derived from another field automatically. Add a setter with `slug(…)`.');
    return { ...sized(source, STRING), unique: true };
  },
  integer: ({ source }) => bounded(source, 'int32'),
  biginteger: ({ source }) => bounded(source, 'int64'),
  decimal: ({ source }) => {
    source.notes.add(source.at, 'A decimal becomes a float64.');
    return bounded(source, 'float64');
  },
  float: ({ source }) => bounded(source, 'float64'),
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
    source.skip('enumName');
    return values.length > 0 ? { type: 'enum', enums: values.map((value) => ({ value })) } : { type: 'string' };
  },
  password: ({ source }) => {
    source.notes.add(source.at, 'Additional passwords are not supported. The field was skipped.');
    source.skip('minLength', 'maxLength');
    return undefined;
  },
  customField: ({ source }) => {
    source.notes.add(source.at, 'A custom field becomes JSON.');
    return { type: 'json' };
  },
  dynamiczone: ({ source }) => {
    source.notes.add(source.at, 'A dynamic zone becomes JSON, which is not checked.');
    source.skip('components', 'min', 'max');
    return { type: 'json' };
  },
  media: readMedia,
  component: readComponent,
  relation: readRelation,
};

export function readAttribute(attribute: Attribute, reading: AttributeReading): readonly DraftField[] {
  const { name, source, schema } = attribute;
  const { at, notes } = source;
  const type = source.text('type') ?? '';
  if (schema === 'user' && OF_ACCOUNTS.has(name)) {
    notes.add(at, 'The built-in accounts already have this field.');
    return [];
  }
  const read = Object.hasOwn(TYPES, type) ? TYPES[type]?.(attribute, reading) : undefined;
  if (read === undefined) {
    notes.add(at, `The attribute was skipped: ${type.slice(0, 100) || 'its type'} is not supported.`);
    return [];
  }
  source.lose('private', 'Permissions define the visible fields. List them under `read`.');
  source.lose('pluginOptions', 'Plugin options, including localisation, are not supported.');
  source.lose('regex', 'Text patterns are not supported. Check them in a hook.');
  source.lose('column', 'Column types follow from the field type.');
  source.skip(...DISPLAY_ONLY);
  const isList = read.relation?.type === 'm2m' || read.relation?.owner === true;
  const isRequired = source.flag('required') === true;
  const isOptional = !isRequired && !isList;
  const value = jsonValue(source.any('default'));
  const isUnique = source.flag('unique') === true || read.unique === true;
  if (isList && isRequired) notes.add(source.place('required'), 'A list of records can be empty.');
  const stored = { ...(value === undefined ? {} : { default: value }), ...(isUnique ? { unique: true } : {}) };
  source.end();
  return [{ at, name, ...read, ...stored, ...(isOptional ? { optional: true } : {}) }];
}

function loseBounds(source: SourceObject, ...members: readonly string[]): void {
  for (const member of members)
    source.lose(member, 'Minimum and maximum values are not supported. Check them in a hook.');
}

function bounded(source: SourceObject, type: 'int32' | 'int64' | 'float64'): TypedField {
  loseBounds(source, 'min', 'max');
  return { type };
}

function sized(source: SourceObject, usual: number): TypedField {
  loseBounds(source, 'minLength', 'min', 'max');
  const size = source.number('maxLength') ?? usual;
  return { type: 'string', size: Number.isInteger(size) && size >= 1 && size <= 65_535 ? size : usual };
}

function long(source: SourceObject): TypedField {
  loseBounds(source, 'minLength', 'min', 'max');
  const size = source.number('maxLength');
  return { type: 'text', ...(size === undefined ? {} : { size }) };
}

const MEDIA: Readonly<Record<string, readonly string[]>> = {
  images: ['image/*'],
  videos: ['video/*'],
  audios: ['audio/*'],
  files: [],
};

function readMedia({ source }: Attribute): TypedField {
  const allowed = source.texts('allowedTypes');
  const types = allowed.flatMap((name) => (Object.hasOwn(MEDIA, name) ? (MEDIA[name] ?? []) : []));
  // `files` allows all types, so there is no restriction.
  const isOpen = allowed.length === 0 || allowed.includes('files');
  if (isOpen && types.length > 0) source.notes.add(source.place('allowedTypes'), 'Files of every type are accepted.');
  source.skip('allowedTypes');
  return {
    type: 'file',
    ...(source.flag('multiple') === true ? { multiple: true } : {}),
    ...(isOpen ? {} : { file: { types } }),
  };
}

/** Reads a component, which becomes a separate record that is deleted with its owner. */
function readComponent(
  { name, source, schema }: Attribute,
  { nameOf, components }: AttributeReading,
): TypedField | undefined {
  const component = nameOf(source.text('component') ?? '');
  const isRepeated = source.flag('repeatable') === true;
  loseBounds(source, 'min', 'max');
  if (component === undefined) return undefined;
  const back = `${schema}_${name}`;
  const type = isRepeated ? 'o2m' : 'o2o';
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

export function usesOf(component: string, { components }: AttributeReading): readonly DraftField[] {
  return components.get(component) ?? [];
}

function readRelation({ name, source }: Attribute, { nameOf }: AttributeReading): TypedField | undefined {
  const kind = source.text('relation') ?? '';
  const [mappedBy, inversedBy] = [source.text('mappedBy'), source.text('inversedBy')];
  const target = source.text('target') ?? '';
  const schema = nameOf(target);
  if (kind.startsWith('morph')) {
    source.notes.add(source.at, 'A relation to records of any type becomes JSON, which is not checked.');
    source.skip('morphBy', 'morphColumn');
    return { type: 'json' };
  }
  if (schema === undefined) {
    source.notes.add(source.place('target'), `${target.slice(0, 100)} is not in the source.`);
    return undefined;
  }
  const back = mappedBy ?? inversedBy;
  const isOneWay = back === undefined;
  const named = { schema, ...(back === undefined ? {} : { field: back }) };
  const relation = relationOf(kind, named, { isOneWay, isMapped: mappedBy !== undefined });
  if (relation === undefined)
    source.notes.add(
      source.place('relation'),
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
      // Without another side it is a list whose records may be shared.
      return isOneWay ? { ...named, type: 'm2m', owner: true } : { ...named, type: 'o2m', owner: true };
    case 'manyToOne':
      return { ...named, type: 'o2m' };
    case 'manyToMany':
      return { ...named, type: 'm2m', ...(isMapped ? {} : { owner: true }) };
    default:
      return undefined;
  }
}
