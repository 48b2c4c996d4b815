import { AppError } from '../../../kernel/app-error.js';
import type { PreparedChange } from '../change/prepare-change.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { type ExaminedStep, isDestructive, stepAnswer } from './examine-plan.js';

/** What whoever asks for a change expects to find. */
export interface Expectations {
  readonly expectedVersions?: readonly number[];
  readonly expectedPlan?: string;
}

type ValidChange = Extract<PreparedChange, { readonly ok: true }>;

/** Throws `schema_version_mismatch` or `plan_changed` where the schemas or the plan are not those that were seen. */
export function assertExpected(expected: Expectations, current: SchemaSnapshot, { plan }: ValidChange): void {
  const { expectedVersions, expectedPlan } = expected;
  if (expectedVersions !== undefined && !expectedVersions.includes(current.version)) {
    throw new AppError('schema_version_mismatch', { details: { version: current.version } });
  }
  if (expectedPlan !== undefined && expectedPlan !== plan.hash) {
    throw new AppError('plan_changed', { details: { plan: plan.hash } });
  }
}

/** Throws `schema_changed` where somebody else changed one of the schemas of this change since it began. */
export function assertNoConflict(began: SchemaSnapshot, current: SchemaSnapshot, change: ValidChange): void {
  const conflicting = [...change.changed, ...change.removed].filter(
    (name) => began.schemas[name]?.hash !== current.schemas[name]?.hash,
  );
  if (conflicting.length > 0) {
    throw new AppError('schema_changed', { details: { schemas: conflicting, version: current.version } });
  }
}

/**
 * Throws `migration_blocked` where the data stands in the way, `migration_destructive` where it would be lost unasked.
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
