import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RecordGate } from '../../../data/content/record-gate.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { defineCounter } from '../../../kernel/metrics.js';
import type { Principal } from '../../../kernel/principal.types.js';
import { isUuid, newId } from '../../../kernel/keys/random.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { FilePublishing, type Sender } from './file-publishing.service.js';
import { FileObjects, type PendingObject } from '../file-objects.service.js';
import { type SentFile, sentFile } from '../files.dto.js';
import { FileStorage } from '../storage/file-storage.port.js';
import { type AnnouncedFile, CheckedBytes, type CheckedFile, tooLarge, type UploadSource } from './checked-bytes.js';
import { type LinkTarget, UploadLinks } from './upload-links.service.js';
import { type UploadRequest, uploadSource } from './upload-request.js';
import { type AnnouncedUpload, type StoredUpload, UploadStore } from './upload-store.service.js';

const UPLOADS = defineCounter({
  name: 'lintel_file_uploads_total',
  help: 'File uploads, by outcome.',
  labels: { outcome: ['stored', 'refused', 'failed'] },
});

interface Received {
  readonly object: PendingObject;
  readonly source: UploadSource;
  readonly target: LinkTarget | null;
  /** Whether the object already contains the bytes. Then they are only checked. */
  readonly isStored?: boolean;
}

const LOCK = 'SELECT name FROM files WHERE id = $1 AND deleted_at IS NULL FOR UPDATE';

type Closing = (manager: EntityManager, answer: SentFile) => Promise<void>;

/**
 * The steps of every upload: announce, (claim and receive in {@link UploadStore},) finish, abandon. The pending object is stored before its
 * first byte and reserves quota, so the storage never has an object without a row. Leftovers of a crash expire, see `FileSweeper`.
 */
@Injectable()
export class UploadSessions {
  private readonly logger = new Logger('Files');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly gate: RecordGate,
    private readonly links: UploadLinks,
    private readonly objects: FileObjects,
    private readonly store: UploadStore,
    private readonly storage: FileStorage,
    private readonly publishing: FilePublishing,
  ) {}

  /**
   * Stores the file of one request, with a raw body or a form.
   *
   * @throws AppError the errors of {@link uploadSource}, {@link reserve} and {@link finish}; `permission_denied`.
   */
  async create(request: UploadRequest, target: LinkTarget | null): Promise<SentFile> {
    const { principal, body, headers } = request;
    return countedUpload(async () => {
      await this.assertAllowed(principal);
      const source = await uploadSource(body, headers);
      const object = await this.reserve(newId(), principal, source, target);
      return this.finish({ object, source, target }, request);
    });
  }

  /**
   * Replaces the bytes of a file. The caller must be allowed to update both the old and the new state.
   *
   * @throws AppError the errors of {@link create}; `file_not_found` for a file that the caller cannot see.
   */
  async replace(request: UploadRequest, id: string): Promise<SentFile> {
    const { principal, body, headers } = request;
    return countedUpload(async () => {
      await this.gate.assertOpen(principal, 'file', 'update');
      if (!isUuid(id)) throw new AppError('file_not_found');
      await this.dataSource.transaction((manager) => this.lock(manager, principal, id));
      const source = await uploadSource(body, headers);
      const object = await this.reserve(id, principal, source, null);
      return this.publish({ object, source, target: null }, async (manager, file) => {
        const name = await this.lock(manager, principal, id);
        await this.publishing.replace(manager, request, { object, file });
        return sentFile(this.config.appUrl, id, name, file);
      });
    });
  }

  /** @throws AppError `permission_denied`. */
  async assertAllowed(principal: Principal): Promise<void> {
    await this.gate.assertOpen(principal, 'file', 'create');
  }

  /** Reserves an object for the bytes of one request. @throws AppError `file_too_large`, `quota_exceeded`. */
  async reserve(
    fileId: string,
    principal: Principal,
    { size }: AnnouncedFile,
    target: LinkTarget | null,
  ): Promise<PendingObject> {
    const maxSize = Math.min(this.config.files.maxSize, this.links.rules(target)?.max_size ?? Infinity);
    if ((size ?? 0) > maxSize) throw tooLarge(maxSize);
    return this.objects.start(fileId, ownerOf(principal), size);
  }

  /**
   * Stores an upload that takes several requests.
   *
   * @param open starts a direct upload at the store, and returns the id of the store.
   * @throws AppError `file_too_large`, `quota_exceeded`, and the errors of `open`.
   */
  async announce(
    principal: Principal,
    announced: AnnouncedUpload,
    open: ((key: string) => Promise<string>) | null,
  ): Promise<StoredUpload> {
    const object = await this.reserve(newId(), principal, announced, announced.target);
    try {
      return await this.store.add(object, announced, open && (await open(object.id)));
    } catch (error) {
      await this.abandon(object);
      throw error;
    }
  }

  /**
   * Checks all bytes and publishes the file, in one transaction with the link and the audit event. On failure the object is abandoned,
   * unless it was stored before.
   *
   * @throws AppError the errors of {@link CheckedBytes} and {@link FilePublishing.create}.
   */
  async finish(received: Received, sender: Sender, close?: Closing): Promise<SentFile> {
    const { object, source, target } = received;
    return this.publish(received, async (manager, file) => {
      const answer = sentFile(this.config.appUrl, object.fileId, source.name, file);
      await close?.(manager, answer);
      await this.publishing.create(manager, sender, { object, file }, source.name, target);
      return answer;
    });
  }

  /** Locks a file that the principal can update, and returns its name. */
  private async lock(manager: EntityManager, principal: Principal, id: string): Promise<string> {
    const [row] = await manager.query<{ name: string }[]>(LOCK, [id]);
    const isOpen = row !== undefined && (await this.gate.isOpen(manager, principal, 'file', 'update', id));
    if (!isOpen) throw new AppError('file_not_found');
    return row.name;
  }

  private async publish(
    { object, source, target, isStored = false }: Received,
    commit: (manager: EntityManager, file: CheckedFile) => Promise<SentFile>,
  ): Promise<SentFile> {
    try {
      const checked = new CheckedBytes(source, this.config.files.maxSize, this.links.rules(target));
      if (isStored) for await (const _ of checked.pass());
      else await this.storage.write(object.id, checked.pass());
      return await this.dataSource.transaction((manager) => commit(manager, checked.result));
    } catch (error) {
      if (!isStored) await this.abandon(object);
      throw error;
    }
  }

  private async abandon(object: PendingObject): Promise<void> {
    try {
      await this.objects.discard(object);
    } catch (err) {
      this.logger.warn({ err, object: object.id, msg: 'An uploaded object could not be deleted yet.' });
    }
  }
}

export async function countedUpload<T>(work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    UPLOADS.inc({ outcome: 'stored' });
    return result;
  } catch (error) {
    UPLOADS.inc({ outcome: error instanceof AppError && error.status < 500 ? 'refused' : 'failed' });
    throw error;
  }
}

/** Returns the account that an upload belongs to; null for a guest. */
export function ownerOf(principal: Principal): string | null {
  return principal.kind === 'account' ? principal.userId : null;
}
