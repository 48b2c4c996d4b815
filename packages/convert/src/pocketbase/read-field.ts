import type { PictureSize } from '../../../../src/kernel/schema-definition.types.js';
import type { DraftField } from '../draft/conversion.types.js';
import { jsonValue, type SourceObject } from '../draft/source-object.js';

export interface FieldReading {
  readonly nameOf: (collectionId: string) => string | undefined;
  /** Whether the collection contains accounts. Built-in account fields are then skipped. */
  readonly isAuth: boolean;
}

const OF_ACCOUNTS = new Set(['password', 'tokenKey', 'email', 'emailVisibility', 'verified', 'username']);
/** @internal */
const LONGEST_TEXT = 65_535;
/** Default maximum length of text in PocketBase. */
const USUAL_TEXT = 5_000;

/** Reads a field in the format of PocketBase 0.23 and later, or in the earlier format with `options`. */
export function readField(source: SourceObject, reading: FieldReading): DraftField | undefined {
  const [name, type] = [source.text('name'), source.text('type')];
  source.skip('id', 'system', 'presentable');
  if (!name || !type) {
    source.notes.add(source.at, 'This has no `name` or no `type`, and was left out.');
    return undefined;
  }
  const own = source.object('options');
  const options = own ?? source;
  if (name === 'id' || (reading.isAuth && OF_ACCOUNTS.has(name))) {
    source.notes.add(
      source.at,
      name === 'id' ? 'The ids of records are UUIDs here.' : 'The service has this of accounts itself.',
    );
    return undefined;
  }
  const isRequired = source.flag('required') === true;
  source.lose('hidden', 'Who sees a field is said by permissions: name the fields of `read` in them.');
  source.lose('unique', 'This was left out: make the field unique by hand.');
  const read = readType(type, options, reading);
  source.lose('help', 'The help of a field has no counterpart, and was left out.');
  if (own !== undefined) own.end();
  source.end();
  if (read === undefined) return undefined;
  // An account is created before its custom fields are known.
  if (isRequired && reading.isAuth && read.default === undefined)
    source.notes.add(source.at, 'A field of accounts is optional here: they are made without it.');
  const isOptional = read.default === undefined && (!isRequired || reading.isAuth);
  return { at: source.at, name, ...read, ...(isOptional && !isManyOf(read) ? { optional: true } : {}) };
}

function isManyOf({ relation }: TypedField): boolean {
  return relation?.type === 'm2m';
}

type TypedField = Omit<DraftField, 'at' | 'name'>;

type ReadType = (options: SourceObject, reading: FieldReading) => TypedField | undefined;

const TYPES: Readonly<Record<string, ReadType>> = {
  text: (options) => {
    const max = options.number('max') ?? 0;
    losePattern(options);
    options.lose('autogeneratePattern', 'Values are not made of a pattern here: this was left out.');
    options.skip('primaryKey');
    if (max > LONGEST_TEXT) return { type: 'text', size: max };
    return { type: 'string', size: max >= 1 ? Math.floor(max) : USUAL_TEXT };
  },
  editor: (options) => {
    loseNumber(options, 'maxSize', 'A text has no size in bytes here: this was left out.');
    options.lose('convertURLs', 'How a text is edited is left to the front end.');
    return { type: 'text' };
  },
  email: (options) => loseDomains(options, 320),
  url: (options) => loseDomains(options, 2_048),
  number: (options) => {
    loseBounds(options);
    const isInteger = options.flag('onlyInt') === true || options.flag('noDecimal') === true;
    options.skip('onlyInt', 'noDecimal');
    return { type: isInteger ? 'int64' : 'float64', default: 0 };
  },
  bool: () => ({ type: 'bool', default: false }),
  date: (options) => {
    loseBounds(options);
    return { type: 'time' };
  },
  autodate: (options) => {
    options.lose('onUpdate', 'Only `updated_at` follows changes by itself: this was left out.');
    return options.flag('onCreate') === true ? { type: 'time', default: 'now' } : { type: 'time' };
  },
  json: (options) => {
    loseNumber(options, 'maxSize', 'JSON has no size here: this was left out.');
    return { type: 'json' };
  },
  geoPoint: (options) => {
    options.notes.add(options.at, 'A point is JSON here: it is neither searched nor measured.');
    return { type: 'json' };
  },
  select: readSelect,
  file: readFile,
  relation: readRelation,
  password: (options) => {
    options.notes.add(options.at, 'A second password has no counterpart: the field was left out.');
    options.skip('min', 'max', 'pattern', 'cost');
    return undefined;
  },
};

