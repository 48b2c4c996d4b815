/** Size of all parts except the last. */
export const PART_BYTES = 8 * 1_048_576;
/** @internal */
export const MAX_PARTS = 10_000;
/** Initial size of the first buffer, because most files are small. */
const FIRST_BYTES = 65_536;

/** Concurrent part uploads. @internal */
export const MAX_IN_FLIGHT = 3;
const OF_UPLOAD = MAX_IN_FLIGHT + 1;

/**
 * Pool of part buffers that uploads share. Arriving chunks are copied into them, so that the chunks are garbage-collected early. The pool
 * keeps as many buffers as the running uploads need. Others are released at the next full garbage collection.
 */
export class PartBuffers {
  private readonly free: Buffer[] = [];
  private readonly leaving: WeakRef<ArrayBufferLike>[] = [];
  private uploads = 0;

  async during<T>(upload: () => Promise<T>): Promise<T> {
    this.uploads += 1;
    try {
      return await upload();
    } finally {
      this.uploads -= 1;
      for (const { buffer } of this.free.splice(this.uploads * OF_UPLOAD)) this.leaving.push(new WeakRef(buffer));
    }
  }

  acquire(): Buffer {
    const reused = this.free.pop();
    if (reused !== undefined) return reused;
    for (let part = this.leaving.pop(); part !== undefined; part = this.leaving.pop()) {
      const bytes = part.deref();
      if (bytes !== undefined) return Buffer.from(bytes);
    }
    return Buffer.allocUnsafeSlow(PART_BYTES);
  }

  release({ buffer }: Uint8Array): void {
    if (buffer.byteLength !== PART_BYTES) return;
    if (this.free.length < this.uploads * OF_UPLOAD) this.free.push(Buffer.from(buffer));
    else this.leaving.push(new WeakRef(buffer));
  }
}

/** Splits bytes into parts of {@link PART_BYTES}. The last part is shorter, and empty only if it is the only one. */
export async function* partsOf(bytes: AsyncIterable<Uint8Array>, buffers: PartBuffers): AsyncGenerator<Uint8Array> {
  let part: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let [size, parts] = [0, 0];
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length;) {
      if (size === part.length) part = grown(part, buffers);
      const copied = chunk.subarray(at, at + part.length - size);
      part.set(copied, size);
      [at, size] = [at + copied.length, size + copied.length];
      if (size < PART_BYTES) continue;
      yield part;
      [part, size, parts] = [buffers.acquire(), 0, parts + 1];
    }
  }
  if (size > 0 || parts === 0) yield part.subarray(0, size);
  else buffers.release(part);
}

function grown(part: Buffer, buffers: PartBuffers): Buffer {
  const larger = buffers.acquire();
  larger.set(part);
  return larger;
}

/**
 * Runs work for each part with limited concurrency, and returns the results in order. An error is thrown after all running work has ended.
 */
export async function inFlight<T>(
  parts: AsyncIterable<Uint8Array>,
  maxParts: number,
  work: (part: Uint8Array, number: number) => Promise<T>,
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
      while (running.size >= maxParts) await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
  }
  if (faults.length > 0) throw faults[0];
  return results;
}
