import type { Readable } from 'node:stream';

/** A part of an object in bytes, both ends inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Metadata of an object in the storage. */
export interface StoredObject {
  readonly key: string;
  /** In bytes. For an object that is still being written, the bytes stored so far. */
  readonly size: number;
}

/** The storage has no such object. */
export class ObjectMissing extends Error {
  constructor(key: string) {
    super(`The object ${key} does not exist.`);
  }
}

/**
 * Stores the bytes of files under keys that the server generates: lower-case UUIDs, each used once. `read`, `find` and `remove` reject any
 * other key, such as `''`, `'..'` or `'a/b'`, which could be a path. The storage knows which objects exist; the database knows their owners
 * and access. `fileStorageContract` of `lintel/testing` checks an implementation.
 */
export abstract class FileStorage {
  /** Returns a name that is stored with each object. This storage is never asked for objects with another name. */
  abstract disk(): string;

  /**
   * Writes an object. It resolves once the object would survive a crash of the machine, and buffers at most one part in memory. Errors of
   * `bytes` are rethrown. An incomplete object is never read, and {@link remove} removes it.
   *
   * @throws AppError `storage_full` if there is no room.
   */
  abstract write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;

  /**
   * Opens an object, or a range of it, with backpressure.
   *
   * @throws ObjectMissing before anything is read.
   * @throws Error for a key that is not a UUID.
   */
  abstract read(key: string, range?: ByteRange): Promise<Readable>;

  /** Returns the metadata of a complete object; null if there is none. @throws Error for a key that is not a UUID. */
  abstract find(key: string): Promise<StoredObject | null>;

  /** Removes an object, complete or not. A missing object is not an error. @throws Error for a key that is not a UUID. */
  abstract remove(key: string): Promise<void>;

  /** Lists all objects, also incomplete ones, in any order. */
  abstract list(): AsyncIterable<StoredObject>;
}

declare module '../../../platform/extension/ports.js' {
  interface KnownPorts {
    readonly fileStorage: FileStorage;
  }
}
