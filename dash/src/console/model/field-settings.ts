import { FIELD_TYPES, type FieldType } from '../data/record-schema.js';
import { FIELD_SETTINGS } from '../fields/field-settings.js';
import type { Setting } from '../fields/field-kind.types.js';
import type { FieldDefinition } from './field-edits.js';
import { MEMBERS_OF_RELATION } from './relation-edits.js';

/** A member of a field that the form has an input for. */
export type Member = Setting | 'label';

/** Other names of types that a definition may be written with. The service answers the canonical ones. */
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

/** The flags in their order: what they mean where nothing is said of them, and whether they stand among the usual settings. */
export const FLAGS = [
  { name: 'optional', unset: false, isUsual: true },
  { name: 'unique', unset: false, isUsual: true },
  { name: 'searchable', unset: false, isUsual: true },
  { name: 'multiple', unset: false, isUsual: true },
  { name: 'immutable', unset: false, isUsual: false },
  { name: 'sortable', unset: true, isUsual: false },
  { name: 'filterable', unset: true, isUsual: false },
] as const;
export type Flag = (typeof FLAGS)[number];

/** Members that are texts of their own, and whether they are expressions. */
export const TEXTS = [
  { name: 'label', isCode: false },
  { name: 'setter', isCode: true },
  { name: 'getter', isCode: true },
] as const;

/** Ways in which a default is entered; `none` is for what only JSON says. */
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

/** Returns the canonical name of the type of a field, or null if there is no such type. */
export function typeOf({ type }: FieldDefinition): FieldType | null {
  const known = FIELD_TYPES.find((one) => one === type);
  return known ?? (Object.hasOwn(TYPE_ALIASES, type) ? (TYPE_ALIASES[type] ?? null) : null);
}

/** Returns what there is an input for: what the type has, and what is written though the type has it not, so that it can be taken away. */
export function membersOf(field: FieldDefinition): ReadonlySet<Member> {
  const type = typeOf(field);
  const ofType: readonly Setting[] = type === null ? ['optional'] : FIELD_SETTINGS[type];
  const members = new Set<Member>(['label', ...ofType]);
  for (const name of ALL) if (field[name] !== undefined) members.add(name);
  if (defaultInput(field) === 'none' || !mayBeOwned(field)) members.delete('default');
  return members;
}

const ALL = [...new Set(Object.values(FIELD_SETTINGS).flat())].filter((name) => name !== 'relation');

/** Returns whether the default of a field may be the owner. A relation has one default, which only those to accounts may have. */
function mayBeOwned(field: FieldDefinition): boolean {
  return defaultInput(field) !== 'owner' || field.default !== undefined || field.relation?.schema === 'user';
}

/** Returns how the default of a field is entered. */
export function defaultInput(field: FieldDefinition): DefaultInput {
  const type = typeOf(field);
  return type === null ? 'none' : (DEFAULT_INPUTS[type] ?? 'whole');
}

/**
 * Reads a default. Undefined for nothing; what is no value of the type stays as it is typed, so that the service says what is wrong
 * with it. A whole number that JSON does not carry exactly is text, as the service takes it.
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

/** Returns what a flag is to be written as: nothing if it says what is so anyway. */
export function flagValue({ unset }: Flag, isOn: boolean): boolean | undefined {
  return isOn === unset ? undefined : isOn;
}

/** Returns whether a flag is on; what is neither true nor false is as if nothing were said. */
export function isFlagOn({ name, unset }: Flag, field: FieldDefinition): boolean {
  const value: unknown = field[name];
  return typeof value === 'boolean' ? value : unset;
}

/** Pointers, in the field, of what has an input; what ends with a slash stands for all that is in it. */
export function inputsOf(field: FieldDefinition): readonly string[] {
  const members = [...membersOf(field)].flatMap((name) => INSIDE[name] ?? [name]);
  return ['name', 'type', ...members];
}

const INSIDE: Partial<Record<Member, readonly string[]>> = {
  enums: ['enums', 'enums/'],
  relation: MEMBERS_OF_RELATION.map((name) => `relation/${name}`),
  file: ['file/types', 'file/types/', 'file/max_size', 'file/quota', 'file/sizes', 'file/sizes/'],
};
