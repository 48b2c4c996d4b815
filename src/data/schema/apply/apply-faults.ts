import { readDriverFault } from '../../../platform/database/database.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { nearName } from '../../../kernel/text/near-name.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { type SchemaFault, SchemaFaultError, fieldErrors } from '../codes/schema-fault.js';
import type { PreparedChange, ValidChange } from '../change/prepare-change.js';
import { type ExaminedStep, isDestructive, stepAnswer } from './examine-plan.js';

/** SQLSTATEs for a table in use. A retry may succeed (PostgreSQL Appendix A). */
const BUSY = new Set(['55P03', '40P01']);
/** SQLSTATEs for a concurrent change: serialization failure (40001), or a constraint of a Lintel table (class 23). */
const CONFLICT = /^(40001|23)/;
/** SQLSTATEs for values that do not fit (class 22) or violate a constraint (class 23). */
const DATA = /^(22|23)/;
const TOO_LONG = '57014';
/** SQLSTATEs for names used by database objects that belong to no schema. */
const DUPLICATE_NAME_CODES = new Set(['42P07', '42710', '42701']);

/** SQLSTATE for dropping an object that others depend on. */
const NEEDED = '2BP01';

/** Returns true if a retry may succeed. Data errors are not retried, see {@link asDataRefusal}. */
export function isPassing(error: unknown): boolean {
  const code = readDriverFault(error)?.code ?? '';
  return BUSY.has(code) || CONFLICT.test(code);
}

/** Runs statements on user data. Maps data errors of PostgreSQL to `migration_blocked`. */
export async function asDataRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!DATA.test(readDriverFault(error)?.code ?? '')) throw error;
    throw blocked('Existing data prevents the change.', error);
  }
}

/** Returns the 422 error with all schema errors. */
export function schemaInvalid(faults: readonly SchemaFault[]): AppError {
  return new AppError('schema_invalid', {
    details: { ...fieldErrors(faults) },
    cause: new SchemaFaultError(faults),
  });
}

/** Throws `schema_invalid` with all errors of a change. */
export function assertValid(change: PreparedChange): ValidChange {
  if (!change.ok) throw schemaInvalid(change.faults);
  return change;
}

export function schemaNotFound(name: string, { schemas }: SchemaSnapshot): AppError {
  const suggestion = nearName(name, Object.keys(schemas));
  return new AppError('schema_not_found', { details: suggestion === undefined ? {} : { suggestion } });
}

export function toApplyFault(error: unknown): unknown {
  const code = readDriverFault(error)?.code ?? '';
  if (BUSY.has(code)) return busy('A table is in use. Try again in a moment.', error);
  if (CONFLICT.test(code)) return busy('Another change was applied at the same time. Try again in a moment.', error);
  if (code === TOO_LONG) return busy('The change took too long and was undone.', error);
  if (DUPLICATE_NAME_CODES.has(code))
    return blocked('A name is already used by a database object that does not belong to a schema.', error);
  if (code === NEEDED)
    return blocked(
      'A database object that does not belong to a schema depends on an object that the change would drop.',
      error,
    );
  if (code.startsWith('54')) return blocked('The change exceeds a limit of the database.', error);
  return error;
}

function busy(message: string, cause: unknown): AppError {
  return new AppError('server_busy', { message, retryAfterSeconds: 5, cause });
}

function blocked(message: string, cause: unknown): AppError {
  return new AppError('migration_blocked', { message, details: { steps: [] }, cause });
}

/** Throws `schema_version_mismatch` or `plan_changed` if the current version or plan differs from the expected one. */
export function assertExpected(
  { expectedVersions, expectedPlan }: { readonly expectedVersions?: readonly number[]; readonly expectedPlan?: string },
  current: SchemaSnapshot,
  { plan }: ValidChange,
): void {
  if (expectedVersions !== undefined && !expectedVersions.includes(current.version)) {
    throw new AppError('schema_version_mismatch', { details: { version: current.version } });
  }
  if (expectedPlan !== undefined && expectedPlan !== plan.hash) {
    throw new AppError('plan_changed', { details: { plan: plan.hash } });
  }
}

/** Throws `schema_changed` if a schema of this change was changed concurrently since the change began. */
export function assertNoConflict(began: SchemaSnapshot, current: SchemaSnapshot, change: ValidChange): void {
  const conflicting = [...change.changed, ...change.removed].filter(
    (name) => began.schemas[name]?.hash !== current.schemas[name]?.hash,
  );
  if (conflicting.length > 0) {
    throw new AppError('schema_changed', { details: { schemas: conflicting, version: current.version } });
  }
}

/** Throws `migration_blocked` or `migration_destructive`. @param loss `refuse_rows` allows the loss of empty tables and columns. */
export function assertApplicable(steps: readonly ExaminedStep[], loss: 'allow' | 'refuse' | 'refuse_rows'): void {
  const blocked = steps.filter((step) => step.failed.length > 0);
  if (blocked.length > 0) {
    const reasons = blocked.flatMap((step) => step.failed.map((check) => check.message));
    const message = `Existing data prevents the change: ${reasons.join(' ')}`;
    throw new AppError('migration_blocked', { message, details: { steps: blocked.map(stepAnswer) } });
  }
  if (loss === 'allow') return;
  const destructive = steps.filter((step) => isDestructive(step) && (loss === 'refuse' || step.lostRows !== 0));
  if (destructive.length > 0) {
    throw new AppError('migration_destructive', { details: { steps: destructive.map(stepAnswer) } });
  }
}
