import type { Json } from '../document/json-text.types.js';
import { inData, listOf, objectOf, parameterRef, schemaRef } from '../document/references.js';
import type { DocumentedError, OperationTable } from './operation-row.types.js';

const tag = 'Schemas';
const query = (name: string, description: string, schema: Json): Json => ({ name, in: 'query', description, schema });

const BACK_REFS = query('back_refs', '`create` adds back references that are missing.', { enum: ['report', 'create'] });
const DATA_LOSS = query('allow_data_loss', 'Apply steps that lose data.', { type: 'boolean' });
const REBUILD = query('allow_rebuild', 'Rebuild tables that have no columns left to give.', { type: 'boolean' });
const PLAN = query('plan', 'Apply this plan and no other.', { type: 'string', pattern: '^[0-9a-f]{64}$' });
const CHANGE = [BACK_REFS, DATA_LOSS, REBUILD, PLAN, parameterRef('IfMatch')];
const CHANGE_ERRORS: readonly DocumentedError[] = [
  'migration_destructive',
  'migration_blocked',
  'plan_changed',
  'schema_changed',
  'schema_version_mismatch',
];
const ETAG = { ETag: { description: 'Version of the schemas.', schema: { type: 'string' } } };
/** An archive of schema files. */
const ZIP = { 'application/zip': { type: 'string', format: 'binary' } };
const definition = inData(schemaRef('SchemaDefinition'));
const answer = inData(schemaRef('SchemaAnswer'));
const body = schemaRef('SchemaSubmission');

/** Schemas and their changes. */
export const SCHEMA_OPERATIONS: OperationTable = {
  'GET /api/schema': {
    tag,
    summary: 'All schemas',
    answer: inData(listOf(schemaRef('SchemaDefinition'))),
    headers: ETAG,
  },
  'GET /api/schema/definition.json': {
    tag,
    summary: 'JSON Schema of the definition format',
    answer: { type: 'object' },
  },
  'GET /api/schema/export': {
    tag,
    summary: 'Everything that an import takes',
    parameters: [query('format', 'JSON unless said otherwise.', { enum: ['json', 'zip'] })],
    answer: inData(objectOf({ schemas: listOf(schemaRef('SchemaDefinition')) })),
    otherAnswers: ZIP,
    headers: ETAG,
  },
  'GET /api/schema/history': {
    tag,
    summary: 'Versions of the schemas, newest first',
    parameters: [
      query('limit', 'How many.', { type: 'integer', minimum: 1, maximum: 100, default: 50 }),
      query('before', 'Only those below this version.', { type: 'integer', minimum: 1 }),
    ],
    answer: inData(listOf(schemaRef('SchemaVersion'))),
  },
  'GET /api/schema/:name': {
    tag,
    summary: 'One schema',
    answer: definition,
    headers: ETAG,
    errors: ['schema_not_found'],
  },
  'POST /api/schema/validate': {
    tag,
    summary: 'Check definitions, and change nothing',
    parameters: [BACK_REFS],
    body,
    answer,
    errors: ['schema_invalid'],
  },
  'POST /api/schema/plan': {
    tag,
    summary: 'The steps of a change, and what they would lose',
    parameters: [BACK_REFS, REBUILD, query('remove', 'Schemas to remove, by commas.', { type: 'string' })],
    body,
    answer: inData(schemaRef('SchemaPlan')),
    errors: ['schema_invalid', 'schema_not_found'],
  },
  'POST /api/schema': {
    tag,
    summary: 'Make or change schemas',
    description: '201 where a schema is new.',
    statuses: [200, 201],
    parameters: CHANGE,
    body,
    answer,
    headers: ETAG,
    errors: [...CHANGE_ERRORS, 'schema_invalid'],
  },
  'POST /api/schema/import': {
    tag,
    summary: 'Take over an export',
    statuses: [200, 201],
    parameters: CHANGE,
    body,
    otherBodies: ZIP,
    answer,
    headers: ETAG,
    errors: [...CHANGE_ERRORS, 'schema_invalid'],
  },
  'POST /api/schema/undo': {
    tag,
    summary: 'Take the last change back',
    parameters: [parameterRef('IfMatch')],
    answer,
    headers: ETAG,
    errors: [...CHANGE_ERRORS, 'undo_impossible'],
  },
  'PUT /api/schema/:name': {
    tag,
    summary: 'Replace a schema',
    parameters: CHANGE,
    body: schemaRef('SchemaDefinition'),
    answer,
    headers: ETAG,
    errors: [...CHANGE_ERRORS, 'schema_invalid', 'schema_not_found'],
  },
  'DELETE /api/schema/:name': {
    tag,
    summary: 'Remove a schema',
    parameters: [DATA_LOSS, PLAN, parameterRef('IfMatch')],
    answer,
    headers: ETAG,
    errors: [...CHANGE_ERRORS, 'schema_invalid', 'schema_not_found'],
  },
};
