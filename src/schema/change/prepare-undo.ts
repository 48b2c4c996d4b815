import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../kernel/app-error.js';
import { planChange } from '../plan/plan-change.js';
import { createSnapshot } from '../snapshot/schema-snapshot.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { initialSnapshot, type PreparedChange } from './prepare-change.js';

/**
 * Prepares the way back to the version before: by stable ids, so that a rename goes back too. Throws `undo_impossible`
 * where there is no change, or where it dropped something, which the way back would only make anew and empty.
 */
export function prepareUndo(current: SchemaSnapshot, former: SchemaSnapshot | null): PreparedChange {
  if (current.version === 0) throw new AppError('undo_impossible', { message: 'There is no change to undo.' });
  const before = former ?? initialSnapshot();
  const dropped = planChange(before, current, before.version).steps.filter((step) => step.losesData);
  if (dropped.length > 0) {
    const message = 'The last change dropped or converted data, which an undo could not bring back.';
    throw new AppError('undo_impossible', { message, details: { steps: dropped.map(({ words }) => ({ words })) } });
  }
  const names = Object.keys(before.schemas);
  return {
    ok: true,
    snapshot: createSnapshot({ schemas: before.schemas }, current.version + 1),
    plan: planChange(current, before, current.version),
    changed: names.filter((name) => {
      return !isDeepStrictEqual(before.schemas[name]?.definition, current.schemas[name]?.definition);
    }),
    removed: Object.keys(current.schemas).filter((name) => before.schemas[name] === undefined),
  };
}
