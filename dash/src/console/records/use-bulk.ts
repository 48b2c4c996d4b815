import { useRef, useState } from 'react';
import { type BulkProgress, CHUNK, doInChunks } from '../data/bulk.js';
import type { Filter } from '../filter/filter-tree.js';
import type { ListView } from '../data/list-address.js';
import type { RecordValues } from '../data/record-changes.js';
import type { RecordSchema } from '../data/record-schema.js';
import { doWithAll, getKeys, restoreRecord } from '../data/records-api.js';

/** What is to be done with many. */
export type BulkAction =
  { readonly kind: 'edit'; readonly values: RecordValues } | { readonly kind: 'delete' } | { readonly kind: 'restore' };

/** Does something with all records of a view: by one request where they are few, else in parts that can be stopped between. */
export function useBulk(schema: RecordSchema, view: ListView) {
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const abort = useRef<AbortController | null>(null);

  async function run(action: BulkAction, total: number, signal: AbortSignal): Promise<void> {
    const act = (filter: Filter): Promise<number> =>
      doWithAll(schema, filter, action.kind === 'edit' ? action.values : null);
    if (action.kind !== 'restore' && total <= CHUNK) {
      const done = await act(view.filter);
      setProgress({ seen: total, done });
      return;
    }
    const keys = (list: ListView, cursor: string) => getKeys(schema, list, cursor);
    const each = async (filter: Filter): Promise<number> => restoreAll(schema, filter, signal);
    const source = { keys, act: action.kind === 'restore' ? each : act };
    await doInChunks(view, schema.key, source, { signal, onProgress: setProgress });
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

/** There is no request for many: one after the other, in the order of their keys. */
async function restoreAll(schema: RecordSchema, filter: Filter, signal: AbortSignal): Promise<number> {
  const parts = '$and' in filter ? (filter['$and'] as readonly Filter[]) : [filter];
  const { $in: ids = [] } = (parts.at(-1)?.[schema.key] ?? {}) as { readonly $in?: readonly string[] };
  let done = 0;
  for (const id of ids) {
    if (signal.aborted) break;
    await restoreRecord(schema, String(id));
    done += 1;
  }
  return done;
}
