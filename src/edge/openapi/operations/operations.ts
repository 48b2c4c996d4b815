import { ACCOUNT_OPERATIONS } from './account.operations.js';
import type { OperationRow, OperationTable } from './operation-row.types.js';
import { CONTENT_OPERATIONS } from './content.operations.js';
import { SCHEMA_OPERATIONS } from './schema.operations.js';
import { SERVICE_OPERATIONS } from './service.operations.js';
import { SIGN_IN_OPERATIONS } from './sign-in.operations.js';

/** All rows. A test holds them equal to the routes of the application, both ways. */
export const OPERATIONS: OperationTable = {
  ...ACCOUNT_OPERATIONS,
  ...SIGN_IN_OPERATIONS,
  ...CONTENT_OPERATIONS,
  ...SCHEMA_OPERATIONS,
  ...SERVICE_OPERATIONS,
};

/** The row of a route; routes of a team's own modules have a plain one. */
export function operationRow(key: string): OperationRow {
  return OPERATIONS[key] ?? { tag: 'More', summary: key };
}
