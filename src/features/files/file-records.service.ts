import { Injectable } from '@nestjs/common';
import type { AfterWriteEvent, BeforeWriteEvent } from '../../identity/records/record-event.types.js';
import { AfterWrite, BeforeWrite } from '../../identity/records/record-hooks.decorators.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { FileObjects } from './file-objects.service.js';
import { UploadLinks } from './uploads/upload-links.service.js';

const LIVE = `SELECT id, owner, size::int8 AS size FROM file_objects WHERE file_id = $1 AND state = 'live'`;
const FORGET_SENDER = 'UPDATE files SET uploaded_by = NULL WHERE uploaded_by = $1';
const FORGET_UPLOADS = 'DELETE FROM file_uploads WHERE owner = $1';
const FORGET_OWNER = 'UPDATE file_objects SET owner = NULL WHERE owner = $1';

@Injectable()
export class FileRecords {
  constructor(
    private readonly objects: FileObjects,
    private readonly links: UploadLinks,
  ) {}

  /** @throws AppError `record_not_found` for a file whose bytes were removed; `quota_exceeded`. */
  @BeforeWrite('file', { on: ['restore'] })
  async assertBytes({ id, manager }: BeforeWriteEvent): Promise<void> {
    const [object] = await manager.query<{ id: string; owner: string | null; size: string }[]>(LIVE, [id]);
    if (object === undefined) throw new AppError('record_not_found');
    await this.objects.assertRoom(manager, object, Number(object.size));
  }

  /**
   * Records that link the file link it again after a restoration.
   *
   * @throws AppError `quota_exceeded`.
   */
  @AfterWrite('file', { on: ['restore'] })
  async countAgain({ id, manager }: AfterWriteEvent): Promise<void> {
    await this.links.assertRoom(manager, id);
  }

  /** Files outlive the account that uploaded them. */
  @AfterWrite('user', { on: ['delete'] })
  async forgetSender({ id, manager }: AfterWriteEvent): Promise<void> {
    await manager.query(FORGET_SENDER, [id]);
    await manager.query(FORGET_UPLOADS, [id]);
    await manager.query(FORGET_OWNER, [id]);
  }
}
