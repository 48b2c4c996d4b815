import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RecordGate } from '../../../data/content/record-gate.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { Principal } from '../../../kernel/principal.types.js';
import { isUuid, newId } from '../../../kernel/keys/random.js';
import type { SentFile } from '../files.dto.js';
import type { LinkTarget } from './upload-links.service.js';
import { countedUpload, UploadSessions } from './upload-sessions.service.js';
import { type UploadRequest, uploadSource } from './upload-request.js';

const LOCK = 'SELECT name FROM files WHERE id = $1 AND deleted_at IS NULL FOR UPDATE';

/** Uploads in one request, with a raw body or a form. */
@Injectable()
export class Uploads {
  constructor(
    private readonly dataSource: DataSource,
    private readonly gate: RecordGate,
    private readonly sessions: UploadSessions,
  ) {}

  /** @throws AppError the errors of {@link uploadSource} and {@link UploadSessions}. */
  async create(request: UploadRequest, target: LinkTarget | null): Promise<SentFile> {
    const { principal, body, headers } = request;
    return countedUpload(async () => {
      await this.sessions.assertAllowed(principal);
      const source = await uploadSource(body, headers);
      const object = await this.sessions.reserve(newId(), principal, source, target);
      return this.sessions.finish({ object, source, target }, request);
    });
  }

  /**
   * Replaces the bytes of a file. The caller must be allowed to update both the old and the new state.
   *
   * @throws AppError the errors of {@link create}; `file_not_found` for a file that the caller cannot see.
   */
  async replace(request: UploadRequest, id: string): Promise<SentFile> {
    const { principal, body, headers } = request;
    const lock = (manager: EntityManager): Promise<string> => this.lock(manager, principal, id);
    return countedUpload(async () => {
      await this.gate.assertOpen(principal, 'file', 'update');
      if (!isUuid(id)) throw new AppError('file_not_found');
      await this.dataSource.transaction(lock);
      const source = await uploadSource(body, headers);
      const object = await this.sessions.reserve(id, principal, source, null);
      return this.sessions.replace({ object, source, target: null }, request, lock);
    });
  }

  private async lock(manager: EntityManager, principal: Principal, id: string): Promise<string> {
    const [row] = await manager.query<{ name: string }[]>(LOCK, [id]);
    const isOpen = row !== undefined && (await this.gate.isOpen(manager, principal, 'file', 'update', id));
    if (!isOpen) throw new AppError('file_not_found');
    return row.name;
  }
}
