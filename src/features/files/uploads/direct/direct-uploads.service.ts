import { Inject, Injectable } from '@nestjs/common';
import { RecordGate } from '../../../../data/content/record-gate.service.js';
import { AppError } from '../../../../kernel/app-error.js';
import { Clock } from '../../../../kernel/clock.port.js';
import type { Principal } from '../../../../kernel/principal.types.js';
import { CONFIG } from '../../../../platform/config/config.module.js';
import type { Config } from '../../../../platform/config/config.types.js';
import { ConfiguredFileStorage } from '../../storage/configured-file-storage.js';
import { DirectFiles, isThere, partsOf } from './direct-files.service.js';
import { DirectStates, type KnownDirectUpload } from './direct-states.service.js';
import type { AnnouncedDirectUpload, DirectPart, DirectUploadState, GivenPart } from './direct-uploads.dto.js';
import { tooLarge } from '../../field-rules.js';
import type { Sender } from '../../file-making.service.js';
import { FileStorage } from '../../storage/file-storage.port.js';
import type { SentFile } from '../../files.dto.js';
import { type AnnouncedPart, PART_URL_SECONDS, type S3DirectUploads } from '../../storage/s3/s3-direct-uploads.js';
import type { StoredPart } from '../../storage/s3/s3-multipart.js';
import { UploadLinks } from '../upload-links.service.js';
import { countedUpload } from '../upload-outcomes.js';

/**
 * Takes files in that their senders bring to the bucket: the service notes the object and keeps room for it, signs an address for each
 * part, and makes the file of what is there once all of it is. Any instance goes on where another has stopped.
 */
@Injectable()
export class DirectUploads {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly gate: RecordGate,
    private readonly links: UploadLinks,
    private readonly states: DirectStates,
    private readonly files: DirectFiles,
    private readonly storage: FileStorage,
    private readonly clock: Clock,
  ) {}

  /**
   * Begins an upload; its id is that of the file.
   *
   * @throws AppError `upload_not_direct` if files are in no bucket; `permission_denied`, `file_too_large`, `quota_exceeded`.
   */
  async create(principal: Principal, announced: AnnouncedDirectUpload): Promise<DirectUploadState> {
    const store = await this.opened(principal);
    const rules = announced.target === null ? null : this.links.rules(announced.target);
    const most = Math.min(this.config.files.maxSize, rules?.max_size ?? Infinity);
    if (announced.size > most) throw tooLarge(most);
    const upload = await this.states.add(ownerOf(principal), announced);
    try {
      const storeId = await store.begin(upload.objectId);
      await this.states.open(upload.id, storeId);
      return await this.told(store, { ...upload, storeId }, new Map());
    } catch (error) {
      await this.states.giveUp(upload).catch(() => undefined);
      throw error;
    }
  }

  /** Returns which parts are there, and addresses of those that are not. @throws AppError as {@link create}; `file_not_found`. */
  async state(principal: Principal, id: string): Promise<DirectUploadState> {
    const store = await this.opened(principal);
    const upload = await this.states.get(id, ownerOf(principal));
    const there = upload.answer === null ? await store.parts(upload.objectId, upload.storeId) : null;
    return this.told(store, upload, there);
  }

  /** Makes the file. @throws AppError as {@link create}; `file_not_found`; what {@link DirectFiles.finish} throws. */
  async complete(sender: Sender, id: string, given: readonly GivenPart[]): Promise<SentFile> {
    const store = await this.opened(sender.principal);
    const upload = await this.states.claim(id, ownerOf(sender.principal));
    return countedUpload(() => this.files.finish(store, upload, given, sender));
  }

  /** Ends an upload, and removes what is there of it. @throws AppError `file_not_found`. */
  async remove(principal: Principal, id: string): Promise<void> {
    await this.states.remove(id, ownerOf(principal));
  }

  private async opened(principal: Principal): Promise<S3DirectUploads> {
    await this.gate.assertOpen(principal, 'file', 'create');
    const store = this.storage instanceof ConfiguredFileStorage ? this.storage.direct : null;
    if (store === null) throw new AppError('upload_not_direct');
    return store;
  }

  /** @param there null for an upload that takes no more parts. */
  private async told(
    store: S3DirectUploads,
    upload: KnownDirectUpload,
    there: ReadonlyMap<number, StoredPart> | null,
  ): Promise<DirectUploadState> {
    const urlsExpire = new Date(this.clock.nowMs() + PART_URL_SECONDS * 1_000);
    const toldPart = async (part: AnnouncedPart): Promise<DirectPart> => {
      const { number, size } = part;
      const isSent = there === null || isThere(part, there);
      const { url = null, headers = {} } = isSent ? {} : await store.address(upload.objectId, upload.storeId, part);
      return { number, size, etag: isSent ? (there?.get(number)?.tag ?? null) : null, url, headers };
    };
    return {
      id: upload.id,
      parts: await Promise.all(partsOf(upload).map(toldPart)),
      expires_at: upload.expiresAt.toISOString(),
      urls_expire_at: urlsExpire.toISOString(),
      file: upload.answer,
    };
  }
}

function ownerOf(principal: Principal): string | null {
  return principal.kind === 'account' ? principal.userId : null;
}
