import { isDataFault, readDriverFault } from '../../database/database-faults.js';
import { AppError } from '../../kernel/app-error.js';
import type { LinkedTable } from '../../schema/model/schema-model.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';

/** Constraints of tables that migrations make, by the field that they keep unique. */
const SYSTEM_UNIQUE: Readonly<Record<string, string>> = {
  users_email_key_unique: 'email',
  users_username_key_unique: 'username',
  roles_name_unique: 'name',
  permissions_role_resource_unique: 'resource',
};

/** What the refusals of the database mean (PostgreSQL Appendix A); anything else stays what it was. */
export function toContentFault(error: unknown, snapshot: SchemaSnapshot, isDelete: boolean): unknown {
  if (error instanceof AppError) return error;
  const fault = readDriverFault(error);
  const constraint = fault?.constraint ?? '';
  switch (fault?.code) {
    case '23505':
      return refusal('unique_violation', uniqueFields(constraint, snapshot), 'is in use already', error);
    case '23503':
    case '23001':
      if (isDelete) return new AppError('record_in_use', { cause: error });
      return refusal('reference_not_found', foreignField(constraint, snapshot), 'leads to no record', error);
    case '23502':
      return refusal('field_invalid', [], 'is required', error);
    case '23514':
      return refusal('field_invalid', [], 'does not fit the field', error);
    case '40P01':
    case '55P03':
      return new AppError('server_busy', { cause: error, retryAfterSeconds: 1 });
    default:
      return isDataFault(error) ? refusal('field_invalid', [], 'does not fit the field', error) : error;
  }
}

function refusal(
  code: 'unique_violation' | 'reference_not_found' | 'field_invalid',
  fields: readonly string[],
  message: string,
  cause: unknown,
): AppError {
  const errors = fields.map((field) => ({ field, code, message }));
  return new AppError(code, { details: fields.length === 0 ? {} : { errors }, cause });
}

function uniqueFields(constraint: string, snapshot: SchemaSnapshot): readonly string[] {
  const known = SYSTEM_UNIQUE[constraint];
  if (known !== undefined) return [known];
  for (const table of tables(snapshot)) {
    const found = [...table.indexes, table.primaryKey].find(({ name }) => name === constraint);
    if (found !== undefined) return found.columns.map((column) => fieldOf(table, column));
  }
  return [];
}

function foreignField(constraint: string, snapshot: SchemaSnapshot): readonly string[] {
  for (const table of tables(snapshot)) {
    const found = table.foreignKeys.find(({ name }) => name === constraint);
    if (found !== undefined) return [fieldOf(table, found.column)];
  }
  return [];
}

function tables(snapshot: SchemaSnapshot): readonly LinkedTable[] {
  return Object.values(snapshot.schemas).flatMap(({ table, junctions }) => [table, ...junctions]);
}

function fieldOf(table: LinkedTable, name: string): string {
  return table.columns.find((column) => column.name === name)?.field || name;
}
