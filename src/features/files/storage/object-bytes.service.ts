import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedCache } from '../../../kernel/bounded-cache.js';
import { type ByteRange, FileStorage, ObjectMissing } from './file-storage.port.js';

/** A stream would buffer this much for each object. */
export const SMALL_BYTES = 131_072;
/** @internal */
const MAX_BYTES = 16_777_216;
/** An object is cached if it is read again within this many other reads, so a scan over all objects caches none. @internal */
const MAX_TRACKED = 16;
/** Upper bound of the overhead of an entry. */
const OVERHEAD_BYTES = 1_024;

/** Reads objects, and caches small ones in memory. The bytes of a key never change, so the cache needs no invalidation (ADR 0096). */
@Injectable()
export class ObjectBytes {
  private readonly cache = new LRUCache<string, Buffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => length + OVERHEAD_BYTES,
  });
  private readonly seen = boundedCache<true>(MAX_TRACKED);
  private readonly reading = new Map<string, Promise<Buffer>>();

  constructor(private readonly storage: FileStorage) {}

  /**
   * Returns a part of an object, without an access check.
   *
   * @param size of the whole object.
   * @throws ObjectMissing also for an object of another size.
   */
  async read(key: string, size: number, range: ByteRange): Promise<Buffer | Readable> {
    const cached = this.cache.get(key) ?? (this.isRepeated(key, size) ? await this.load(key, size) : null);
    return cached === null ? this.storage.read(key, range) : cached.subarray(range.start, range.end + 1);
  }

  forget(key: string): void {
    this.cache.delete(key);
  }

  private isRepeated(key: string, size: number): boolean {
    if (size > SMALL_BYTES) return false;
    const isSeen = this.seen.has(key);
    this.seen.set(key, true);
    return isSeen;
  }

  /** Concurrent reads share one load. */
  private load(key: string, size: number): Promise<Buffer> {
    const loading = this.reading.get(key) ?? this.collect(key, size).finally(() => this.reading.delete(key));
    this.reading.set(key, loading);
    return loading;
  }

  private async collect(key: string, size: number): Promise<Buffer> {
    // Uses unpooled memory: a pooled buffer would be a view that keeps its whole pool alive.
    const buffer = Buffer.allocUnsafeSlow(size);
    const bytes = await this.storage.read(key, { start: 0, end: size - 1 });
    let length = 0;
    for await (const part of bytes as AsyncIterable<Uint8Array>) {
      if (length + part.length > size) throw new ObjectMissing(key);
      buffer.set(part, length);
      length += part.length;
    }
    if (length < size) throw new ObjectMissing(key);
    this.cache.set(key, buffer);
    return buffer;
  }
}
