import type { ContentLimits } from '../../../data/content/content.public.js';
import { fieldType } from '../../../data/model/field-types.js';
import type { LinkedValueField } from '../../../data/model/schema-model.types.js';
import { testsOf, type ValueTests } from '../../../data/model/value-forms.js';
import type { Json } from '../document/json-text.types.js';
import { listOf, schemaRef } from '../document/references.js';

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;

const BY_FAMILY: Readonly<Record<string, string>> = {
  boolean: 'BooleanCondition',
  time: 'TimeCondition',
  uuid: 'UuidCondition',
  enum: 'TextCondition',
  string: 'TextCondition',
  integer: 'IntegerCondition',
  float: 'NumberCondition',
};

/** The schemas that filters are made of: the value alone, null, or an object of operators. */
export function filterSchemas({ inValues }: Pick<ContentLimits, 'inValues'>): Readonly<Record<string, Json>> {
  const condition = (value: Json | null, tests: ValueTests): Json => conditionFor(value, tests, inValues);
  return {
    BooleanCondition: condition({ type: 'boolean' }, 'equality'),
    TimeCondition: condition(TEXT, 'order'),
    UuidCondition: condition({ type: 'string', format: 'uuid' }, 'order'),
    TextCondition: condition(TEXT, 'text'),
    IntegerCondition: condition({ type: ['integer', 'string'] }, 'order'),
    NumberCondition: condition({ type: 'number' }, 'order'),
    NullCondition: condition(null, 'none'),
  };
}

/** What a filter takes for a field. */
export function conditionOf({ type }: LinkedValueField): Json {
  const { family } = fieldType(type);
  return schemaRef(testsOf(family) === 'none' ? 'NullCondition' : (BY_FAMILY[family] ?? 'NullCondition'));
}

/** The members that every filter has, beside its fields. */
export function filterLogic(self: Json): Readonly<Record<string, Json>> {
  return { $and: listOf(self), $or: listOf(self), $not: self };
}

function conditionFor(value: Json | null, tests: ValueTests, most: number): Json {
  const operators = { type: 'object', additionalProperties: false, properties: operatorsOf(value ?? {}, tests, most) };
  return { anyOf: [...(value === null ? [] : [value]), { type: 'null' }, operators] };
}

function operatorsOf(value: Json, tests: ValueTests, most: number): Readonly<Record<string, Json>> {
  const orNull = { anyOf: [value, { type: 'null' }] };
  const list = { type: 'array', items: value, maxItems: most };
  const given = (names: readonly string[], schema: Json): Record<string, Json> =>
    Object.fromEntries(names.map((name) => [name, schema]));
  return {
    $null: FLAG,
    ...(tests === 'none' ? {} : { ...given(['$eq', '$neq'], orNull), ...given(['$in', '$nin'], list) }),
    ...(tests === 'order' || tests === 'text' ? given(['$gt', '$gte', '$lt', '$lte'], value) : {}),
    ...(tests === 'text'
      ? given(['$like', '$notlike', '$ilike', '$contains', '$notcontains', '$icontains'], TEXT)
      : {}),
  };
}
