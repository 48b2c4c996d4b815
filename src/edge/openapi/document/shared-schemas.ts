import { SCHEMA_COMPONENTS } from '../../../data/schema/schema.public.js';
import { listOf, objectOf, schemaRef, type Json } from './references.js';

const TEXT = { type: 'string' } as const;

/** Schemas without a response class. Unreferenced ones are omitted from a document. */
export const SHARED_SCHEMAS: Readonly<Record<string, Json>> = {
  Error: {
    description: 'The answer to whatever failed.',
    ...objectOf({
      code: { type: 'string', description: 'The HTTP status as text.' },
      message: { type: 'string', description: 'For people; it may change.' },
      data: {
        type: 'object',
        required: ['error'],
        properties: {
          error: { type: 'string', description: 'Stable.' },
          errors: listOf(schemaRef('FieldFault')),
          request_id: { type: 'string', description: 'With status 500: what stands in the log.' },
        },
      },
    }),
  },
  FieldFault: objectOf({ field: TEXT, code: TEXT, message: TEXT }),
  ...SCHEMA_COMPONENTS,
};
