import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../kernel/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { newId } from '../../kernel/random.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import type { CheckedFile } from './uploads/checked-bytes.js';
import { FileScanner } from './scanning/file-scanner.port.js';
import { SCAN_FILE } from './scanning/file-scans.service.js';
import { FileStorage } from './storage/file-storage.port.js';
import { ObjectBytes } from './storage/object-bytes.service.js';

/** An object that is being sent. */
export interface PendingObject {
  readonly id: string;
  readonly fileId: string;
  /** Account whose quota it counts for. */
  readonly owner: string | null;
}

/** For how long a file may be on its way. */
export const PENDING_MS = 24 * 3_600_000;

const BEGIN = `INSERT INTO file_objects (id, file_id, owner, disk, state, size, created_at, due_at)
  VALUES ($1, $2, $3, $4, 'pending', $5, $6, $7)`;
/** A replacement takes the place of what is live before, in the transaction that has locked the file. */
const REPLACE = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE file_id = $1 AND state = 'live' RETURNING unlinked_at`;
/** Statement that ends what was made of the bytes before. */
const END_VARIANTS = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE file_id = $1 AND state = 'variant'`;
const MAKE_LIVE = `UPDATE file_objects SET state = 'live', size = $2, sha256 = $3, type = $4, recognised = $5, due_at = NULL,
    held = $6, unlinked_at = $7 WHERE id = $1 AND state = 'pending' RETURNING id, disk`;
/** One statement: the object and its file are there from one moment on. */
const MAKE_FILE = `WITH live AS (${MAKE_LIVE})
  INSERT INTO files (id, name, disk, path, type, size, sha256, uploaded_by, width, height, created_at, updated_at)
  SELECT $9, $10, disk, id::text, $4, $2, $3, $11, $12, $13, $8, $8 FROM live RETURNING id`;
const CHANGE_FILE = `UPDATE files SET disk = $2, path = $3, type = $4, size = $5, sha256 = $6, width = $8, height = $9,
    updated_at = $7 WHERE id = $1`;
