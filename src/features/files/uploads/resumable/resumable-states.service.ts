import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../../../kernel/app-error.js';
import { Clock } from '../../../../kernel/clock.port.js';
import { isUuid, newId } from '../../../../kernel/random.js';
import { type PendingObject, PENDING_MS } from '../../file-objects.service.js';
import type { AnnouncedUpload } from './tus-headers.js';

/** Progress of an upload. */
export interface UploadState {
  readonly position: number;
  readonly size: number;
  /** Null for one that is done. */
  readonly expiresAt: Date | null;
}

/** An upload that is on its way. */
export interface KnownUpload extends Omit<AnnouncedUpload, 'size'>, UploadState {
  readonly id: string;
  readonly objectId: string;
  readonly owner: string | null;
  readonly claim: string | null;
}

interface UploadRow extends Omit<KnownUpload, 'position' | 'size'> {
  readonly position: string;
  readonly size: string;
}

const COLUMNS = `id, object_id AS "objectId", owner, name, declared, size::text, position::text, claim, sha256, target,
  expires_at AS "expiresAt"`;
const ADD = `INSERT INTO file_uploads (id, object_id, owner, name, declared, size, position, sha256, target, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9) RETURNING ${COLUMNS}`;
const FIND = `SELECT ${COLUMNS} FROM file_uploads WHERE id = $1 AND owner IS NOT DISTINCT FROM $2 AND expires_at > $3`;
const CLAIM = `UPDATE file_uploads SET claim = $4 WHERE id = $1 AND owner IS NOT DISTINCT FROM $2 AND expires_at > $3 AND position = $5
  RETURNING ${COLUMNS}`;
const MOVE = `WITH moved AS (UPDATE file_uploads SET position = position + $4 WHERE id = $1 AND claim = $2 AND position = $3
    RETURNING id, position)
  , part AS (INSERT INTO file_upload_parts (upload_id, position, object_id) SELECT id, $3, $5 FROM moved)
  SELECT position::text FROM moved`;
const FINISHED = `SELECT o.size::text FROM files f JOIN file_objects o ON o.file_id = f.id AND o.state = 'live'
  WHERE f.id = $1 AND f.uploaded_by IS NOT DISTINCT FROM $2 AND f.deleted_at IS NULL`;
const PARTS = 'SELECT object_id AS id FROM file_upload_parts WHERE upload_id = $1 ORDER BY position';
const LOCK = 'SELECT object_id AS "objectId" FROM file_uploads WHERE id = $1 FOR UPDATE';
const RESERVE = 'UPDATE file_uploads SET object_id = $2 WHERE id = $1';
const DOOM = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE state = 'pending'
  AND id IN (SELECT object_id FROM file_upload_parts WHERE upload_id = $1 UNION SELECT object_id FROM file_uploads WHERE id = $1)`;
const REMOVE = 'DELETE FROM file_uploads WHERE id = $1';

/** Keeps what is known of uploads that come in several requests. */
@Injectable()
export class ResumableStates {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Notes an upload for which an object keeps room. */
  async add({ id: objectId, fileId, owner }: PendingObject, announced: AnnouncedUpload): Promise<KnownUpload> {
    const { name, declared, size, sha256, target } = announced;
    const expires = new Date(this.clock.nowMs() + PENDING_MS);
    const place = target === null ? null : JSON.stringify(target);
    const values = [fileId, objectId, owner, name, declared, size, sha256, place, expires];
    return this.one(await this.dataSource.query<UploadRow[]>(ADD, values));
  }

  /** Returns an upload of an account, or of a guest; null if there is none. */
  async find(id: string, owner: string | null): Promise<KnownUpload | null> {
    if (!isUuid(id)) return null;
    const rows = await this.dataSource.query<UploadRow[]>(FIND, [id, owner, this.clock.now()]);
    return rows.length === 0 ? null : this.one(rows);
  }

  /** Returns how far an upload is that became a file. @throws AppError `file_not_found`. */
  async finished(id: string, owner: string | null): Promise<UploadState> {
    const rows = isUuid(id) ? await this.dataSource.query<{ size: string }[]>(FINISHED, [id, owner]) : [];
    const [row] = rows;
    if (row === undefined) throw new AppError('file_not_found');
    return { position: Number(row.size), size: Number(row.size), expiresAt: null };
  }

  /** Takes an upload over, to go on at a place. @throws AppError `file_not_found`, `upload_offset`. */
  async claim(id: string, owner: string | null, position: number): Promise<KnownUpload> {
    if (!isUuid(id)) throw new AppError('file_not_found');
    const values = [id, owner, this.clock.now(), newId(), position];
    const [rows] = await this.dataSource.query<[UploadRow[]]>(CLAIM, values);
    if (rows.length > 0) return this.one(rows);
    if ((await this.find(id, owner)) === null) await this.finished(id, owner);
    throw new AppError('upload_offset');
  }

  /** Notes a segment that is there, and returns where the next one begins. @throws AppError `upload_offset` if another took it over. */
  async move({ id, claim, position }: KnownUpload, size: number, objectId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ position: string }[]>(MOVE, [id, claim, position, size, objectId]);
    if (row === undefined) throw new AppError('upload_offset');
    return Number(row.position);
  }

  /** Returns the objects of the segments, in their order. */
  async parts(id: string): Promise<readonly string[]> {
    return (await this.dataSource.query<{ id: string }[]>(PARTS, [id])).map(({ id: part }) => part);
  }

  /** Locks an upload until the end of the transaction. @throws AppError `file_not_found` if it is over. */
  async lock(manager: EntityManager, id: string): Promise<void> {
    if ((await manager.query<unknown[]>(LOCK, [id])).length === 0) throw new AppError('file_not_found');
  }

  /** Has another object keep room for an upload. */
  async reserve(manager: EntityManager, id: string, objectId: string): Promise<void> {
    await manager.query(RESERVE, [id, objectId]);
  }

  /** Ends an upload: what is there of it, and is not the file, is removed. */
  async end(manager: EntityManager, id: string): Promise<void> {
    await manager.query(DOOM, [id, this.clock.now()]);
    await manager.query(REMOVE, [id]);
  }

  /** Ends an upload at the word of who sends it. @throws AppError `file_not_found`. */
  async remove(id: string, owner: string | null): Promise<void> {
    if ((await this.find(id, owner)) === null) throw new AppError('file_not_found');
    await this.dataSource.transaction((manager) => this.end(manager, id));
  }

  private one([row]: readonly UploadRow[]): KnownUpload {
    if (row === undefined) throw new TypeError('There is no such upload.');
    return { ...row, size: Number(row.size), position: Number(row.position) };
  }
}
