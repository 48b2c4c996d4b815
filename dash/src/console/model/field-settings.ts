import { FIELD_TYPES, type FieldType } from '../data/record-schema.js';
import { FIELD_SETTINGS } from '../fields/field-settings.js';
import type { Setting } from '../fields/field-kind.types.js';
import type { FieldDefinition } from './field-edits.js';
import { MEMBERS_OF_RELATION } from './relation-edits.js';

export type Member = Setting | 'label';

/** Alternative type names in definitions. The service returns the canonical ones. */
export const TYPE_ALIASES: Readonly<Record<string, FieldType>> = {
  boolean: 'bool',
  datetime: 'time',
  timestamp: 'time',
  date: 'time',
  object: 'json',
  array: 'json',
  varchar: 'string',
  longtext: 'text',
  integer: 'int',
  number: 'float64',
  float: 'float64',
  double: 'float64',
};

/** Flags with their default, in display order. Usual flags are not among the advanced settings. */
export const FLAGS = [
  { name: 'optional', defaultValue: false, isCommon: true },
  { name: 'unique', defaultValue: false, isCommon: true },
  { name: 'searchable', defaultValue: false, isCommon: true },
  { name: 'multiple', defaultValue: false, isCommon: true },
  { name: 'immutable', defaultValue: false, isCommon: false },
  { name: 'sortable', defaultValue: true, isCommon: false },
  { name: 'filterable', defaultValue: true, isCommon: false },
] as const;
export type Flag = (typeof FLAGS)[number];

export const TEXTS = [
  { name: 'label', isCode: false },
  { name: 'setter', isCode: true },
  { name: 'getter', isCode: true },
] as const;

/** Input for the default of a field; `none` if it can only be edited as JSON. */
type DefaultInput = 'text' | 'whole' | 'number' | 'switch' | 'value' | 'time' | 'owner' | 'none';
const DEFAULT_INPUTS: Partial<Record<FieldType, DefaultInput>> = {
  bool: 'switch',
  enum: 'value',
  float32: 'number',
  float64: 'number',
  json: 'none',
  relation: 'owner',
  string: 'text',
  text: 'text',
  bytes: 'text',
  uuid: 'text',
  time: 'time',
  file: 'text',
};

/** Returns the canonical type of a field; null if the type is unknown. */
export function typeOf({ type }: FieldDefinition): FieldType | null {
  const fieldType = FIELD_TYPES.find((item) => item === type);
  return fieldType ?? (Object.hasOwn(TYPE_ALIASES, type) ? (TYPE_ALIASES[type] ?? null) : null);
}

/**
 * Returns the members to show: those of the type, and members that are set although the type does not support them, so that the user can
 * remove them.
 */
export function membersOf(field: FieldDefinition): ReadonlySet<Member> {
  const type = typeOf(field);
  const ofType: readonly Setting[] = type === null ? ['optional'] : FIELD_SETTINGS[type];
  const members = new Set<Member>(['label', ...ofType]);
  for (const name of ALL) if (field[name] !== undefined) members.add(name);
  if (defaultInput(field) === 'none' || !canBeOwned(field)) members.delete('default');
  return members;
}

const ALL = [...new Set(Object.values(FIELD_SETTINGS).flat())].filter((name) => name !== 'relation');

/** Only relations to accounts can default to the owner. An existing default can be removed. */
function canBeOwned(field: FieldDefinition): boolean {
  return defaultInput(field) !== 'owner' || field.default !== undefined || field.relation?.schema === 'user';
}

export function defaultInput(field: FieldDefinition): DefaultInput {
  const type = typeOf(field);
  return type === null ? 'none' : (DEFAULT_INPUTS[type] ?? 'whole');
}

/**
 * Parses a default; undefined if empty. Invalid text stays unchanged, so that the service reports the error. Integers beyond the safe range
 * stay strings.
 */
export function readDefault(input: DefaultInput, text: string): string | number | boolean | undefined {
  if (text === '') return undefined;
  if (input === 'switch') return text === 'true' ? true : text === 'false' ? false : text;
  if (input === 'whole' && /^\s*-?\d+\s*$/.test(text))
    return Number.isSafeInteger(Number(text)) ? Number(text) : text.trim();
  if (input === 'number' && /^\s*-?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(text) && Number.isFinite(Number(text)))
    return Number(text);
  return text;
}

/** Returns the value to write; undefined for the default of the flag. */
export function flagValue({ defaultValue }: Flag, isOn: boolean): boolean | undefined {
  return isOn === defaultValue ? undefined : isOn;
}

/** Returns the state of a flag; its default if the value is not a boolean. */
export function isFlagOn({ name, defaultValue }: Flag, field: FieldDefinition): boolean {
  const value: unknown = field[name];
  return typeof value === 'boolean' ? value : defaultValue;
}

/** Returns the relative pointers of all inputs of a field. A trailing slash includes nested members. */
export function inputsOf(field: FieldDefinition): readonly string[] {
  const members = [...membersOf(field)].flatMap((name) => INSIDE[name] ?? [name]);
  return ['name', 'type', ...members];
}

const INSIDE: Partial<Record<Member, readonly string[]>> = {
  enums: ['enums', 'enums/'],
  relation: MEMBERS_OF_RELATION.map((name) => `relation/${name}`),
  file: ['file/types', 'file/types/', 'file/max_size', 'file/quota', 'file/sizes', 'file/sizes/'],
};
