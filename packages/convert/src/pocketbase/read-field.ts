import type { ImageSize } from '../../../../src/kernel/schema-definition.types.js';
import type { DraftField } from '../draft/conversion.types.js';
import { jsonValue, type SourceObject } from '../draft/source-object.js';

export interface FieldContext {
  readonly nameOf: (collectionId: string) => string | undefined;
  /** Whether the collection contains accounts. Built-in account fields are then skipped. */
  readonly isAuth: boolean;
}

const BUILT_IN_USER_FIELDS = new Set(['password', 'tokenKey', 'email', 'emailVisibility', 'verified', 'username']);
/** @internal */
const MAX_TEXT_LENGTH = 65_535;
/** Default maximum length of text in PocketBase. */
const USUAL_TEXT = 5_000;

/** Reads a field in the format of PocketBase 0.23 and later, or in the earlier format with `options`. */
export function readField(source: SourceObject, context: FieldContext): DraftField | undefined {
  const [name, type] = [source.text('name'), source.text('type')];
  source.ignore('id', 'system', 'presentable');
  if (!name || !type) {
    source.notes.add(source.at, 'The entry has no `name` or no `type` and was skipped.');
    return undefined;
  }
  const own = source.object('options');
  const options = own ?? source;
  if (name === 'id' || (context.isAuth && BUILT_IN_USER_FIELDS.has(name))) {
    source.notes.add(
      source.at,
      name === 'id' ? 'Record ids are UUIDs.' : 'The built-in accounts already have this field.',
    );
    return undefined;
  }
  const isRequired = source.flag('required') === true;
  source.drop('hidden', 'Permissions define the visible fields. List them under `read`.');
  source.drop('unique', 'This was skipped. Set `unique` on the field yourself.');
  const read = readType(type, options, context);
  source.drop('help', 'Help texts of fields are not supported. The text was skipped.');
  if (own !== undefined) own.noteUnread();
  source.noteUnread();
  if (read === undefined) return undefined;
  // An account is created before its custom fields are known.
  if (isRequired && context.isAuth && read.default === undefined)
    source.notes.add(source.at, 'Fields of accounts are optional, because accounts are created without them.');
  const isOptional = read.default === undefined && (!isRequired || context.isAuth);
  return { at: source.at, name, ...read, ...(isOptional && !isManyOf(read) ? { optional: true } : {}) };
}

function isManyOf({ relation }: TypedField): boolean {
  return relation?.type === 'm2m';
}

type TypedField = Omit<DraftField, 'at' | 'name'>;

type ReadType = (options: SourceObject, context: FieldContext) => TypedField | undefined;

const TYPES: Readonly<Record<string, ReadType>> = {
  text: (options) => {
    const max = options.number('max') ?? 0;
    dropPattern(options);
    options.drop('autogeneratePattern', 'Values cannot be generated from a pattern. The pattern was skipped.');
    options.ignore('primaryKey');
    if (max > MAX_TEXT_LENGTH) return { type: 'text', size: max };
    return { type: 'string', size: max >= 1 ? Math.floor(max) : USUAL_TEXT };
  },
  editor: (options) => {
    dropNumber(options, 'maxSize', 'A text has no size limit in bytes. The limit was skipped.');
    options.drop('convertURLs', 'Editor options are not supported.');
    return { type: 'text' };
  },
  email: (options) => dropDomains(options, 320),
  url: (options) => dropDomains(options, 2_048),
  number: (options) => {
    dropBounds(options);
    const isInteger = options.flag('onlyInt') === true || options.flag('noDecimal') === true;
    options.ignore('onlyInt', 'noDecimal');
    return { type: isInteger ? 'int64' : 'float64', default: 0 };
  },
  bool: () => ({ type: 'bool', default: false }),
  date: (options) => {
    dropBounds(options);
    return { type: 'time' };
  },
  autodate: (options) => {
    options.drop('onUpdate', 'Only `updated_at` is updated automatically. The option was skipped.');
    return options.flag('onCreate') === true ? { type: 'time', default: 'now' } : { type: 'time' };
  },
  json: (options) => {
    dropNumber(options, 'maxSize', 'JSON has no size limit. The limit was skipped.');
    return { type: 'json' };
  },
  geoPoint: (options) => {
    options.notes.add(options.at, 'A point becomes JSON, without spatial queries.');
    return { type: 'json' };
  },
  select: readSelect,
  file: readFile,
  relation: readRelation,
  password: (options) => {
    options.notes.add(options.at, 'Additional passwords are not supported. The field was skipped.');
    options.ignore('min', 'max', 'pattern', 'cost');
    return undefined;
  },
};

function readType(type: string, options: SourceObject, context: FieldContext): TypedField | undefined {
  if (Object.hasOwn(TYPES, type)) return TYPES[type]?.(options, context);
  options.notes.add(options.at, `The type ${type.slice(0, 100)} is unknown, so the field was skipped.`);
  return undefined;
}

