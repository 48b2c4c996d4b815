import type { Readable } from 'node:stream';

/** A part of an object, in bytes; both ends are included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Facts that a storage knows of an object. */
export interface StoredObject {
  readonly key: string;
  /** Bytes; those that are there, of one that is still being written. */
  readonly size: number;
}

/** There is no such object in the storage. */
export class ObjectMissing extends Error {
  constructor(key: string) {
    super(`There is no object ${key}.`);
  }
}

/**
 * Keeps the bytes of files, under keys that the service makes: UUIDs in lower case, each used once. `read`, `find` and `remove` reject any
 * other key, such as `''`, `'..'` or `'a/b'`, which could be a path. The storage knows which objects exist; the database knows their
 * owners and access. `fileStorageContract` of `lintel/testing` checks an implementation.
 */
export abstract class FileStorage {
  /** Returns the name that stands with each object: what another storage wrote, this one is not asked for. */
  abstract disk(): string;

  /**
   * Writes an object. It resolves once the object would outlive a crash of the machine, and holds no more of the bytes in memory than a
   * part. What throws, throws on; of an object that did not become whole nothing is read, and {@link remove} removes what there is.
   *
   * @throws AppError `storage_full` if there is no room.
   */
  abstract write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;

  /**
   * Opens an object, or a part of it. It reads no faster than it is read.
   *
   * @throws ObjectMissing before anything is read.
   * @throws Error for a key that is no UUID.
   */
  abstract read(key: string, range?: ByteRange): Promise<Readable>;

  /** Returns what is known of a whole object; null if there is none. @throws Error for a key that is no UUID. */
  abstract find(key: string): Promise<StoredObject | null>;

  /** Removes an object, and what is left of one that did not become whole. One that is not there is no mistake. @throws Error for a key that is no UUID. */
  abstract remove(key: string): Promise<void>;

  /** Lists everything that is there, what did not become whole included, in no order. */
  abstract list(): AsyncIterable<StoredObject>;
}

declare module '../../../kernel/ports.js' {
  interface KnownPorts {
    readonly fileStorage: FileStorage;
  }
}
