import type { FieldType } from '../../../../src/kernel/schema-definition.types.js';
import type { DraftField, DraftRelation } from '../draft/conversion.types.js';
import { jsonValue, type SourceObject } from '../draft/source-object.js';

const TYPES: ReadonlyMap<string, FieldType> = new Map([
  ['string', 'string'],
  ['text', 'text'],
  ['integer', 'int32'],
  ['bigInteger', 'int64'],
  ['float', 'float64'],
  ['decimal', 'float64'],
  ['boolean', 'bool'],
  ['json', 'json'],
  ['csv', 'json'],
  ['uuid', 'uuid'],
  ['date', 'time'],
  ['dateTime', 'time'],
  ['timestamp', 'time'],
  ['time', 'string'],
  ['hash', 'string'],
  ['binary', 'bytes'],
]);
/** Types that lose information, with the note for the user. */
const CHANGED: Readonly<Record<string, string>> = {
  decimal: 'A decimal becomes a float64.',
  csv: 'A list of texts becomes JSON.',
  time: 'A time of day becomes text.',
  hash: 'Hashes are not created automatically. Add a setter with `hash(…)`.',
};
/** `special` flags that need no note. */
const FILLED =
  /^(?:user-(?:created|updated)|role-(?:created|updated)|date-(?:created|updated)|uuid|hash|conceal|cast-\w+|file|m2o|o2m|m2m|translations|files|m2a|geometry|no-data|group|alias)$/;
const DISPLAY_ONLY = [
  'collection',
  'display',
  'field',
  'group',
  'hidden',
  'id',
  'interface',
  'readonly',
  'sort',
  'width',
  'searchable',
];

/** Reads a field, or a relation field if `relation` is set. Alias fields without a relation are presentation only. */
export function readField(source: SourceObject, relation?: DraftRelation): DraftField | undefined {
  const { at, notes } = source;
  const [name, type] = [source.text('field') ?? '', source.text('type') ?? ''];
  source.ignore('collection');
  if (name === '') {
    notes.add(at, 'The entry has no `field` and was skipped.');
    return undefined;
  }
  const isRequired = readMeta(source);
  const schema = source.object('schema');
  const stored = schema === undefined ? {} : readStorage(schema);
  source.noteUnread();
  if (relation !== undefined) return relationField({ at, name, relation }, { ...stored, isRequired }, notes);
  if (type === 'alias') {
    notes.add(
      at,
      `${name.slice(0, 100)} is a presentation field, or a relation that is not in the source, and was skipped.`,
    );
    return undefined;
  }
  const read = { ...stored, isRequired };
  return valueField({ at, name, type }, read, notes);
}

interface TypedName {
  readonly at: DraftField['at'];
  readonly name: string;
  readonly type: string;
}

function valueField(
  { at, name, type }: TypedName,
  { size, unique, default: defaultValue, isNullable, isRequired }: FieldStorage,
  notes: SourceObject['notes'],
): DraftField | undefined {
  const fieldType = type.startsWith('geometry') ? 'json' : TYPES.get(type);
  if (fieldType === undefined) {
    notes.add(at, `The type ${type.slice(0, 100)} is unknown, so the field was skipped.`);
    return undefined;
  }
  if (fieldType === 'json' && type !== 'json' && type !== 'csv')
    notes.add(at, 'A geometry becomes JSON, without spatial queries.');
  if (Object.hasOwn(CHANGED, type)) notes.add(at, CHANGED[type] ?? '');
  const value = defaultOf(fieldType, defaultValue);
  const hasSize = fieldType === 'string' && size !== undefined && size >= 1 && size <= 65_535;
  return {
    at,
    type: fieldType,
    name,
    ...(hasSize ? { size } : {}),
    ...(unique === true ? { unique } : {}),
    ...(value === undefined ? {} : { default: value }),
    ...(isNullable === false || isRequired ? {} : { optional: true }),
  };
}

