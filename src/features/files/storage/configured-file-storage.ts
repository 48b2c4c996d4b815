import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { type ByteRange, FileStorage, type StoredObject } from './file-storage.port.js';
import { LocalFileStorage } from './local-file-storage.js';
import { S3FileStorage } from './s3/s3-file-storage.js';
import type { S3Multipart } from './s3/s3-multipart.js';

@Injectable()
export class ConfiguredFileStorage extends FileStorage {
  /** Multipart uploads to the bucket; null for a local disk. */
  readonly multipart: S3Multipart | null;
  private readonly storage: FileStorage;

  constructor(@Inject(CONFIG) config: Config) {
    super();
    const { s3 } = config.files;
    const bucket = s3 === null ? null : new S3FileStorage(s3);
    this.multipart = bucket?.multipart ?? null;
    this.storage = bucket ?? new LocalFileStorage(config);
  }

  override disk(): string {
    return this.storage.disk();
  }

  override write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    return this.storage.write(key, bytes);
  }

  override read(key: string, range?: ByteRange): Promise<Readable> {
    return this.storage.read(key, range);
  }

  override find(key: string): Promise<StoredObject | null> {
    return this.storage.find(key);
  }

  override remove(key: string): Promise<void> {
    return this.storage.remove(key);
  }

  override list(): AsyncIterable<StoredObject> {
    return this.storage.list();
  }
}
