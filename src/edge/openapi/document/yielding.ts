import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** Maximum time of work without a pause. */
const STRETCH_MS = 10;

/** Returns the same items, but pauses for other requests at intervals. */
export async function* yielding<T>(items: Iterable<T>): AsyncGenerator<T> {
  let begin = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - begin < STRETCH_MS) continue;
    await setImmediate();
    begin = performance.now();
  }
}
