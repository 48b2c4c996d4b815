import { Injectable } from '@nestjs/common';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { Clock } from '../../../../kernel/clock.port.js';
import type { Principal } from '../../../../kernel/principal.types.js';
import type { Sender } from '../file-publishing.service.js';
import { invalidField, type SentFile } from '../../files.dto.js';
import { FileStorage } from '../../storage/file-storage.port.js';
import { S3FileStorage } from '../../storage/s3/s3-file-storage.js';
import {
  type AnnouncedPart,
  PART_URL_SECONDS,
  type S3Multipart,
  type StoredPart,
  unquoted,
} from '../../storage/s3/s3-multipart.js';
import { countedUpload, ownerOf, UploadSessions } from '../upload-sessions.service.js';
import { type AnnouncedUpload, type StoredUpload, type UploadKey, UploadStore } from '../upload-store.service.js';
import type { DirectPart, DirectUploadState, UploadedPart } from './direct-uploads.dto.js';

/** Lease of a request that completes an upload. It excludes other requests and is renewed while the request runs. */
const LEASE_MS = 60_000;
const RENEW_MS = 15_000;

/**
 * Uploads whose parts clients send to the bucket directly. The server signs a URL for each part. When all parts are stored, it checks and
 * publishes the file. Any instance can continue an upload of another one.
 */
