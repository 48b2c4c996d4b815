import type { Readable } from 'node:stream';
import { bodyParts } from '../../../../platform/http/http.public.js';

/** After a crash of the server, a client must resend at most this much. */
const SEGMENT_BYTES = 32 * 1_048_576;

/** Splits a body into segments while it arrives. If the body breaks off, the received bytes are kept. */
export class BodySegments {
  isBroken = false;
  size = 0;
  private readonly parts: AsyncIterator<Uint8Array>;
  private next: Uint8Array | null = null;

  constructor(body: Readable) {
    this.parts = bodyParts(body)[Symbol.asyncIterator]();
  }

  /** Resolves with the next byte, or at the end of the body. */
  async hasMore(): Promise<boolean> {
    this.next ??= await this.pull();
    return this.next !== null;
  }

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
