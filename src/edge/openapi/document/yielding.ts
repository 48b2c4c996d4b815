import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work at a stretch. */
const STRETCH_MS = 10;

/** Returns the same items, with a pause for other requests whenever the work on them has taken a while. */
export async function* yielding<T>(items: Iterable<T>): AsyncGenerator<T> {
  let begin = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - begin < STRETCH_MS) continue;
    await setImmediate();
    begin = performance.now();
  }
}