const DOOM = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE id = $1 AND state = 'pending'`;
const FORGET = `DELETE FROM file_objects WHERE id = $1 AND state = 'doomed'`;

/** Of several roles that say a quota the largest holds, of which no bound is one; where none says any, that of the service. */
const BOUND = `SELECT CASE WHEN min(r.file_quota) = 0 THEN '0' ELSE coalesce(max(r.file_quota), $2::bigint)::text END AS quota
  FROM user_roles u JOIN roles r ON r.id = u.role_id WHERE u.user_id = $1`;
/** Two uploads of one account wait for each other here: both would find room for one. */
const TAKE_TURN = `SELECT pg_advisory_xact_lock(hashtextextended('files:' || $1, 0))`;
const USED = `SELECT coalesce(sum(o.size), 0)::text AS used FROM file_objects o WHERE o.owner = $1 AND o.id <> $2
  AND (o.state = 'pending' OR o.state = 'live'
    AND NOT EXISTS (SELECT 1 FROM files f WHERE f.id = o.file_id AND f.deleted_at IS NOT NULL))`;

/** Keeps what is known of the objects in the storage: written before they are, and removed after. */
@Injectable()
export class FileObjects {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly bytes: ObjectBytes,
    private readonly scanner: FileScanner,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * Notes an object before its first byte, and keeps room for it as far as its size is announced.
   *
   * @throws AppError `quota_exceeded`.
   */
  async begin(fileId: string, owner: string | null, announced: number | null): Promise<PendingObject> {
    return this.dataSource.transaction((manager) => this.beginIn(manager, fileId, owner, announced ?? 0));
  }

  /** Does what {@link begin} does, in a transaction. */
  async beginIn(manager: EntityManager, fileId: string, owner: string | null, size: number): Promise<PendingObject> {
    const object = { id: newId(), fileId, owner };
    const now = this.clock.now();
    await this.assertRoom(manager, object, size);
    const due = new Date(now.getTime() + PENDING_MS);
    await manager.query(BEGIN, [object.id, fileId, owner, this.storage.disk(), size, now, due]);
    return object;
  }

  /** Gives up an object that is not live, in a transaction: the sweeper removes it. */
  async giveUp(manager: EntityManager, id: string): Promise<void> {
    await manager.query(DOOM, [id, this.clock.now()]);
  }

  /**
   * Makes an object live, and its file with it, which no record links yet.
   *
   * @throws AppError `quota_exceeded`; `upload_expired` if it was given up meanwhile.
   */
  async makeFile(manager: EntityManager, object: PendingObject, name: string, file: CheckedFile): Promise<void> {
    await this.assertRoom(manager, object, file.size);
    const now = this.clock.now();
    const made = [now, now, object.fileId, name, object.owner];
    const values = [...(await this.liveValues(manager, object, file)), ...made, ...sidesOf(file)];
    if ((await manager.query<unknown[]>(MAKE_FILE, values)).length === 0) throw new AppError('upload_expired');
  }

  /** Makes an object live in place of the one that a locked file has, which is kept for a while. Throws what {@link makeFile} throws. */
  async replace(manager: EntityManager, object: PendingObject, file: CheckedFile): Promise<void> {
    await this.assertRoom(manager, object, file.size);
    const now = this.clock.now();
    const due = new Date(now.getTime() + this.config.files.graceMs);
    const [[before]] = await manager.query<[{ unlinked_at: Date | null }[]]>(REPLACE, [object.fileId, due]);
    await manager.query(END_VARIANTS, [object.fileId, now]);
    const values = [...(await this.liveValues(manager, object, file)), before?.unlinked_at ?? null];
    const [[live]] = await manager.query<[{ id: string; disk: string }[]]>(MAKE_LIVE, values);
    if (live === undefined) throw new AppError('upload_expired');
    const { type, size, sha256 } = file;
    const changed = [object.fileId, live.disk, live.id, type, size, sha256, now];
    await manager.query(CHANGE_FILE, [...changed, ...sidesOf(file)]);
  }

  /** Removes an object that was not made live, and then what is known of it. */
  async discard({ id }: Pick<PendingObject, 'id'>): Promise<void> {
    await this.dataSource.query(DOOM, [id, this.clock.now()]);
    await this.remove(id);
  }

  /** Removes a doomed object from the storage, and then what is known of it. */
  async remove(id: string): Promise<void> {
    await this.storage.remove(id);
    this.bytes.forget(id);
    await this.dataSource.query(FORGET, [id]);
  }

  /**
   * Holds that an account has room for an object, until the end of the transaction: by its roles, or by `FILES_QUOTA`.
   *
   * @param size in bytes, of that object, which does not count as it stands.
   * @throws AppError `quota_exceeded`.
   */
  async assertRoom(
    manager: EntityManager,
    { id, owner }: Pick<PendingObject, 'id' | 'owner'>,
    size: number,
  ): Promise<void> {
    if (owner === null) return;
    const [{ quota }] = await manager.query<[{ quota: string }]>(BOUND, [owner, this.config.files.quota]);
    if (quota === '0') return;
    await manager.query(TAKE_TURN, [owner]);
    const [{ used }] = await manager.query<[{ used: string }]>(USED, [owner, id]);
    if (BigInt(used) + BigInt(size) > BigInt(quota))
      throw new AppError('quota_exceeded', { details: { quota: Number(quota) } });
  }

  /**
   * Returns the values of a row whose object is there. What is to be looked at before it is read is held from the moment on at which
   * it is there.
   */
  private async liveValues(
    manager: EntityManager,
    { id }: PendingObject,
    { size, sha256, type, recognised }: CheckedFile,
  ): Promise<readonly unknown[]> {
    const isHeld = this.scanner.isActive();
    if (isHeld) await this.jobs.enqueue(manager, SCAN_FILE, { object: id }, { uniqueKey: id });
    return [id, size, sha256, type, recognised, isHeld];
  }
}

function sidesOf({ dimensions }: CheckedFile): readonly (number | null)[] {
  return [dimensions?.width ?? null, dimensions?.height ?? null];
}
