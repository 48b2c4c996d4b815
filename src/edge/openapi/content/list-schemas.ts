import type { ContentLimits } from '../../../data/content/content.public.js';
import { objectOf, type Json } from '../document/references.js';
import type { SchemaAbility } from '../../../data/content/access/content-abilities.service.js';
import { fieldType, type TypeFamily, valueSchema } from '../../../data/model/field-types.js';
import type { LinkedField, LinkedValueField } from '../../../data/model/schema-model.types.js';
import type { DescriptionContext } from './description-context.js';

const NUMBERS: readonly TypeFamily[] = ['integer', 'float'];

const ORDERED: readonly TypeFamily[] = [...NUMBERS, 'time', 'string', 'enum'];

/** A sum that does not fit a JSON number is a string. */
const KEY_VALUE = { type: ['number', 'string', 'null'] } as const;

const ANSWERS: Readonly<Record<string, Json>> = {
  Page: {
    type: 'object',
    required: ['total', 'per_page', 'current_page', 'last_page', 'items'],
    properties: {
      total: { type: ['integer', 'null'], description: 'Number of matching records; null with `count=none`.' },
      per_page: { type: 'integer' },
      current_page: { type: 'integer' },
      last_page: { type: ['integer', 'null'] },
      capped: { const: true, description: 'The count reached its limit, and more records exist.' },
    },
  },
  CursorPage: {
    type: 'object',
    required: ['per_page', 'next_cursor', 'items'],
    properties: { per_page: { type: 'integer' }, next_cursor: { type: ['string', 'null'] } },
  },
  Count: objectOf({ count: { type: 'integer', minimum: 0 } }),
};

export function listSchemas(limits: ContentLimits): Readonly<Record<string, Json>> {
  return { ...ANSWERS, Batch: batchSchema(limits) };
}

function batchSchema(limits: ContentLimits): Json {
  const operations = { type: 'array', minItems: 1, maxItems: limits.batchOperations, items: { anyOf: OPERATIONS } };
  return { type: 'object', required: ['operations'], additionalProperties: false, properties: { operations } };
}

const SCHEMA = { type: 'string', description: 'Name of the schema.' };
const AS = { type: 'string', description: 'Name under which later operations refer to the result.' };
const DATA = {
  type: 'object',
  description: 'Values of the record, as in the single-record routes. `{"$ref": "as.id"}` refers to an earlier result.',
  additionalProperties: true,
};
const ID = {
  description: 'Key of the record, or `{"$ref": "as.id"}` for an earlier result.',
  anyOf: [{ type: ['string', 'integer'] }, { type: 'object', additionalProperties: { type: 'string' } }],
};

const IF_MATCH = { type: 'string', description: 'Like the header `If-Match`, for the record of this operation.' };

const OPERATIONS: readonly Json[] = [
  operation('create', ['schema', 'data'], { schema: SCHEMA, data: DATA, as: AS }),
  operation('update', ['schema', 'id', 'data'], { schema: SCHEMA, id: ID, data: DATA, as: AS, if_match: IF_MATCH }),
  operation('delete', ['schema', 'id'], { schema: SCHEMA, id: ID, if_match: IF_MATCH, as: AS }),
];

function operation(op: string, required: readonly string[], properties: Json): Json {
  return {
    type: 'object',
    required: ['op', ...required],
    additionalProperties: false,
    properties: { op: { const: op }, ...properties },
  };
}

type Named = Record<string, Json>;

/** Returns the schema of one group of an aggregate: its group values and its aggregates. */
export function groupSchema(ability: SchemaAbility, context: DescriptionContext): Json {
  const values = ability
    .usableFields('aggregate', 'filter')
    .flatMap(({ field }) => (field.kind === 'value' ? [field] : []));
  const aggregatesOf = (families: readonly TypeFamily[], schema: (field: LinkedValueField) => Json): Named =>
    Object.fromEntries(
      values
        .filter(({ type }) => families.includes(fieldType(type).family))
        .map((field) => [field.name, schema(field)]),
    );
  const numbers = aggregatesOf(NUMBERS, () => KEY_VALUE);
  const keys = ability.usableFields('aggregate', 'sort').flatMap(({ field }) => groupKey(field, context));
  return {
    type: 'object',
    description:
      'Contains only the requested members. Paths over relations have dotted names. If a group field is named `count`, `sum`, `avg`, `min` or `max`, all group fields are in `group`.',
    properties: {
      group: { type: 'object', additionalProperties: {} },
      ...Object.fromEntries(keys),
      count: { type: 'integer', minimum: 0 },
      ...ofFields('sum', numbers),
      ...ofFields('avg', numbers),
      ...ofFields('min', aggregatesOf(ORDERED, leastOrGreatest)),
      ...ofFields('max', aggregatesOf(ORDERED, leastOrGreatest)),
    },
    additionalProperties: {},
  };
}

function leastOrGreatest(field: LinkedValueField): Json {
  return valueSchema(field, 'read', true);
}

/** Returns the group value of a field: its value, or the key of the record that it refers to. */
function groupKey(field: LinkedField, context: DescriptionContext): readonly [string, Json][] {
  if (field.kind === 'value') return [[field.name, valueSchema(field, 'read', true)]];
  const target = context.schema(field.target);
  const key = target?.fields[target.primaryField];
  return field.many || key?.kind !== 'value' ? [] : [[field.name, valueSchema(key, 'read', true)]];
}

function ofFields(name: string, properties: Named): Named {
  if (Object.keys(properties).length === 0) return {};
  return { [name]: { type: 'object', additionalProperties: false, properties } };
}
