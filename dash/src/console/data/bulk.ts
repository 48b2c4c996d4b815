import type { Filter } from '../filter/filter-tree.js';
import type { ListView } from './list-address.js';
import type { RecordPage } from './records-api.js';

/** Keys that one request names. */
export const CHUNK = 500;

/** What is asked of the service. */
export interface BulkSource {
  readonly keys: (view: ListView, cursor: string) => Promise<RecordPage>;
  /** Does it with the records that a filter finds, and answers how many. */
  readonly act: (filter: Filter) => Promise<number>;
}

/** How far it is. */
export interface BulkProgress {
  readonly seen: number;
  readonly done: number;
}

/**
 * Does something with all records of a view, some hundred at a time, in the order of their keys: each request is all or none,
 * and between them it can be stopped. A record that leaves the filter meanwhile stays as it is.
 */
export async function doInChunks(
  view: ListView,
  key: string,
  { keys, act }: BulkSource,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: BulkProgress) => void },
): Promise<BulkProgress> {
  let progress: BulkProgress = { seen: 0, done: 0 };
  let cursor: string | null = '';
  while (cursor !== null && !signal.aborted) {
    const chunk: unknown[] = [];
    while (cursor !== null && chunk.length < CHUNK && !signal.aborted) {
      const page: RecordPage = await keys({ ...view, sort: [key] }, cursor);
      chunk.push(...page.items.map((item) => item[key]));
      cursor = page.next_cursor;
    }
    if (chunk.length === 0 || signal.aborted) break;
    const done = await act(amongFilter(view.filter, key, chunk));
    progress = { seen: progress.seen + chunk.length, done: progress.done + done };
    onProgress(progress);
  }
  return progress;
}

/** The records of a filter that have one of some keys. */
export function amongFilter(filter: Filter, key: string, keys: readonly unknown[]): Filter {
  const among: Filter = { [key]: { $in: keys as readonly string[] } };
  return Object.keys(filter).length === 0 ? among : { $and: [filter, among] };
}
