import { readDriverFault } from '../../../platform/database/database.public.js';
import { AppError } from '../../../kernel/app-error.js';
import { nearName } from '../codes/near-name.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { fieldErrors } from '../codes/field-errors.js';
import { type SchemaFault, SchemaFaultError } from '../codes/schema-fault.js';

/** SQLSTATEs of a table that is in use: another try may find it free (PostgreSQL Appendix A). */
const BUSY = new Set(['55P03', '40P01']);
/** SQLSTATE of a statement that took too long. */
const TOO_LONG = '57014';
/** Names that are taken by something that is not of a schema. */
const TAKEN = new Set(['42P07', '42710', '42701']);

/** SQLSTATE of something that would be dropped and that something else needs. */
const NEEDED = '2BP01';

/** Whether the database says that a table is in use at the moment. */
export function isTableBusy(error: unknown): boolean {
  return BUSY.has(readDriverFault(error)?.code ?? '');
}

/** The 422 answer with all faults (specification, "Schema validation errors"). */
export function schemaInvalid(faults: readonly SchemaFault[]): AppError {
  return new AppError('schema_invalid', {
    details: { ...fieldErrors(faults) },
    cause: new SchemaFaultError(faults),
  });
}

/** The 404 answer for a name that no schema has. */
export function schemaNotFound(name: string, { schemas }: SchemaSnapshot): AppError {
  const suggestion = nearName(name, Object.keys(schemas));
  return new AppError('schema_not_found', { details: suggestion === undefined ? {} : { suggestion } });
}

/** What a refusal of the database means to whoever asked for the change. */
export function toApplyFault(error: unknown): unknown {
  const code = readDriverFault(error)?.code ?? '';
  if (isTableBusy(error)) return busy('A table is in use; try again in a moment.', error);
  if (code === TOO_LONG) return busy('The change took too long and was undone.', error);
  if (code.startsWith('23') || code.startsWith('22')) return blocked('The data does not allow the change.', error);
  if (TAKEN.has(code)) return blocked('A name is taken by something in the database that is not of a schema.', error);
  if (code === NEEDED)
    return blocked('Something in the database that is not of a schema needs what would be dropped.', error);
  if (code.startsWith('54')) return blocked('The change goes beyond a limit of the database.', error);
  return error;
}

function busy(message: string, cause: unknown): AppError {
  return new AppError('server_busy', { message, retryAfterSeconds: 5, cause });
}

function blocked(message: string, cause: unknown): AppError {
  return new AppError('migration_blocked', { message, details: { steps: [] }, cause });
}