@Injectable()
export class DirectUploads {
  constructor(
    private readonly sessions: UploadSessions,
    private readonly uploads: UploadStore,
    private readonly storage: FileStorage,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `upload_not_direct` if files are not in a bucket; and the errors of {@link UploadSessions}. */
  async create(principal: Principal, announced: AnnouncedUpload): Promise<DirectUploadState> {
    const bucket = await this.bucket(principal);
    const upload = await this.sessions.announce(principal, announced, (key) => bucket.start(key, true));
    return this.stateOf(bucket, upload, new Map());
  }

  /** Returns the stored parts, and URLs for the others. @throws AppError the errors of {@link create}; `file_not_found`. */
  async state(principal: Principal, id: string): Promise<DirectUploadState> {
    const bucket = await this.bucket(principal);
    const upload = await this.uploads.get(keyOf(principal, id));
    const stored = upload.answer === null ? await bucket.parts(upload.objectId, upload.storeId) : null;
    return this.stateOf(bucket, upload, stored);
  }

  /**
   * Publishes the file. An upload that can never become a file is removed; one with missing parts stays.
   *
   * @throws AppError the errors of {@link create}; `file_not_found`; `upload_incomplete`; `validation_failed` for parts other than the
   * stored ones; `upload_expired` if the store does not know the upload any more; `upload_offset` if another request completes it.
   */
  async complete(sender: Sender, id: string, parts: readonly UploadedPart[]): Promise<SentFile> {
    const bucket = await this.bucket(sender.principal);
    const upload = await this.claim(keyOf(sender.principal, id));
    return countedUpload(async () => {
      let isObject = false;
      try {
        await this.assemble(bucket, upload, parts);
        isObject = true;
        return await this.finish(upload, sender);
      } catch (error) {
        const ending = isFinal(error, isObject) ? this.uploads.abandon(upload) : this.uploads.release(upload);
        await ending.catch(() => undefined);
        throw error;
      }
    });
  }

  /** @throws AppError `file_not_found`. */
  async remove(principal: Principal, id: string): Promise<void> {
    await this.uploads.remove(keyOf(principal, id));
  }

  private async bucket(principal: Principal): Promise<S3Multipart> {
    await this.sessions.assertAllowed(principal);
    if (!(this.storage instanceof S3FileStorage)) throw new AppError('upload_not_direct');
    return this.storage.multipart;
  }

  private async claim(key: UploadKey): Promise<StoredUpload> {
    const upload = await this.uploads.claim(key, 0, LEASE_MS);
    if (upload !== null) return upload;
    await this.uploads.get(key);
    throw new AppError('upload_offset');
  }

  private async assemble(
    bucket: S3Multipart,
    upload: StoredUpload,
    uploadedParts: readonly UploadedPart[],
  ): Promise<void> {
    const { objectId, storeId, size, parts } = upload;
    const stored = await bucket.parts(objectId, storeId);
    if (stored === null) {
      // An earlier attempt may have assembled the object and crashed.
      if ((await this.storage.find(objectId))?.size !== size) throw new AppError('upload_expired');
      return;
    }
    const missing = parts.filter((part) => !isStored(part, stored)).map(({ number }) => number);
    if (missing.length > 0) throw new AppError('upload_incomplete', { details: { missing } });
    assertNamed(stored, uploadedParts);
    const named = parts.map(({ number, sha256 }) => ({ tag: stored.get(number)?.tag ?? '', sha256 }));
    await bucket.complete(objectId, storeId, named, size);
  }

  private finish(upload: StoredUpload, sender: Sender): Promise<SentFile> {
    const { id, objectId, owner, target } = upload;
    const source = { ...upload, bytes: this.bytes(upload) };
    const received = { object: { id: objectId, fileId: id, owner }, source, target, isStored: true };
    return this.sessions.finish(received, sender, (manager, answer) => this.uploads.answer(manager, upload, answer));
  }

  private async *bytes(upload: StoredUpload): AsyncGenerator<Uint8Array> {
    let renewedMs = this.clock.nowMs();
    try {
      for await (const part of (await this.storage.read(upload.objectId)) as AsyncIterable<Uint8Array>) {
        if (this.clock.nowMs() - renewedMs >= RENEW_MS) {
          await this.uploads.renew(upload, LEASE_MS);
          renewedMs = this.clock.nowMs();
        }
        yield part;
      }
    } catch (cause) {
      throw cause instanceof AppError ? cause : new AppError('service_unavailable', { retryAfterSeconds: 1, cause });
    }
  }

  /** @param stored null for an upload that accepts no more parts. */
  private async stateOf(
    bucket: S3Multipart,
    { id, objectId, storeId, parts, expiresAt, answer }: StoredUpload,
    stored: ReadonlyMap<number, StoredPart> | null,
  ): Promise<DirectUploadState> {
    const urlsExpire = new Date(this.clock.nowMs() + PART_URL_SECONDS * 1_000);
    const partState = async (part: AnnouncedPart): Promise<DirectPart> => {
      const { number, size } = part;
      const isSent = stored === null || isStored(part, stored);
      const { url = null, headers = {} } = isSent ? {} : await bucket.address(objectId, storeId, part);
      return { number, size, etag: isSent ? (stored?.get(number)?.tag ?? null) : null, url, headers };
    };
    return {
      id,
      parts: await Promise.all(parts.map(partState)),
      expires_at: expiresAt.toISOString(),
      urls_expire_at: urlsExpire.toISOString(),
      file: answer,
    };
  }
}

function keyOf(principal: Principal, id: string): UploadKey {
  return { id, owner: ownerOf(principal), isDirect: true };
}

function isStored({ number, size }: AnnouncedPart, stored: ReadonlyMap<number, StoredPart>): boolean {
  return stored.get(number)?.size === size;
}

/** Throws if a request names other parts than the stored ones. Then another client sent them, or sent one again. */
function assertNamed(stored: ReadonlyMap<number, StoredPart>, parts: readonly UploadedPart[]): void {
  const tags = new Map(parts.map(({ number, etag }) => [number, unquoted(etag)]));
  const isSame = tags.size === parts.length && tags.size === stored.size;
  if (isSame && [...stored].every(([number, { tag }]) => tags.get(number) === tag)) return;
  throw invalidField('parts', 'value_invalid', 'do not match the uploaded parts');
}

/** Missing parts may arrive later, and the store may recover. Once the bytes are an object, a refusal of them is final. */
function isFinal(error: unknown, isObject: boolean): boolean {
  if (!(error instanceof AppError) || error.status >= 500 || error.code === 'upload_offset') return false;
  return isObject || error.code === 'upload_expired';
}