/** Converts a database default: time functions, and decimals given as text. */
function defaultOf(type: FieldType, defaultValue: DraftField['default']): DraftField['default'] {
  if (typeof defaultValue !== 'string') return defaultValue;
  if (type === 'time' && /^(now|current_timestamp)/i.test(defaultValue)) return 'now';
  return type === 'float64' && /^-?\d{1,15}(\.\d{1,15})?$/.test(defaultValue) ? Number(defaultValue) : defaultValue;
}

interface FieldStorage extends Storage {
  readonly isRequired: boolean;
}

function relationField(
  { at, name, relation }: { readonly at: DraftField['at']; readonly name: string; readonly relation: DraftRelation },
  { isRequired, isNullable = false, unique = false, default: defaultValue }: FieldStorage,
  notes: SourceObject['notes'],
): DraftField {
  const isMany = relation.type === 'm2m' || relation.owner === true;
  const optional = isMany || (isNullable && !isRequired) ? { optional: true } : {};
  if (defaultValue !== undefined) notes.add(at, 'Defaults of relations are not supported.');
  const isFile = relation.schema === 'file' && (relation.type === 'm2m' || !isMany);
  const isOneToOne = unique && !isMany && !isFile && relation.field === undefined;
  if (unique && !isMany && !isOneToOne) notes.add(at, 'The uniqueness of the link is not enforced.');
  if (isFile) {
    if (relation.on_delete === 'cascade') notes.add(at, 'A record is not deleted together with its file.');
    return { at, type: 'file', name, ...(isMany ? { multiple: true } : {}), ...optional };
  }
  const own: DraftRelation = isOneToOne ? { ...relation, type: 'o2o' } : relation;
  return { at, type: 'relation', name, relation: own, ...optional };
}

function readMeta(source: SourceObject): boolean {
  const meta = source.object('meta');
  if (meta === undefined) return false;
  meta.ignore(...DISPLAY_ONLY);
  for (const member of ['options', 'display_options', 'conditions'])
    meta.drop(member, 'Display and editing options are not supported.');
  meta.drop('note', 'Help texts of fields are not supported.');
  meta.drop('translations', 'Translated names are not supported.');
  meta.drop('validation', 'Value conditions are not supported. Check them in a hook.');
  meta.drop('validation_message', 'Value conditions are not supported. Check them in a hook.');
  for (const [at, special] of meta.texts('special').entries()) {
    if (/^(user|role|date)-/.test(special))
      meta.notes.add(
        meta.originOf('special', at),
        `${special.slice(0, 100)} is not set automatically. See \`default\` of a field, and \`created_at\` and \`updated_at\`.`,
      );
    else if (!FILLED.test(special))
      meta.notes.add(meta.originOf('special', at), `${special.slice(0, 100)} is not supported.`);
  }
  const isRequired = meta.flag('required') === true;
  meta.noteUnread();
  return isRequired;
}

interface Storage {
  readonly size?: number;
  readonly unique?: boolean;
  readonly default?: DraftField['default'];
  readonly isNullable?: boolean;
}

function readStorage(schema: SourceObject): Storage {
  schema.ignore(
    'name',
    'table',
    'schema',
    'data_type',
    'is_primary_key',
    'has_auto_increment',
    'is_indexed',
    'foreign_key_schema',
  );
  schema.ignore(
    'foreign_key_table',
    'foreign_key_column',
    'numeric_precision',
    'numeric_scale',
    'foreign_key_constraint',
  );
  schema.drop('is_generated', 'Computed columns are not supported. Add a getter.');
  schema.drop('generation_expression', 'Computed columns are not supported. Add a getter.');
  schema.drop('comment', 'Column comments are not supported.');
  const size = schema.number('max_length');
  const value = jsonValue(schema.any('default_value'));
  const stored = {
    ...(size === undefined ? {} : { size }),
    ...(schema.flag('is_unique') === true ? { unique: true } : {}),
    ...(value === undefined ? {} : { default: value }),
    isNullable: schema.flag('is_nullable') !== false,
  };
  schema.noteUnread();
  return stored;
}
