import type { ContentLimits } from '../../../data/content/content.public.js';
import type { Json } from '../document/json-text.types.js';
import { objectOf } from '../document/references.js';

const ANSWERS: Readonly<Record<string, Json>> = {
  Page: {
    type: 'object',
    required: ['total', 'per_page', 'current_page', 'last_page', 'items'],
    properties: {
      total: { type: ['integer', 'null'], description: 'Null with `count=none`.' },
      per_page: { type: 'integer' },
      current_page: { type: 'integer' },
      last_page: { type: ['integer', 'null'] },
      capped: { const: true, description: 'There are more than were counted.' },
    },
  },
  CursorPage: {
    type: 'object',
    required: ['per_page', 'next_cursor', 'items'],
    properties: { per_page: { type: 'integer' }, next_cursor: { type: ['string', 'null'] } },
  },
  Count: objectOf({ count: { type: 'integer', minimum: 0 } }),
};

/** The answers of lists and of what is made of many records, and the body of a batch. */
export function listSchemas(limits: ContentLimits): Readonly<Record<string, Json>> {
  return { ...ANSWERS, Batch: batchSchema(limits) };
}

function batchSchema(limits: ContentLimits): Json {
  const operations = { type: 'array', minItems: 1, maxItems: limits.batchOperations, items: { anyOf: OPERATIONS } };
  return { type: 'object', required: ['operations'], additionalProperties: false, properties: { operations } };
}

const SCHEMA = { type: 'string', description: 'The name of a schema.' };
const AS = { type: 'string', description: 'The name of the result for later operations.' };
const DATA = {
  type: 'object',
  description: 'As for a record alone; `{"$ref": "as.id"}` stands for an earlier result.',
  additionalProperties: true,
};
const ID = {
  description: 'A key, or `{"$ref": "as.id"}`.',
  anyOf: [{ type: ['string', 'integer'] }, { type: 'object', additionalProperties: { type: 'string' } }],
};

const OPERATIONS: readonly Json[] = [
  operation('create', ['schema', 'data'], { schema: SCHEMA, data: DATA, as: AS }),
  operation('update', ['schema', 'id', 'data'], { schema: SCHEMA, id: ID, data: DATA, as: AS }),
  operation('delete', ['schema', 'id'], { schema: SCHEMA, id: ID, as: AS }),
];

function operation(op: string, required: readonly string[], properties: Json): Json {
  return {
    type: 'object',
    required: ['op', ...required],
    additionalProperties: false,
    properties: { op: { const: op }, ...properties },
  };
}
