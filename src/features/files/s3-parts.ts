/** Bytes of a part of an upload: of all but the last. */
export const PART_BYTES = 8 * 1_048_576;
/** Parts that an upload has at most. */
export const MOST_PARTS = 10_000;

/** Cuts bytes into parts of {@link PART_BYTES}, without a copy of them; the last is shorter, and may be empty if there is no other. */
export async function* partsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Uint8Array[]> {
  let part: Uint8Array[] = [];
  let [size, parts] = [0, 0];
  for await (let chunk of bytes) {
    while (size + chunk.length >= PART_BYTES) {
      const fits = PART_BYTES - size;
      yield [...part, chunk.subarray(0, fits)];
      chunk = chunk.subarray(fits);
      [part, size, parts] = [[], 0, parts + 1];
    }
    if (chunk.length > 0) part.push(chunk);
    size += chunk.length;
  }
  if (size > 0 || parts === 0) yield part;
}

/**
 * Runs work for each part, of which a few are on their way at a time, and one is being filled.
 *
 * @returns what the work returned, in the order of the parts.
 * @throws what the parts or the work throw, once nothing is on its way any more.
 */
export async function inFlight<T>(
  parts: AsyncIterable<readonly Uint8Array[]>,
  most: number,
  work: (part: readonly Uint8Array[], number: number) => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = [];
  const running = new Set<Promise<void>>();
  const faults: unknown[] = [];
  let number = 0;
  try {
    for await (const part of parts) {
      if (faults.length > 0) break;
      const at = number++;
      const run = work(part, at + 1).then(
        (result) => void (results[at] = result),
        (error: unknown) => void faults.push(error),
      );
      running.add(run);
      void run.finally(() => running.delete(run));
      while (running.size >= most) await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
  }
  if (faults.length > 0) throw faults[0];
  return results;
}
