import { readDriverFault } from '../../../platform/database/database.public.js';
import { AppError } from '../../../kernel/app-error.js';
import { nearName } from '../codes/near-name.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { type SchemaFault, SchemaFaultError, fieldErrors } from '../codes/schema-fault.js';
import type { PreparedChange } from '../change/prepare-change.js';
import { type ExaminedStep, isDestructive, stepAnswer } from './examine-plan.js';

/** SQLSTATEs of a table that is in use: another try may find it free (PostgreSQL Appendix A). */
const BUSY = new Set(['55P03', '40P01']);
/** SQLSTATE of a statement that took too long. */
const TOO_LONG = '57014';
/** Names that are taken by something that is not of a schema. */
const TAKEN = new Set(['42P07', '42710', '42701']);

/** SQLSTATE of something that would be dropped and that something else needs. */
const NEEDED = '2BP01';

/** Returns whether the database says that a table is in use at the moment. */
export function isTableBusy(error: unknown): boolean {
  return BUSY.has(readDriverFault(error)?.code ?? '');
}

/** Returns the 422 answer with all faults (specification, "Schema validation errors"). */
export function schemaInvalid(faults: readonly SchemaFault[]): AppError {
  return new AppError('schema_invalid', {
    details: { ...fieldErrors(faults) },
    cause: new SchemaFaultError(faults),
  });
}

/** Returns the 404 answer for a name that no schema has. */
export function schemaNotFound(name: string, { schemas }: SchemaSnapshot): AppError {
  const suggestion = nearName(name, Object.keys(schemas));
  return new AppError('schema_not_found', { details: suggestion === undefined ? {} : { suggestion } });
}

/** Returns what a refusal of the database means to whoever asked for the change. */
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

/** Expectations of whoever asks for a change. */
interface Expectations {
  readonly expectedVersions?: readonly number[];
  readonly expectedPlan?: string;
}

type ValidChange = Extract<PreparedChange, { readonly ok: true }>;

/** Throws `schema_version_mismatch` or `plan_changed` if the schemas or the plan are not those that were seen. */
export function assertExpected(expected: Expectations, current: SchemaSnapshot, { plan }: ValidChange): void {
  const { expectedVersions, expectedPlan } = expected;
  if (expectedVersions !== undefined && !expectedVersions.includes(current.version)) {
    throw new AppError('schema_version_mismatch', { details: { version: current.version } });
  }
  if (expectedPlan !== undefined && expectedPlan !== plan.hash) {
    throw new AppError('plan_changed', { details: { plan: plan.hash } });
  }
}

/** Throws `schema_changed` if somebody else changed one of the schemas of this change since it began. */
export function assertNoConflict(began: SchemaSnapshot, current: SchemaSnapshot, change: ValidChange): void {
  const conflicting = [...change.changed, ...change.removed].filter(
    (name) => began.schemas[name]?.hash !== current.schemas[name]?.hash,
  );
  if (conflicting.length > 0) {
    throw new AppError('schema_changed', { details: { schemas: conflicting, version: current.version } });
  }
}

/**
 * Throws `migration_blocked` if the data stands in the way, `migration_destructive` if it would be lost unasked.
 * @param loss `allow`: it was asked for; `refuse_rows`: what holds nothing may go.
 */
export function assertApplicable(steps: readonly ExaminedStep[], loss: 'allow' | 'refuse' | 'refuse_rows'): void {
  const blocked = steps.filter((step) => step.failed.length > 0);
  if (blocked.length > 0) {
    const reasons = blocked.flatMap((step) => step.failed.map((check) => check.message));
    const message = `The data does not allow the change: ${reasons.join(' ')}`;
    throw new AppError('migration_blocked', { message, details: { steps: blocked.map(stepAnswer) } });
  }
  if (loss === 'allow') return;
  const destructive = steps.filter((step) => isDestructive(step) && (loss === 'refuse' || step.lostRows !== 0));
  if (destructive.length > 0) {
    throw new AppError('migration_destructive', { details: { steps: destructive.map(stepAnswer) } });
  }
}
