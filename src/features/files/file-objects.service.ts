import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { newId } from '../../kernel/keys/random.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { FileStorage } from './storage/file-storage.port.js';
import { ObjectBytes } from './storage/object-bytes.service.js';

export interface PendingObject {
  readonly id: string;
  readonly fileId: string;
  readonly owner: string | null;
}

export const PENDING_MS = 24 * 3_600_000;

const BEGIN = `INSERT INTO file_objects (id, file_id, owner, disk, state, size, created_at, due_at)
  VALUES ($1, $2, $3, $4, 'pending', $5, $6, $7)`;
const DOOM = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE id = $1 AND state = 'pending'`;
const FORGET = `DELETE FROM file_objects WHERE id = $1 AND state = 'doomed'`;

/** The largest quota of the account's roles applies; 0 means no limit. Without such roles, the default quota applies. */
const QUOTA = `SELECT CASE WHEN min(r.file_quota) = 0 THEN '0' ELSE coalesce(max(r.file_quota), $2::bigint)::text END AS quota
  FROM user_roles u JOIN roles r ON r.id = u.role_id WHERE u.user_id = $1`;
/** Serialises concurrent uploads of one account. Otherwise each would see the same free space. */
const TAKE_TURN = `SELECT pg_advisory_xact_lock(hashtextextended('files:' || $1, 0))`;
const USED = `SELECT coalesce(sum(o.size), 0)::text AS used FROM file_objects o WHERE o.owner = $1 AND o.id <> $2
  AND (o.state = 'pending' OR o.state = 'live'
    AND NOT EXISTS (SELECT 1 FROM files f WHERE f.id = o.file_id AND f.deleted_at IS NOT NULL))`;

/** The rows of stored objects, and the quotas of accounts. A row is written before its object and deleted after it. */
@Injectable()
export class FileObjects {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly bytes: ObjectBytes,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `quota_exceeded`. */
  async begin(fileId: string, owner: string | null, announced: number | null): Promise<PendingObject> {
    return this.dataSource.transaction((manager) => this.beginIn(manager, fileId, owner, announced ?? 0));
  }

  async beginIn(manager: EntityManager, fileId: string, owner: string | null, size: number): Promise<PendingObject> {
    const object = { id: newId(), fileId, owner };
    const now = this.clock.now();
    await this.assertRoom(manager, object, size);
    const due = new Date(now.getTime() + PENDING_MS);
    await manager.query(BEGIN, [object.id, fileId, owner, this.storage.disk(), size, now, due]);
    return object;
  }

  /** Dooms a pending object in the caller's transaction. The sweeper removes it. */
  async giveUp(manager: EntityManager, id: string): Promise<void> {
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
  async assertRoom(
    manager: EntityManager,
    { id, owner }: Pick<PendingObject, 'id' | 'owner'>,
    size: number,
  ): Promise<void> {
    if (owner === null) return;
    const [{ quota }] = await manager.query<[{ quota: string }]>(QUOTA, [owner, this.config.files.quota]);
    if (quota === '0') return;
    await manager.query(TAKE_TURN, [owner]);
    const [{ used }] = await manager.query<[{ used: string }]>(USED, [owner, id]);
    if (BigInt(used) + BigInt(size) > BigInt(quota))
      throw new AppError('quota_exceeded', { details: { quota: Number(quota) } });
  }
}
