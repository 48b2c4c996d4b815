import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../../../kernel/app-error.js';
import { Clock } from '../../../../kernel/clock.port.js';
import { CONFIG } from '../../../../platform/config/config.module.js';
import type { Config } from '../../../../platform/config/config.types.js';
import { CheckedBytes, type CheckedFile } from '../checked-bytes.js';
import { DirectStates, type KnownDirectUpload } from './direct-states.service.js';
import type { GivenPart } from './direct-uploads.dto.js';
import { FileMaking, type Sender } from '../../file-making.service.js';
import { FileStorage } from '../../storage/file-storage.port.js';
import { type SentFile, sentFile } from '../../files.dto.js';
import type { AnnouncedPart, S3DirectUploads } from '../../storage/s3/s3-direct-uploads.js';
import { type StoredPart, unquoted } from '../../storage/s3/s3-multipart.js';
import { UploadLinks } from '../upload-links.service.js';

/** Interval at which a reader of a file says that it is still there. */
const RENEW_MS = 15_000;

/** Makes files of what clients have sent to the bucket. */
@Injectable()
export class DirectFiles {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly states: DirectStates,
    private readonly storage: FileStorage,
    private readonly making: FileMaking,
    private readonly links: UploadLinks,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes the object of all parts, reads it once, and makes the file of what was read. What can never be a file is removed; of what is
   * missing or away, the upload stays as it was.
   *
   * @param upload that this request keeps to itself.
   * @throws AppError `upload_incomplete`, `validation_failed` for parts that are not those that are there, `upload_expired` if the store
   *   knows the upload no longer, `upload_offset` if another request took it over; what sending a file throws.
   */
  async finish(
    store: S3DirectUploads,
    upload: KnownDirectUpload,
    given: readonly GivenPart[],
    sender: Sender,
  ): Promise<SentFile> {
    let isObject = false;
    try {
      await this.assemble(store, upload, given);
      isObject = true;
      const file = await this.read(upload);
      const answer = sentFile(this.config.appUrl, upload.id, upload.name, file);
      await this.dataSource.transaction(async (manager) => {
        await this.states.finish(manager, upload, answer);
        const object = { id: upload.objectId, fileId: upload.id, owner: upload.owner };
        await this.making.make(manager, sender, { object, file, name: upload.name }, upload.target);
      });
      return answer;
    } catch (error) {
      const ending = isFinal(error, isObject) ? this.states.giveUp(upload) : this.states.release(upload);
      await ending.catch(() => undefined);
      throw error;
    }
  }

  private async assemble(
    store: S3DirectUploads,
    upload: KnownDirectUpload,
    given: readonly GivenPart[],
  ): Promise<void> {
    const { objectId, storeId, size } = upload;
    const there = await store.parts(objectId, storeId);
    if (there === null) {
      // A try that died has made the object.
      if ((await this.storage.find(objectId))?.size !== size) throw new AppError('upload_expired');
      return;
    }
    const parts = partsOf(upload);
    assertThere(parts, there);
    assertNamed(there, given);
    await store.complete(objectId, storeId, parts, there);
  }

  private async read(upload: KnownDirectUpload): Promise<CheckedFile> {
    const { size, target } = upload;
    const rules = target === null ? null : this.links.rules(target);
    const source = { ...upload, length: size, bytes: this.bytes(upload), arrived: () => Promise.resolve() };
    const checked = new CheckedBytes(source, this.config.files.maxSize, rules);
    for await (const _ of checked.pass());
    return checked.result;
  }

  private async *bytes(upload: KnownDirectUpload): AsyncGenerator<Uint8Array> {
    let renewedMs = this.clock.nowMs();
    try {
      for await (const part of (await this.storage.read(upload.objectId)) as AsyncIterable<Uint8Array>) {
        if (this.clock.nowMs() - renewedMs >= RENEW_MS) {
          await this.states.renew(upload);
          renewedMs = this.clock.nowMs();
        }
        yield part;
      }
    } catch (cause) {
      throw cause instanceof AppError ? cause : new AppError('service_unavailable', { retryAfterSeconds: 1, cause });
    }
  }
}

/** Returns the parts that an upload announces. */
export function partsOf({ size, partSize, checksums }: KnownDirectUpload): readonly AnnouncedPart[] {
  return checksums.map((sha256, at) => ({
    number: at + 1,
    size: Math.min(partSize, size - at * partSize),
    sha256: Buffer.from(sha256, 'hex').toString('base64'),
  }));
}

/** Returns whether a part is there as it was announced. */
export function isThere({ number, size }: AnnouncedPart, there: ReadonlyMap<number, StoredPart>): boolean {
  return there.get(number)?.size === size;
}

function assertThere(parts: readonly AnnouncedPart[], there: ReadonlyMap<number, StoredPart>): void {
  const missing = parts.filter((part) => !isThere(part, there)).map(({ number }) => number);
  if (missing.length > 0) throw new AppError('upload_incomplete', { details: { missing } });
}

/** Throws if a request names another part than is there: it was sent elsewhere, or not last. */
function assertNamed(there: ReadonlyMap<number, StoredPart>, given: readonly GivenPart[]): void {
  const tags = new Map(given.map(({ number, etag }) => [number, unquoted(etag)]));
  const isSame = tags.size === given.length && tags.size === there.size;
  if (isSame && [...there].every(([number, { tag }]) => tags.get(number) === tag)) return;
  throw AppError.validation([{ field: 'parts', code: 'value_invalid', message: 'are not those that are there' }]);
}

/**
 * Returns whether a refusal is final. What is missing may come, and what is away may be back; once it is an object, what is wrong with
 * it stays wrong.
 */
function isFinal(error: unknown, isObject: boolean): boolean {
  if (!(error instanceof AppError) || error.status >= 500 || error.code === 'upload_offset') return false;
  return isObject || error.code === 'upload_expired';
}
