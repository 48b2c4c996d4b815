import type { Readable } from 'node:stream';
import { bodyParts } from '../../../../platform/http/http.public.js';

/** Bytes of a body that are kept at a time: of an upload whose service dies no more than that is sent again. */
const SEGMENT_BYTES = 32 * 1_048_576;

/**
 * Cuts a body into segments while it arrives. One that breaks off ends with what is there, which is kept: {@link isBroken} tells.
 */
export class BodySegments {
  /** Whether the body broke off. */
  isBroken = false;
  /** Bytes of the segment that was read last. */
  size = 0;
  private readonly parts: AsyncIterator<Uint8Array>;
  private next: Uint8Array | null = null;

  constructor(body: Readable) {
    this.parts = bodyParts(body)[Symbol.asyncIterator]();
  }

  /** Returns whether there is another segment, once there is a byte of it or the body is over. */
  async hasMore(): Promise<boolean> {
    this.next ??= await this.pull();
    return this.next !== null;
  }

  /** Returns the bytes of the next segment. */
  async *segment(): AsyncGenerator<Uint8Array> {
    this.size = 0;
    while (this.size < SEGMENT_BYTES && (await this.hasMore())) {
      const part = this.next ?? new Uint8Array();
      const taken = part.subarray(0, SEGMENT_BYTES - this.size);
      this.next = taken.length < part.length ? part.subarray(taken.length) : null;
      this.size += taken.length;
      yield taken;
    }
  }

  /** Stops reading. The server discards the rest of the body. */
  async release(): Promise<void> {
    await this.parts.return?.();
  }

  private async pull(): Promise<Uint8Array | null> {
    try {
      for (;;) {
        const next = (await this.parts.next()) as IteratorResult<Uint8Array, undefined>;
        if (next.done === true) return null;
        if (next.value.length > 0) return next.value;
      }
    } catch {
      this.isBroken = true;
      return null;
    }
  }
}
