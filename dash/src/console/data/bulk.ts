import type { Filter } from '../filter/filter-tree.js';

/** Records of a view that one request changes by its filter. */
export const AT_ONCE = 500;
/** Keys that one request names, and how long they may be in its address, where a proxy or the service takes 16 KiB in all. */
const PART = 200;
const LONGEST_KEYS = 10_000;

/** Keys, in lists as they were chosen. */
export type Keys = Iterable<readonly string[]>;

/** Progress of it. */
export interface BulkProgress {
  readonly seen: number;
  readonly done: number;
}

/**
 * Does something with many records, some hundred at a time: each request is all or none, and between them it can be stopped.
 *
 * @param act does it with the records of some keys, and answers with how many.
 */
export async function doInParts(
  keys: Keys,
  act: (part: readonly string[]) => Promise<number>,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: BulkProgress) => void },
): Promise<void> {
  let progress: BulkProgress = { seen: 0, done: 0 };
  for (const part of parted(keys)) {
    if (signal.aborted) return;
    const done = await act(part);
    progress = { seen: progress.seen + part.length, done: progress.done + done };
    onProgress(progress);
  }
}

/** Returns the records of a filter that have one of some keys. A record that has left the filter meanwhile is none of them. */
export function amongFilter(filter: Filter, key: string, keys: readonly string[]): Filter {
  const among: Filter = { [key]: { $in: keys } };
  return Object.keys(filter).length === 0 ? among : { $and: [filter, among] };
}

function* parted(pages: Keys): Generator<readonly string[]> {
  let part: string[] = [];
  let length = 0;
  for (const page of pages)
    for (const key of page) {
      const added = encodeURIComponent(`${JSON.stringify(key)},`).length;
      if (part.length === PART || (part.length > 0 && length + added > LONGEST_KEYS)) {
        yield part;
        [part, length] = [[], 0];
      }
      part.push(key);
      length += added;
    }
  if (part.length > 0) yield part;
}