function readType(type: string, options: SourceObject, reading: FieldReading): TypedField | undefined {
  if (Object.hasOwn(TYPES, type)) return TYPES[type]?.(options, reading);
  options.notes.add(options.at, `There is no type ${type.slice(0, 100)}: the field was left out.`);
  return undefined;
}

function loseBounds(options: SourceObject): void {
  for (const member of ['min', 'max'])
    options.lose(member, 'Bounds of values have no counterpart: check them by a hook.');
}

/** Adds a note for a lost limit. A limit of 0 means no limit. */
function loseNumber(options: SourceObject, member: string, message: string): void {
  if (options.value[member] === 0) options.skip(member);
  else options.lose(member, message);
}

function losePattern(options: SourceObject): void {
  loseNumber(options, 'min', 'The least length of a text has no counterpart: check it by a hook.');
  options.lose('pattern', 'Patterns of texts have no counterpart: check it by a hook.');
}

function loseDomains(options: SourceObject, size: number): TypedField {
  for (const member of ['exceptDomains', 'onlyDomains'])
    options.lose(member, 'Which domains are taken has no counterpart: check it by a hook.');
  options.notes.add(options.at, 'The form of the text is not checked here.');
  return { type: 'string', size };
}

function readSelect(options: SourceObject): TypedField {
  const values = options.texts('values');
  if ((options.number('maxSelect') ?? 1) > 1) {
    options.notes.add(options.place('maxSelect'), 'Several values are a list in JSON here, which is not checked.');
    return { type: 'json' };
  }
  if (values.some((value) => value !== '')) return { type: 'enum', enums: values.map((value) => ({ value })) };
  options.notes.add(options.at, 'There are no values to choose from: it is a text.');
  return { type: 'text' };
}

function readFile(options: SourceObject): TypedField {
  const sizes = Object.fromEntries(
    options.texts('thumbs').flatMap((thumb, at) => {
      const size = pictureSize(thumb);
      if (size === undefined) options.notes.add(options.place('thumbs', at), 'This is no size here, and was left out.');
      return size === undefined ? [] : [[`s${thumb.toLowerCase()}`, size] as const];
    }),
  );
  options.lose('protected', 'Who may read a file follows from who may read the record.');
  const file = {
    types: options.texts('mimeTypes'),
    ...((options.number('maxSize') ?? 0) > 0 ? { max_size: Math.floor(options.number('maxSize') ?? 0) } : {}),
    ...(Object.keys(sizes).length > 0 && Object.keys(sizes).length <= 20 ? { sizes } : {}),
  };
  const most = options.number('maxSelect') ?? 1;
  if (most > 1) options.notes.add(options.place('maxSelect'), 'How many files a field takes has no bound here.');
  return { type: 'file', file, ...(most > 1 ? { multiple: true } : {}) };
}

/** Parses the size of a thumb: `100x100` crops, `100x100f` and a side of 0 keep the whole image. */
function pictureSize(thumb: string): PictureSize | undefined {
  const [, width = '', height = '', mode] = /^(\d{1,4})x(\d{1,4})([tbf]?)$/.exec(thumb) ?? [];
  const sides = {
    ...(Number(width) > 0 ? { width: Number(width) } : {}),
    ...(Number(height) > 0 ? { height: Number(height) } : {}),
  };
  const values = Object.values(sides);
  if (values.length === 0 || values.some((side) => side > 4_096) || mode === 't' || mode === 'b') return undefined;
  return { ...sides, ...(values.length === 2 && mode !== 'f' ? { fit: 'cover' } : {}) };
}

function readRelation(options: SourceObject, { nameOf }: FieldReading): TypedField | undefined {
  const schema = nameOf(options.text('collectionId') ?? '');
  if (schema === undefined) {
    options.notes.add(options.place('collectionId'), 'The collection is not in the source: the relation was left out.');
    return undefined;
  }
  loseNumber(options, 'minSelect', 'How many records are linked at least has no counterpart.');
  options.skip('displayFields');
  const isCascade = options.flag('cascadeDelete') === true;
  const most = options.any('maxSelect');
  // Earlier versions use null for no limit.
  const isMany = options.value['maxSelect'] === null || (typeof most === 'number' && most > 1);
  if (!isMany)
    return { type: 'relation', relation: { schema, type: 'o2m', ...(isCascade ? { on_delete: 'cascade' } : {}) } };
  if (typeof most === 'number')
    options.notes.add(options.place('maxSelect'), 'How many records are linked has no bound here.');
  if (isCascade)
    options.notes.add(options.place('cascadeDelete'), 'Links of many to many take no record along: this was left out.');
  return { type: 'relation', relation: { schema, type: 'm2m', owner: true } };
}

export function isPresentable({ value }: SourceObject): boolean {
  return jsonValue(value['presentable']) === true;
}
