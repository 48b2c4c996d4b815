import type { getMetadataStorage } from 'class-validator';
import type { Json } from '../document/json-text.types.js';

/** One decorator of class-validator at one field. */
export type FieldDecorator = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const TEXT = { type: 'string' } as const;
const OBJECT = { type: 'object' } as const;
const LIST = { type: 'array' } as const;

/** What the checks of class-validator say in JSON Schema, by their names; others say nothing that it could. */
const FACTS: Readonly<Record<string, (...constraints: readonly unknown[]) => Json>> = {
  isString: () => TEXT,
  isBoolean: () => ({ type: 'boolean' }),
  isNumber: () => ({ type: 'number' }),
  isInt: () => ({ type: 'integer' }),
  isArray: () => LIST,
  isObject: () => OBJECT,
  isNotEmptyObject: () => ({ ...OBJECT, minProperties: 1 }),
  equals: (value) => ({ const: value }),
  isIn: (values) => ({ enum: values }),
  isEnum: (_enum, values) => ({ enum: values }),
  min: (minimum) => ({ type: 'number', minimum }),
  max: (maximum) => ({ type: 'number', maximum }),
  isPositive: () => ({ type: 'number', exclusiveMinimum: 0 }),
  isNegative: () => ({ type: 'number', exclusiveMaximum: 0 }),
  isDivisibleBy: (multipleOf) => ({ type: 'number', multipleOf }),
  isNotEmpty: () => ({ minLength: 1 }),
  minLength: (minLength) => ({ ...TEXT, minLength }),
  maxLength: (maxLength) => ({ ...TEXT, maxLength }),
  isLength: (minLength, maxLength) => ({ ...TEXT, minLength, maxLength }),
  matches: (pattern) => ({ ...TEXT, ...(pattern instanceof RegExp && patternOf(pattern)) }),
  isEmail: () => ({ ...TEXT, format: 'email' }),
  isUuid: () => ({ ...TEXT, format: 'uuid' }),
  isUrl: () => TEXT,
  isDateString: () => TEXT,
  isIso8601: () => TEXT,
  isBooleanString: () => ({ enum: ['true', 'false', '1', '0'] }),
  arrayNotEmpty: () => ({ ...LIST, minItems: 1 }),
  arrayMinSize: (minItems) => ({ ...LIST, minItems }),
  arrayMaxSize: (maxItems) => ({ ...LIST, maxItems }),
  arrayUnique: (identifier) => ({ ...LIST, ...(identifier === undefined ? { uniqueItems: true } : {}) }),
};

/** Returns what several checks of one field say in JSON Schema; a whole number stays one whatever its limits say. */
export function validatorFacts(checks: readonly FieldDecorator[]): Json {
  const said = checks.map(({ name, constraints }) => FACTS[name ?? '']?.(...((constraints as unknown[]) ?? [])) ?? {});
  const merged = Object.assign({}, ...said) as Json;
  return said.some(({ type }) => type === 'integer') ? { ...merged, type: 'integer' } : merged;
}

/** JSON Schema knows no flags. */
function patternOf({ source, flags }: RegExp): Json {
  return flags.replace(/[uv]/, '') === '' ? { pattern: source } : {};
}
