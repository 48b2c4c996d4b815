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
  decimal: 'A decimal is a float64 here.',
  csv: 'A list of texts is JSON here.',
  time: 'A time of day is text here.',
  hash: 'A hash is not made by itself: write a setter with `hash(…)`.',
};
/** `special` flags that need no note. */
const FILLED =
  /^(?:user-(?:created|updated)|role-(?:created|updated)|date-(?:created|updated)|uuid|hash|conceal|cast-\w+|file|m2o|o2m|m2m|translations|files|m2a|geometry|no-data|group|alias)$/;
const LOOKS = [
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
  source.skip('collection');
  if (name === '') {
    notes.add(at, 'This has no `field`, and was left out.');
    return undefined;
  }
  const isRequired = readMeta(source);
  const schema = source.object('schema');
  const stored = schema === undefined ? {} : readStorage(schema);
  source.end();
  if (relation !== undefined) return relationField({ at, name, relation }, { ...stored, isRequired }, notes);
  if (type === 'alias') {
    notes.add(at, `${name.slice(0, 100)} is presentation, or a relation that is not in the source: it was left out.`);
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
  { size, unique, default: given, isNullable, isRequired }: FieldStorage,
  notes: SourceObject['notes'],
): DraftField | undefined {
  const known = type.startsWith('geometry') ? 'json' : TYPES.get(type);
  if (known === undefined) {
    notes.add(at, `There is no type ${type.slice(0, 100)}: the field was left out.`);
    return undefined;
  }
  if (known === 'json' && type !== 'json' && type !== 'csv')
    notes.add(at, 'A geometry is JSON here: it is neither searched nor measured.');
  if (Object.hasOwn(CHANGED, type)) notes.add(at, CHANGED[type] ?? '');
  const value = defaultOf(known, given);
  const hasSize = known === 'string' && size !== undefined && size >= 1 && size <= 65_535;
  return {
    at,
    type: known,
    name,
    ...(hasSize ? { size } : {}),
    ...(unique === true ? { unique } : {}),
    ...(value === undefined ? {} : { default: value }),
    ...(isNullable === false || isRequired ? {} : { optional: true }),
  };
}

/** Converts a database default: time functions, and decimals given as text. */
function defaultOf(type: FieldType, given: DraftField['default']): DraftField['default'] {
  if (typeof given !== 'string') return given;
  if (type === 'time' && /^(now|current_timestamp)/i.test(given)) return 'now';
  return type === 'float64' && /^-?\d{1,15}(\.\d{1,15})?$/.test(given) ? Number(given) : given;
}

interface FieldStorage extends Storage {
  readonly isRequired: boolean;
}

function relationField(
  { at, name, relation }: { readonly at: DraftField['at']; readonly name: string; readonly relation: DraftRelation },
  { isRequired, isNullable = false, unique = false, default: given }: FieldStorage,
  notes: SourceObject['notes'],
): DraftField {
  const isMany = relation.type === 'm2m' || relation.owner === true;
  const optional = isMany || (isNullable && !isRequired) ? { optional: true } : {};
  if (given !== undefined) notes.add(at, 'A relation has no default.');
  const isFile = relation.schema === 'file' && (relation.type === 'm2m' || !isMany);
  const isOneToOne = unique && !isMany && !isFile && relation.field === undefined;
  if (unique && !isMany && !isOneToOne) notes.add(at, 'That one record alone may link the other is not held here.');
  if (isFile) {
    if (relation.on_delete === 'cascade') notes.add(at, 'A record does not go with its file here.');
    return { at, type: 'file', name, ...(isMany ? { multiple: true } : {}), ...optional };
  }
  const own: DraftRelation = isOneToOne ? { ...relation, type: 'o2o' } : relation;
  return { at, type: 'relation', name, relation: own, ...optional };
}

function readMeta(source: SourceObject): boolean {
  const meta = source.object('meta');
  if (meta === undefined) return false;
  meta.skip(...LOOKS);
  for (const member of ['options', 'display_options', 'conditions'])
    meta.lose(member, 'How a field is shown and edited is left to the front end.');
  meta.lose('note', 'The help of a field has no counterpart.');
  meta.lose('translations', 'Names in other languages have no counterpart.');
  meta.lose('validation', 'Conditions of values have no counterpart: check them by a hook.');
  meta.lose('validation_message', 'Conditions of values have no counterpart: check them by a hook.');
  for (const [at, special] of meta.texts('special').entries()) {
    if (/^(user|role|date)-/.test(special))
      meta.notes.add(
        meta.place('special', at),
        `${special.slice(0, 100)} is not filled by itself: see \`default\` of a field, and \`created_at\` and \`updated_at\`.`,
      );
    else if (!FILLED.test(special))
      meta.notes.add(meta.place('special', at), `${special.slice(0, 100)} has no counterpart.`);
  }
  const isRequired = meta.flag('required') === true;
  meta.end();
  return isRequired;
}

interface Storage {
  readonly size?: number;
  readonly unique?: boolean;
  readonly default?: DraftField['default'];
  readonly isNullable?: boolean;
}

function readStorage(schema: SourceObject): Storage {
  schema.skip(
    'name',
    'table',
    'schema',
    'data_type',
    'is_primary_key',
    'has_auto_increment',
    'is_indexed',
    'foreign_key_schema',
  );
  schema.skip(
    'foreign_key_table',
    'foreign_key_column',
    'numeric_precision',
    'numeric_scale',
    'foreign_key_constraint',
  );
  schema.lose('is_generated', 'The database computes no columns here: write a getter.');
  schema.lose('generation_expression', 'The database computes no columns here: write a getter.');
  schema.lose('comment', 'Comments of columns have no counterpart.');
  const size = schema.number('max_length');
  const value = jsonValue(schema.any('default_value'));
  const stored = {
    ...(size === undefined ? {} : { size }),
    ...(schema.flag('is_unique') === true ? { unique: true } : {}),
    ...(value === undefined ? {} : { default: value }),
    isNullable: schema.flag('is_nullable') !== false,
  };
  schema.end();
  return stored;
}
