import { objectOf, schemaRef } from '../document/references.js';
import type { OperationTable } from './operation-row.types.js';

const tag = 'Service';
const ETAG = { ETag: { description: 'Of the text.', schema: { type: 'string' } } };
const status = objectOf({ status: { const: 'ok' } });

/** The service itself. */
export const SERVICE_OPERATIONS: OperationTable = {
  'GET /healthz': { tag, summary: 'The process answers', answer: status },
  'GET /readyz': {
    tag,
    summary: 'The database answers, and has every migration',
    answer: status,
    errors: ['not_ready'],
  },
  'GET /api/setup': {
    tag,
    summary: 'Whether there is an administrator',
    answer: objectOf({ data: objectOf({ completed: { type: 'boolean' } }) }),
  },
  'POST /api/setup': {
    tag,
    summary: 'Create the first administrator',
    description: 'With the token that the service prints at its first start.',
    answer: schemaRef('Message'),
    errors: [
      'setup_token_invalid',
      'setup_completed',
      'password_mismatch',
      'email_taken',
      'username_taken',
      'server_busy',
    ],
  },
  'GET /api/openapi.json': {
    tag,
    summary: 'This document, as far as you may see it',
    answer: objectOf({ openapi: { type: 'string' }, info: { type: 'object' }, paths: { type: 'object' } }),
    headers: ETAG,
    validated: true,
  },
  'GET /api/docs': {
    tag,
    summary: 'The reference page',
    mediaType: 'text/html',
    answer: { type: 'string' },
    headers: ETAG,
    validated: true,
  },
  'GET /api/docs/:file': {
    tag,
    summary: 'What the reference page loads',
    mediaType: '*/*',
    answer: { type: 'string' },
    headers: ETAG,
    validated: true,
    errors: ['route_not_found'],
  },
};
