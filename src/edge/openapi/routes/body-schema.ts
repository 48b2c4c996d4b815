import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import { findFieldCheck } from '../../../platform/http/input/field.decorator.js';
import type { Json } from '../document/references.js';

const TEXT = { type: 'string' } as const;

const OBJECT = { type: 'object' } as const;

const LIST = { type: 'array' } as const;

/** JSON Schema of the checks of class-validator, by name. Other checks cannot be expressed. */
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

interface Field {
  readonly schema: Json;
  readonly optional: boolean;
}

/** JSON Schema of the declared TypeScript type, used if no check determines it. */
const DECLARED = new Map<unknown, Json>([
  [String, { type: 'string' }],
  [Number, { type: 'number' }],
  [Boolean, { type: 'boolean' }],
  [Array, { type: 'array' }],
]);

/** Returns whether the fields of a class are declared, with `@Field` or with decorators of class-validator. */
export function declaresFields(type: Type): boolean {
  return decoratorsOf(type).length > 0;
}

export function bodySchema(type: Type, above: readonly Type[] = []): Json {
  if (above.includes(type)) return { type: 'object' };
  const names = [...new Set(decoratorsOf(type).map(({ propertyName }) => propertyName))];
  const fields = names.map((name) => ({ name, ...fieldOf(type, name, above) }));
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
  };
}

/**
 * Like {@link bodySchema}, with the facts of `@ApiProperty`: descriptions, examples, deprecations.
 *
 * @param schemas of the classes by name, as created by @nestjs/swagger.
 */
export function schemaWith(type: Type, schemas: Readonly<Record<string, Json>>): Json {
  const checked = bodySchema(type) as Json & { readonly properties: Readonly<Record<string, Json>> };
  const stated = (schemas[type.name]?.['properties'] ?? {}) as Readonly<Record<string, Json>>;
  const fields = Object.entries(checked.properties).map(([name, schema]) => [
    name,
    { ...statedFacts(stated[name]), ...schema },
  ]);
  return { ...checked, properties: Object.fromEntries(fields) as Json };
}

/** Returns the facts to add to the checks. A reference or a choice is already covered by the checks. */
function statedFacts(schema: Json = {}): Json {
  const { $ref, allOf, anyOf, oneOf, ...more } = schema;
  const isInline = [$ref, allOf, anyOf, oneOf].every((part) => part === undefined);
  return isInline ? more : pick(more, ['description', 'example', 'examples', 'deprecated', 'title']);
}

function pick(schema: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => names.includes(name)));
}

function decoratorsOf(type: Type): readonly FieldDecorator[] {
  return getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
}

function fieldOf(type: Type, name: string, above: readonly Type[]): Field {
  const check = findFieldCheck(type.prototype as object, name);
  if (check === null) return validatedField(type, name, above);
  const stated = check.constraints?.type ?? 'string';
  const schema = { ...check.constraints, type: check(null) === null ? [stated, 'null'] : stated };
  // The check itself determines whether the field is optional, so the two cannot contradict each other.
  return { schema, optional: check(undefined) === null };
}

function validatedField(type: Type, name: string, above: readonly Type[]): Field {
  const decorators = decoratorsOf(type).filter(({ propertyName }) => propertyName === name);
  const is = (kind: string): boolean => decorators.some((decorator) => decorator.type === kind);
  const isValidated = decorators.some(({ type: kind }) => !/^(?:conditional|whitelist)Validation$/.test(kind));
  const schema = valueSchema(type, name, decorators, above);
  const isNullable = decorators.some((decorator) => decorator.name === 'isOptional');
  return {
    schema: isNullable ? orNull(schema) : schema,
    optional: !isValidated || is('conditionalValidation'),
  };
}

function valueSchema(type: Type, name: string, decorators: readonly FieldDecorator[], above: readonly Type[]): Json {
  const declared: unknown = Reflect.getMetadata('design:type', type.prototype as object, name);
  const own = validatorFacts(decorators.filter(({ each }) => !each));
  const ofItems = validatorFacts(decorators.filter(({ each }) => each));
  const isNested = decorators.some((decorator) => decorator.type === 'nestedValidation');
  const nested = isNested ? nestedSchema(type, name, above) : {};
  const isList = declared === Array || own['type'] === 'array' || decorators.some(({ each }) => each);
  if (!isList) return { ...DECLARED.get(declared), ...nested, ...own };
  return { type: 'array', ...own, items: { ...ofItems, ...nested } };
}

/** Returns the schema of a nested object. Its class is determined by a trial run of the transformer. */
function nestedSchema(type: Type, name: string, above: readonly Type[]): Json {
  const list: unknown = sampleOf(type, name, [{}]);
  const child: unknown = Array.isArray(list) ? list[0] : sampleOf(type, name, {});
  const childType = (child as object | null | undefined)?.constructor as Type | undefined;
  return childType === undefined || childType === Object ? { type: 'object' } : bodySchema(childType, [...above, type]);
}

function sampleOf(type: Type, name: string, value: unknown): unknown {
  try {
    return (plainToInstance(type, { [name]: value }) as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

function orNull(schema: Json): Json {
  const { type, enum: values, const: value } = schema;
  return {
    ...schema,
    ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
    ...('const' in schema ? { const: undefined, enum: [value, null] } : {}),
  };
}

type FieldDecorator = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Merges the checks of one field into JSON Schema. An integer stays an integer, although its limits have the type number. */
function validatorFacts(checks: readonly FieldDecorator[]): Json {
  const facts = checks.map(({ name, constraints }) => FACTS[name ?? '']?.(...((constraints as unknown[]) ?? [])) ?? {});
  const merged = Object.assign({}, ...facts) as Json;
  return facts.some(({ type }) => type === 'integer') ? { ...merged, type: 'integer' } : merged;
}

/** Returns the pattern of a regular expression, unless it has flags that JSON Schema lacks. */
function patternOf({ source, flags }: RegExp): Json {
  return flags.replace(/[uv]/, '') === '' ? { pattern: source } : {};
}
