import type { FieldDefinition } from '../../../../src/kernel/schema-definition.types.js';
import { valueMismatch } from '../../../../src/data/schema/validate/check-value.js';
import { fieldType } from '../../../../src/data/model/field-types.js';
import { withoutUndefined } from '../../../../src/data/model/plain-record.js';
import { SCHEMA_LIMITS } from '../../../../src/data/model/schema-limits.js';
import type { DraftField } from './conversion.types.js';
import type { Notes } from './notes.js';

type ValueField = Omit<FieldDefinition, 'relation' | 'name'>;

const SIZES: Partial<Record<string, number>> = {
  string: SCHEMA_LIMITS.stringSize,
  text: SCHEMA_LIMITS.textSize,
  bytes: SCHEMA_LIMITS.textSize,
};
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;

/** Drops options that the type does not support, and adds notes. */
export function normalizeField(draft: DraftField, notes: Notes): ValueField {
  const { at, relation: _relation, name: _name, ...field } = draft;
  const { type } = field;
  const { family, indexed, sql } = fieldType(type);
  const drop = (member: string, reason: string): void => notes.add(at, `\`${member}\` was skipped: ${reason}.`);
  const enums = normalizeEnums(draft, notes);
  const size = normalizeSize(draft, notes);
  const isList = type === 'file' && field.multiple === true;
  if (field.multiple === true && !isList) drop('multiple', `the type ${type} has a single value`);
  if (field.searchable === true && family !== 'string') drop('searchable', `the type ${type} is not searchable`);
  const isUnique = field.unique === true && indexed === true;
  if (field.unique === true && !isUnique && type !== 'relation') drop('unique', `the type ${type} cannot be unique`);
  for (const member of ['setter', 'getter'] as const) if (field[member] && sql === '') drop(member, `it is a relation`);
  return withoutUndefined<ValueField>({
    ...field,
    label: field.label?.slice(0, SCHEMA_LIMITS.label) || undefined,
    size,
    enums,
    unique: isUnique || undefined,
    optional: field.optional || undefined,
    immutable: field.immutable || undefined,
    multiple: isList || undefined,
    searchable: (field.searchable === true && family === 'string') || undefined,
    default: normalizeDefault(draft, { size, enums }, notes),
    setter: sql === '' ? undefined : field.setter,
    getter: sql === '' ? undefined : field.getter,
    file: normalizeFile(draft, notes),
  });
}

function normalizeSize({ type, size, at }: DraftField, notes: Notes): number | undefined {
  if (size === undefined || size === 0) return undefined;
  const limit = SIZES[type];
  if (limit !== undefined && Number.isInteger(size) && size >= 1 && size <= limit) return size;
  const explanation = limit === undefined ? `the type ${type} does not support it` : `it must be from 1 to ${limit}`;
  notes.add(at, `\`size\` was skipped: ${explanation}.`);
  return undefined;
}

function normalizeEnums({ type, enums = [], at }: DraftField, notes: Notes): FieldDefinition['enums'] {
  if (type !== 'enum') {
    if (enums.length > 0) notes.add(at, `\`enums\` were skipped: the type is ${type}.`);
    return undefined;
  }
  const seen = new Set<string>();
  const usable = enums.filter(({ value }) => {
    const isUsable = value !== '' && Buffer.byteLength(value) <= SCHEMA_LIMITS.enumValueBytes && !seen.has(value);
    seen.add(value);
    return isUsable;
  });
  const valid = usable.slice(0, SCHEMA_LIMITS.enums);
  if (valid.length < enums.length)
    notes.add(
      at,
      `Enum values that are empty, too long, repeated or beyond the limit were skipped: ${enums.length - valid.length}.`,
    );
  return valid.map(({ value, label }) => ({ value, ...(label ? { label: label.slice(0, SCHEMA_LIMITS.label) } : {}) }));
}

function normalizeDefault(
  { type, default: value, at }: DraftField,
  { size, enums }: Pick<ValueField, 'size' | 'enums'>,
  notes: Notes,
): ValueField['default'] {
  if (value === undefined || value === null) return undefined;
  if (type === 'relation' && value === 'auth.id') return value;
  const rules = { type, ...(size === undefined ? {} : { size }), enums: enums?.map((entry) => entry.value) ?? [] };
  const reason = fieldType(type).sql === '' ? 'a relation does not support it' : valueMismatch(value, rules);
  if (reason === undefined) return value;
  notes.add(at, `\`default\` was skipped: ${reason}.`);
  return undefined;
}

function normalizeFile({ type, file, at }: DraftField, notes: Notes): FieldDefinition['file'] {
  if (file === undefined || type !== 'file') return undefined;
  const types = [...new Set(file.types ?? [])].filter((name) => {
    const isUsable = MEDIA_TYPE.test(name);
    if (!isUsable) notes.add(at, `The media type ${name.slice(0, 100)} is not valid and was skipped.`);
    return isUsable;
  });
  const hasSize = file.max_size !== undefined && Number.isSafeInteger(file.max_size) && file.max_size >= 1;
  const valid = {
    ...(types.length > 0 ? { types: types.slice(0, SCHEMA_LIMITS.fileTypes) } : {}),
    ...(hasSize ? { max_size: file.max_size } : {}),
    ...(file.sizes ? { sizes: file.sizes } : {}),
  };
  if (types.length > SCHEMA_LIMITS.fileTypes) notes.add(at, 'Media types beyond the limit were skipped.');
  return Object.keys(valid).length > 0 ? valid : undefined;
}
