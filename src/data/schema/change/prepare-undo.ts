import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../kernel/app-error.js';
import { type CastDirection, opposite } from '../plan/column-casts.js';
import { differentSchemas } from '../plan/plan-names.js';
import { planChange } from '../plan/plan-change.js';
import { withArchived } from '../plan/with-archived.js';
import { followNames } from '../snapshot/name-history.js';
import { createSnapshot } from '../snapshot/schema-snapshot.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { initialSnapshot, type PreparedChange } from './prepare-change.js';

/** Describes the version before the last change. */
export interface FormerVersion {
  /** Null where the last change was the first. */
  readonly snapshot: SchemaSnapshot | null;
  /** Whether the last change converted values that did not stay what they were. */
  readonly lossy: boolean;
  /** Direction in which the last change converted values; its undo converts the other way. */
  readonly direction: CastDirection;
}

/**
 * Prepares the way back to the version before: by stable ids, so that a rename goes back too, and what was dropped comes
 * back with its data. Throws `undo_impossible` if there is no change, or where it converted values for good.
 */
export function prepareUndo(current: SchemaSnapshot, former: FormerVersion): PreparedChange {
  if (current.version === 0) throw new AppError('undo_impossible', { message: 'There is no change to undo.' });
  const before = former.snapshot ?? initialSnapshot(current.system);
  if (former.lossy) assertConvertible(before, current, former.direction);
  const { model, archived } = withArchived(before, current, before.version, former.direction);
  const changed = differentSchemas(before, current).filter(
    ({ name, definition }) => !isDeepStrictEqual(definition, current.schemas[name]?.definition),
  );
  const version = current.version + 1;
  const history = followNames(current.history, current, before, version);
  return {
    ok: true,
    snapshot: createSnapshot({ schemas: before.schemas }, version, current.system, history),
    plan: planChange(model, before, current.version, archived, opposite(former.direction)),
    changed: changed.map(({ name }) => name),
    removed: Object.keys(current.schemas).filter((name) => before.schemas[name] === undefined),
  };
}

function assertConvertible(before: SchemaSnapshot, current: SchemaSnapshot, direction: CastDirection): void {
  const { steps } = planChange(before, current, before.version, undefined, direction);
  const converted = steps.filter((step) => step.losesData && step.archived === undefined);
  if (converted.length === 0) return;
  const message = 'The last change converted values, and an undo could not bring back what they were.';
  throw new AppError('undo_impossible', { message, details: { steps: converted.map(({ words }) => ({ words })) } });
}
