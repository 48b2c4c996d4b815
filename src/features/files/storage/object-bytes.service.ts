import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedCache } from '../../../kernel/bounded-cache.js';
import { type ByteRange, FileStorage, ObjectMissing } from './file-storage.port.js';

/** Objects of at most this many bytes are kept: a stream would hold as much of each of them. */
export const SMALL_BYTES = 131_072;
/** Most that is kept, in bytes. @internal */
const MOST_BYTES = 16_777_216;
/** An object is kept that is asked for again before so many others were: reading one after the other keeps none. @internal */
const MOST_SEEN = 16;
/** Overhead of keeping an object beside its bytes: no more than this. */
const OVERHEAD_BYTES = 1_024;

/**
 * Reads objects for whoever was found to be allowed to have them. The bytes of small ones that are asked for again and again are kept in
 * memory: a key stands for the same bytes for ever, so what is kept is never out of date (ADR 0096).
 */
@Injectable()
export class ObjectBytes {
  private readonly kept = new LRUCache<string, Buffer>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ length }) => length + OVERHEAD_BYTES,
  });
  private readonly seen = boundedCache<true>(MOST_SEEN);
  private readonly reading = new Map<string, Promise<Buffer>>();

  constructor(private readonly storage: FileStorage) {}

  /**
   * Returns a part of an object. It is for somebody whose right to it was just asked: this asks nobody.
   *
   * @param size of the whole object, in bytes.
   * @throws ObjectMissing if it is not there, or not as long as it is said to be.
   */
  async read(key: string, size: number, range: ByteRange): Promise<Buffer | Readable> {
    const whole = this.kept.get(key) ?? (this.isAskedAgain(key, size) ? await this.load(key, size) : null);
    return whole === null ? this.storage.read(key, range) : whole.subarray(range.start, range.end + 1);
  }

  /** Forgets an object that is removed. */
  forget(key: string): void {
    this.kept.delete(key);
  }

  private isAskedAgain(key: string, size: number): boolean {
    if (size > SMALL_BYTES) return false;
    const isSeen = this.seen.has(key);
    this.seen.set(key, true);
    return isSeen;
  }

  /** Loads an object; those who ask while it is read wait for the same bytes. */
  private load(key: string, size: number): Promise<Buffer> {
    const loading = this.reading.get(key) ?? this.collect(key, size).finally(() => this.reading.delete(key));
    this.reading.set(key, loading);
    return loading;
  }

  private async collect(key: string, size: number): Promise<Buffer> {
    // In memory of its own: a part may be a view of more, which would be kept with it.
    const whole = Buffer.allocUnsafeSlow(size);
    const bytes = await this.storage.read(key, { start: 0, end: size - 1 });
    let length = 0;
    for await (const part of bytes as AsyncIterable<Uint8Array>) {
      if (length + part.length > size) throw new ObjectMissing(key);
      whole.set(part, length);
      length += part.length;
    }
    if (length < size) throw new ObjectMissing(key);
    this.kept.set(key, whole);
    return whole;
  }
}
