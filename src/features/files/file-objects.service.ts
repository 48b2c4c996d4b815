import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AfterWriteEvent, BeforeWriteEvent } from '../../identity/records/record-event.types.js';
import { AfterWrite, BeforeWrite } from '../../identity/records/record-hooks.decorators.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { newId } from '../../kernel/keys/random.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { FileStorage } from './storage/file-storage.port.js';
import { ObjectBytes } from './storage/object-bytes.service.js';
import { UploadLinks } from './uploads/upload-links.service.js';

export interface PendingObject {
  readonly id: string;
  readonly fileId: string;
  readonly owner: string | null;
}

export interface ReadableFile {
  readonly id: string;
  readonly objectId: string;
  readonly name: string;
  readonly type: string;
  /** Type by its signature; null if there is none. */
  readonly recognised: string | null;
  readonly size: number;
  readonly sha256: string;
}

/** Logs that the storage lacks the bytes of a file. */
export function logMissing({ id, objectId }: ReadableFile): void {
  const msg = 'The content of a file is missing. `files:check` lists all such files.';
  new Logger('Files').error({ file: id, object: objectId, msg });
}

export const PENDING_MS = 24 * 3_600_000;

const INSERT_PENDING = `INSERT INTO file_objects (id, file_id, owner, disk, state, size, created_at, due_at)
  VALUES ($1, $2, $3, $4, 'pending', $5, $6, $7)`;
const DOOM = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE id = $1 AND state = 'pending'`;
const FORGET = `DELETE FROM file_objects WHERE id = $1 AND state = 'doomed'`;

/** The largest quota of the account's roles applies; 0 means no limit. Without such roles, the default quota applies. */
const QUOTA = `SELECT CASE WHEN min(r.file_quota) = 0 THEN '0' ELSE coalesce(max(r.file_quota), $2::bigint)::text END AS quota
  FROM user_roles u JOIN roles r ON r.id = u.role_id WHERE u.user_id = $1`;
/** Serialises concurrent uploads of one account. Otherwise each would see the same free space. */
const LOCK_ACCOUNT = `SELECT pg_advisory_xact_lock(hashtextextended('files:' || $1, 0))`;
const USED = `SELECT coalesce(sum(o.size), 0)::text AS used FROM file_objects o WHERE o.owner = $1 AND o.id <> $2
  AND (o.state = 'pending' OR o.state = 'live'
    AND NOT EXISTS (SELECT 1 FROM files f WHERE f.id = o.file_id AND f.deleted_at IS NOT NULL))`;

const LIVE = `SELECT id, owner, size::int8 AS size FROM file_objects WHERE file_id = $1 AND state = 'live'`;
const FORGET_SENDER = 'UPDATE files SET uploaded_by = NULL WHERE uploaded_by = $1';
const FORGET_UPLOADS = 'DELETE FROM file_uploads WHERE owner = $1';
const FORGET_OWNER = 'UPDATE file_objects SET owner = NULL WHERE owner = $1';

/** The rows of stored objects, and the quotas of accounts. A row is written before its object and deleted after it. */
@Injectable()
export class FileObjects {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly bytes: ObjectBytes,
    private readonly links: UploadLinks,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `quota_exceeded`. */
  async start(fileId: string, owner: string | null, announced: number | null): Promise<PendingObject> {
    return this.dataSource.transaction((manager) => this.startIn(manager, fileId, owner, announced ?? 0));
  }

  async startIn(manager: EntityManager, fileId: string, owner: string | null, size: number): Promise<PendingObject> {
    const object = { id: newId(), fileId, owner };
    const now = this.clock.now();
    await this.assertQuota(manager, object, size);
    const due = new Date(now.getTime() + PENDING_MS);
    await manager.query(INSERT_PENDING, [object.id, fileId, owner, this.storage.disk(), size, now, due]);
    return object;
  }

  /** Dooms a pending object in the caller's transaction. The sweeper removes it. */
  async abandon(manager: EntityManager, id: string): Promise<void> {
    await manager.query(DOOM, [id, this.clock.now()]);
  }

  async discard({ id }: Pick<PendingObject, 'id'>): Promise<void> {
    await this.dataSource.query(DOOM, [id, this.clock.now()]);
    await this.remove(id);
  }

  /** Removes a doomed object from the storage, then its row. */
  async remove(id: string): Promise<void> {
    await this.storage.remove(id);
    this.bytes.forget(id);
    await this.dataSource.query(FORGET, [id]);
  }

  /**
   * Asserts that an account has room for an object. The lock is kept until the end of the transaction.
   *
   * @param size in bytes of that object, whose row does not count.
   * @throws AppError `quota_exceeded`.
   */
  async assertQuota(
    manager: EntityManager,
    { id, owner }: Pick<PendingObject, 'id' | 'owner'>,
    size: number,
  ): Promise<void> {
    if (owner === null) return;
    const [{ quota }] = await manager.query<[{ quota: string }]>(QUOTA, [owner, this.config.files.quota]);
    if (quota === '0') return;
    await manager.query(LOCK_ACCOUNT, [owner]);
    const [{ used }] = await manager.query<[{ used: string }]>(USED, [owner, id]);
    if (BigInt(used) + BigInt(size) > BigInt(quota))
      throw new AppError('quota_exceeded', { details: { quota: Number(quota) } });
  }
  /** @throws AppError `record_not_found` for a file whose bytes were removed; `quota_exceeded`. */
  @BeforeWrite('file', { on: ['restore'] })
  async assertBytes({ id, manager }: BeforeWriteEvent): Promise<void> {
    const [object] = await manager.query<{ id: string; owner: string | null; size: string }[]>(LIVE, [id]);
    if (object === undefined) throw new AppError('record_not_found');
    await this.assertQuota(manager, object, Number(object.size));
  }

  /**
   * Records that link the file link it again after a restoration.
   *
   * @throws AppError `quota_exceeded`.
   */
  @AfterWrite('file', { on: ['restore'] })
  async countAgain({ id, manager }: AfterWriteEvent): Promise<void> {
    await this.links.assertQuota(manager, id);
  }

  /** Files outlive the account that uploaded them. */
  @AfterWrite('user', { on: ['delete'] })
  async removeUploader({ id, manager }: AfterWriteEvent): Promise<void> {
    await manager.query(FORGET_SENDER, [id]);
    await manager.query(FORGET_UPLOADS, [id]);
    await manager.query(FORGET_OWNER, [id]);
  }
}