function dropBounds(options: SourceObject): void {
  for (const member of ['min', 'max'])
    options.drop(member, 'Minimum and maximum values are not supported. Check them in a hook.');
}

/** Adds a note for a lost limit. A limit of 0 means no limit. */
function dropNumber(options: SourceObject, member: string, message: string): void {
  if (options.value[member] === 0) options.ignore(member);
  else options.drop(member, message);
}

function dropPattern(options: SourceObject): void {
  dropNumber(options, 'min', 'A minimum text length is not supported. Check it in a hook.');
  options.drop('pattern', 'Text patterns are not supported. Check them in a hook.');
}

function dropDomains(options: SourceObject, size: number): TypedField {
  for (const member of ['exceptDomains', 'onlyDomains'])
    options.drop(member, 'Domain lists are not supported. Check the domain in a hook.');
  options.notes.add(options.at, 'The format of the text is not checked.');
  return { type: 'string', size };
}

function readSelect(options: SourceObject): TypedField {
  const values = options.texts('values');
  if ((options.number('maxSelect') ?? 1) > 1) {
    options.notes.add(options.originOf('maxSelect'), 'Multiple values become a JSON list, which is not checked.');
    return { type: 'json' };
  }
  if (values.some((value) => value !== '')) return { type: 'enum', enums: values.map((value) => ({ value })) };
  options.notes.add(options.at, 'The field has no choices and becomes a text.');
  return { type: 'text' };
}

function readFile(options: SourceObject): TypedField {
  const sizes = Object.fromEntries(
    options.texts('thumbs').flatMap((thumb, at) => {
      const size = imageSize(thumb);
      if (size === undefined)
        options.notes.add(options.originOf('thumbs', at), 'The image size is not supported and was skipped.');
      return size === undefined ? [] : [[`s${thumb.toLowerCase()}`, size] as const];
    }),
  );
  options.drop('protected', 'Read access to a file follows from read access to its record.');
  const file = {
    types: options.texts('mimeTypes'),
    ...((options.number('maxSize') ?? 0) > 0 ? { max_size: Math.floor(options.number('maxSize') ?? 0) } : {}),
    ...(Object.keys(sizes).length > 0 && Object.keys(sizes).length <= 20 ? { sizes } : {}),
  };
  const maxSelect = options.number('maxSelect') ?? 1;
  if (maxSelect > 1) options.notes.add(options.originOf('maxSelect'), 'The number of files of a field is not limited.');
  return { type: 'file', file, ...(maxSelect > 1 ? { multiple: true } : {}) };
}

/** Parses the size of a thumb: `100x100` crops, `100x100f` and a side of 0 keep the whole image. */
function imageSize(thumb: string): ImageSize | undefined {
  const [, width = '', height = '', mode] = /^(\d{1,4})x(\d{1,4})([tbf]?)$/.exec(thumb) ?? [];
  const sides = {
    ...(Number(width) > 0 ? { width: Number(width) } : {}),
    ...(Number(height) > 0 ? { height: Number(height) } : {}),
  };
  const values = Object.values(sides);
  if (values.length === 0 || values.some((side) => side > 4_096) || mode === 't' || mode === 'b') return undefined;
  return { ...sides, ...(values.length === 2 && mode !== 'f' ? { fit: 'cover' } : {}) };
}

function readRelation(options: SourceObject, { nameOf }: FieldContext): TypedField | undefined {
  const schema = nameOf(options.text('collectionId') ?? '');
  if (schema === undefined) {
    options.notes.add(
      options.originOf('collectionId'),
      'The collection is not in the source, so the relation was skipped.',
    );
    return undefined;
  }
  dropNumber(options, 'minSelect', 'A minimum number of links is not supported.');
  options.ignore('displayFields');
  const isCascade = options.flag('cascadeDelete') === true;
  const maxSelect = options.any('maxSelect');
  // Earlier versions use null for no limit.
  const isMany = options.value['maxSelect'] === null || (typeof maxSelect === 'number' && maxSelect > 1);
  if (!isMany)
    return { type: 'relation', relation: { schema, type: 'o2m', ...(isCascade ? { on_delete: 'cascade' } : {}) } };
  if (typeof maxSelect === 'number')
    options.notes.add(options.originOf('maxSelect'), 'The number of links is not limited.');
  if (isCascade)
    options.notes.add(
      options.originOf('cascadeDelete'),
      'Cascading deletion of many-to-many links is not supported. The option was skipped.',
    );
  return { type: 'relation', relation: { schema, type: 'm2m', owner: true } };
}

export function isPresentable({ value }: SourceObject): boolean {
  return jsonValue(value['presentable']) === true;
}
