import { useRef, useState } from 'react';
import type { BulkChange } from '../../api/openapi.js';
import { amongFilter, AT_ONCE, type BulkProgress, runInBatches } from '../data/bulk.js';
import { startBulkChange, type BulkAction } from '../data/bulk-changes-api.js';
import type { ListView } from '../data/list-address.js';
import type { RecordSchema } from '../data/record-schema.js';
import { changeAllMatching, restoreRecord } from '../data/records-api.js';

/**
 * Changes the records of a view: by one request if all of them are changed and they are few, otherwise by a background job. Restoring all
 * of them always uses a job. Selected records are changed in parts, and the user can stop between two parts.
 *
 * @param chosen keys of the selected records; null for all records of the view.
 * @param onStarted called with a started background job.
 */
export function useBulk(
  schema: RecordSchema,
  view: ListView,
  chosen: ReadonlySet<string> | null,
  onStarted: (bulkChange: BulkChange) => void,
) {
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const abort = useRef<AbortController | null>(null);

  async function run(action: BulkAction, total: number, signal: AbortSignal): Promise<void> {
    const values = action.kind === 'edit' ? action.values : null;
    if (chosen === null) {
      if (total > AT_ONCE || action.kind === 'restore')
        return onStarted(await startBulkChange(schema, view.filter, action));
      return setProgress({ seen: total, done: await changeAllMatching(schema, view.filter, values) });
    }
    const act = (part: readonly string[]): Promise<number> =>
      action.kind === 'restore'
        ? restoreAll(schema, part, signal)
        : changeAllMatching(schema, amongFilter({}, schema.key, part), values);
    await runInBatches([[...chosen]], act, { signal, onProgress: setProgress });
  }

  function start(action: BulkAction, total: number): void {
    const controller = new AbortController();
    abort.current = controller;
    setError(null);
    setRunning(true);
    setProgress({ seen: 0, done: 0 });
    void run(action, total, controller.signal)
      .catch((fault: unknown) => setError(fault))
      .finally(() => setRunning(false));
  }

  return {
    progress,
    error,
    isRunning,
    start,
    stop: () => abort.current?.abort(),
    reset: () => setProgress(null),
  };
}

/** Restores one record after the other. */
async function restoreAll(schema: RecordSchema, keys: readonly string[], signal: AbortSignal): Promise<number> {
  let done = 0;
  for (const key of keys) {
    if (signal.aborted) break;
    await restoreRecord(schema, key);
    done += 1;
  }
  return done;
}
