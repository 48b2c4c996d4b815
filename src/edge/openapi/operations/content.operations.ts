import { inData, listOf, parameterRef, schemaRef } from '../document/references.js';
import type { OperationTable } from './operation-row.types.js';

/** Content over several schemas; the routes of one schema stand in `content/content-rows.ts`. */
export const CONTENT_OPERATIONS: OperationTable = {
  'POST /api/batch': {
    tag: 'Several schemas',
    summary: 'Several writes in one transaction: all or none',
    description: 'Answers the results in order: records, and `true` for what is deleted.',
    statuses: [200],
    parameters: [parameterRef('IdempotencyKey')],
    body: schemaRef('Batch'),
    answer: inData(listOf({ anyOf: [{ type: 'object' }, { const: true }] })),
    errors: [
      'field_invalid',
      'reference_not_found',
      'record_not_found',
      'schema_not_found',
      'unique_violation',
      'record_in_use',
      'idempotency_key_reused',
      'last_root_account',
    ],
  },
};
