import { definitionJsonSchema } from '../../../data/schema/schema.public.js';
import type { Json } from '../document/json-text.types.js';
import { listOf, objectOf, schemaRef } from '../document/references.js';

const TEXT = { type: 'string' } as const;
const TEXT_OR_NULL = { type: ['string', 'null'] } as const;
const UUID = { type: 'string', format: 'uuid' } as const;
const TIME = { type: 'string', format: 'date-time' } as const;
const FLAG = { type: 'boolean' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;

/** The definition format. Its inner schema stands beside it: generators follow no reference into a schema. */
const {
  $defs: DEFINITIONS,
  $schema: _dialect,
  ...SUBMISSION
} = JSON.parse(
  JSON.stringify(definitionJsonSchema()).replaceAll('#/$defs/schema', '#/components/schemas/SchemaDefinition'),
) as Json & { readonly $defs: { readonly schema: Json } };

const CONTENT_ACTION = {
  type: 'object',
  required: ['value'],
  properties: { value: { enum: ['allow', 'rules'] }, fields: listOf(TEXT) },
} as const;

/** Schemas of answers that routes beside content have. Those that nobody refers to are left out of a document. */
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
  Message: objectOf({ message: TEXT }),
  TokenSet: {
    type: 'object',
    required: ['token', 'expires'],
    properties: {
      token: { type: 'string', description: 'Access token, a JWT.' },
      expires: TIME,
      refresh_token: { type: 'string', description: 'Where refresh tokens are switched on.' },
      refresh_token_expires: TIME,
    },
  },
  CurrentUser: objectOf({
    id: UUID,
    login: TEXT,
    email: { type: 'string', format: 'email' },
    activated: FLAG,
    created_at: TIME,
    updated_at: TIME,
    username: TEXT_OR_NULL,
    first_name: TEXT_OR_NULL,
    last_name: TEXT_OR_NULL,
    provider: TEXT,
    roles: listOf(TEXT),
  }),
  Permissions: objectOf({
    root: FLAG,
    roles: listOf(TEXT),
    resources: listOf(TEXT),
    content: { type: 'object', additionalProperties: { type: 'object', additionalProperties: CONTENT_ACTION } },
  }),
  Session: objectOf({
    id: UUID,
    current: { type: 'boolean', description: 'The session of this request.' },
    provider: TEXT,
    device: TEXT_OR_NULL,
    address: TEXT_OR_NULL,
    created_at: TIME,
    last_used_at: TIME,
    expires_at: TIME,
  }),
  Identity: objectOf({ id: UUID, provider: TEXT, email: TEXT_OR_NULL, created_at: TIME, last_used_at: TIME }),
  LinkedIdentity: objectOf({ provider: TEXT, email: TEXT_OR_NULL, created_at: TIME }),
  LoginMethods: objectOf({ providers: listOf(TEXT), local: FLAG, otp: FLAG }),
  MailRequested: {
    type: 'object',
    required: ['message'],
    properties: {
      message: TEXT,
      session_id: { type: 'string', description: 'Where codes are typed: sent back with the code.' },
      expires_in: { type: 'integer', description: 'Seconds for which the code is good.' },
    },
  },
  SchemaSubmission: SUBMISSION,
  SchemaDefinition: DEFINITIONS.schema,
  SchemaAnswer: { anyOf: [schemaRef('SchemaDefinition'), listOf(schemaRef('SchemaDefinition'))] },
  SchemaVersion: objectOf({
    version: COUNT,
    hash: TEXT,
    steps: listOf(TEXT),
    origin: TEXT,
    created_by: TEXT_OR_NULL,
    created_at: TIME,
  }),
  SchemaPlan: objectOf({
    version: COUNT,
    hash: { type: 'string', description: 'Send it as `?plan=` to apply this plan and no other.' },
    loses_data: FLAG,
    blocked: { type: 'boolean', description: 'Whether the data stands in the way.' },
    changed: listOf(TEXT),
    removed: listOf(TEXT),
    steps: listOf({
      type: 'object',
      required: ['kind', 'words', 'sql', 'loses_data', 'problems'],
      properties: {
        kind: TEXT,
        schema: TEXT,
        field: TEXT,
        table: TEXT,
        words: TEXT,
        sql: listOf(TEXT),
        phase: TEXT,
        loses_data: FLAG,
        rows: { type: 'integer', description: 'Rows that would lose something.' },
        problems: listOf({ type: 'object' }),
      },
    }),
  }),
};
