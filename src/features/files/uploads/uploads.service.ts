import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { RecordGate } from '../../../data/content/record-gate.service.js';
import { AppError } from '../../../kernel/app-error.js';
import type { Principal } from '../../../kernel/principal.types.js';
import type { FileFieldDefinition } from '../../../kernel/schema-definition.types.js';
import { isUuid, newId } from '../../../kernel/random.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { CheckedBytes, type CheckedFile } from './checked-bytes.js';
import { FileMaking, type Sender } from '../file-making.service.js';
import { FileObjects, type PendingObject } from '../file-objects.service.js';
import { FileStorage } from '../storage/file-storage.port.js';
import { type SentFile, sentFile } from '../files.dto.js';
import { type LinkTarget, UploadLinks } from './upload-links.service.js';
import { countedUpload } from './upload-outcomes.js';
import { uploadSource } from './upload-source.js';

/** A request that brings a file. */
export interface UploadRequest extends Sender {
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** The file that an upload becomes. */
interface TakenFile {
  readonly id: string;
  readonly rules: FileFieldDefinition | null;
}

const LOCK = 'SELECT name FROM files WHERE id = $1 AND deleted_at IS NULL FOR UPDATE';

/**
 * Takes files in. What is about to be in the storage is noted first; then the bytes go by, checked; then one transaction makes file,
 * object and link be there together. Whatever fails, and wherever the process dies, nothing is in the storage that has no row.
 */
@Injectable()
export class Uploads {
  private readonly logger = new Logger('Files');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly gate: RecordGate,
    private readonly links: UploadLinks,
    private readonly objects: FileObjects,
    private readonly storage: FileStorage,
    private readonly making: FileMaking,
  ) {}

  /**
   * Takes a new file in and, if the request names a record, links it there.
   *
   * @throws AppError what {@link CheckedBytes} and {@link FileObjects} throw; `permission_denied` for a file that no permission lets be
   *   made; what a change of the record throws.
   */
  async create(request: UploadRequest, target: LinkTarget | null): Promise<SentFile> {
    const { principal } = request;
    return countedUpload(async () => {
      await this.gate.assertOpen(principal, 'file', 'create');
      const rules = target === null ? null : this.links.rules(target);
      return this.take(request, { id: newId(), rules }, async (manager, object, file, name) => {
        await this.making.make(manager, request, { object, file, name }, target);
        return name;
      });
    });
  }

  /**
   * Puts other bytes in the place of those of a file, for who may update it as it was and as it will be. Throws what {@link create} throws.
   *
   * @throws AppError `file_not_found` for one that may not be seen.
   */
  async replace(request: UploadRequest, id: string): Promise<SentFile> {
    const { principal } = request;
    return countedUpload(async () => {
      await this.gate.assertOpen(principal, 'file', 'update');
      if (!isUuid(id)) throw new AppError('file_not_found');
      await this.dataSource.transaction((manager) => this.lock(manager, principal, id));
      return this.take(request, { id, rules: null }, async (manager, object, file) => {
        const name = await this.lock(manager, principal, id);
        await this.making.replace(manager, request, { object, file, name });
        return name;
      });
    });
  }

  /** Takes the bytes of a request in, and makes what they are a part of by `finish`, which returns the name of the file. */
  private async take(
    { principal, body, headers }: UploadRequest,
    { id: fileId, rules }: TakenFile,
    finish: (manager: EntityManager, object: PendingObject, file: CheckedFile, name: string) => Promise<string>,
  ): Promise<SentFile> {
    const source = await uploadSource(body, headers);
    const checked = new CheckedBytes(source, this.config.files.maxSize, rules);
    const owner = principal.kind === 'account' ? principal.userId : null;
    const object = await this.objects.begin(fileId, owner, source.length);
    try {
      await this.storage.write(object.id, checked.pass());
      const file = checked.result;
      const name = await this.dataSource.transaction((manager) => finish(manager, object, file, source.name));
      return sentFile(this.config.appUrl, fileId, name, file);
    } catch (error) {
      await this.discard(object);
      throw error;
    }
  }

  /** Discards an upload; what is left over is removed later by the sweeper. */
  private async discard(object: PendingObject): Promise<void> {
    try {
      await this.objects.discard(object);
    } catch (err) {
      this.logger.warn({ err, object: object.id, msg: 'What was sent could not be removed yet.' });
    }
  }

  private async lock(manager: EntityManager, principal: Principal, id: string): Promise<string> {
    const [row] = await manager.query<{ name: string }[]>(LOCK, [id]);
    const isOpen = row !== undefined && (await this.gate.isOpen(manager, principal, 'file', 'update', id));
    if (!isOpen) throw new AppError('file_not_found');
    return row.name;
  }
}
