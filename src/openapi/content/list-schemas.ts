import type { ContentLimits } from '../../content/request/content-limits.js';
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
  Group: {
    type: 'object',
    description: 'The values of the group by their names, `count`, and `sum`, `avg`, `min`, `max` by field.',
    properties: {
      count: { type: 'integer' },
      sum: { type: 'object' },
      avg: { type: 'object' },
      min: { type: 'object' },
      max: { type: 'object' },
    },
  },
};

/** The answers of lists and of what is made of many records, and the body of a batch. */
export function listSchemas(limits: ContentLimits): Readonly<Record<string, Json>> {
  return { ...ANSWERS, Batch: batchSchema(limits) };
}

function batchSchema(limits: ContentLimits): Json {
  return {
    type: 'object',
    required: ['operations'],
    additionalProperties: false,
    properties: {
      operations: {
        type: 'array',
        minItems: 1,
        maxItems: limits.batchOperations,
        items: {
          type: 'object',
          required: ['op', 'schema'],
          additionalProperties: false,
          properties: {
            op: { enum: ['create', 'update', 'delete'] },
            schema: { type: 'string' },
            id: { description: 'With `update` and `delete`: a key, or `{"$ref": "as.id"}`.' },
            data: {
              type: 'object',
              description: 'With `create` and `update`; `{"$ref": "as.id"}` stands for an earlier result.',
            },
            as: { type: 'string', description: 'The name of the result for later operations.' },
          },
        },
      },
    },
  };
}
