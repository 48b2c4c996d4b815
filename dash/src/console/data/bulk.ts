import type { Filter } from '../filter/filter-tree.js';

/** Maximum number of records that one request changes by filter. */
export const AT_ONCE = 500;
/** Maximum number of keys per request and their length in the URL, because a proxy or the service accepts 16 KiB in total. */
const PART = 200;
const MAX_KEYS_LENGTH = 10_000;

export type Keys = Iterable<readonly string[]>;

export interface BulkProgress {
  readonly seen: number;
  readonly done: number;
}

/**
 * Changes many records in requests of some hundred. Each request succeeds or fails as a whole; an abort takes effect between two requests.
 *
 * @param act changes the records with the given keys and returns their number.
 */
export async function runInBatches(
  keys: Keys,
  act: (part: readonly string[]) => Promise<number>,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: BulkProgress) => void },
): Promise<void> {
  let progress: BulkProgress = { seen: 0, done: 0 };
  for (const part of batchesOf(keys)) {
    if (signal.aborted) return;
    const done = await act(part);
    progress = { seen: progress.seen + part.length, done: progress.done + done };
    onProgress(progress);
  }
}

/** Limits a filter to some keys. Records that no longer match the filter are excluded. */
export function amongFilter(filter: Filter, key: string, keys: readonly string[]): Filter {
  const among: Filter = { [key]: { $in: keys } };
  return Object.keys(filter).length === 0 ? among : { $and: [filter, among] };
}

function* batchesOf(pages: Keys): Generator<readonly string[]> {
  let part: string[] = [];
  let length = 0;
  for (const page of pages)
    for (const key of page) {
      const added = encodeURIComponent(`${JSON.stringify(key)},`).length;
      if (part.length === PART || (part.length > 0 && length + added > MAX_KEYS_LENGTH)) {
        yield part;
        [part, length] = [[], 0];
      }
      part.push(key);
      length += added;
    }
  if (part.length > 0) yield part;
}
