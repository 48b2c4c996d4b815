import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { isUuid, newId } from '../../../kernel/keys/random.js';
import { FileObjects, type PendingObject, PENDING_MS } from '../file-objects.service.js';
import type { SentFile } from '../files.dto.js';
import type { AnnouncedPart } from '../storage/s3/s3-multipart.js';
import type { AnnouncedFile } from './checked-bytes.js';
import type { LinkTarget } from './upload-links.service.js';

export interface AnnouncedUpload extends AnnouncedFile {
  readonly size: number;
  readonly target: LinkTarget | null;
  /** Parts that the client sends to the bucket; empty if the server receives the bytes. */
  readonly parts: readonly AnnouncedPart[];
}

export interface StoredUpload extends AnnouncedUpload {
  readonly id: string;
  readonly objectId: string;
  readonly owner: string | null;
  readonly storeId: string;
  readonly position: number;
  readonly claim: string | null;
  /** Response that was sent when a direct upload became a file. */
  readonly answer: SentFile | null;
  readonly expiresAt: Date;
}

/** Identifies an upload for the caller. An upload of another account or of the other protocol is not found. */
export interface UploadKey {
  readonly id: string;
  readonly owner: string | null;
  readonly isDirect: boolean;
}

interface UploadRow extends Omit<StoredUpload, 'size' | 'position' | 'storeId'> {
  readonly size: string;
  readonly position: string;
  readonly storeId: string | null;
}

const COLUMNS = `id, object_id AS "objectId", owner, name, declared, size::text, sha256, target, position::text, parts,
  store_id AS "storeId", claim, answer, expires_at AS "expiresAt"`;
const ADD = `INSERT INTO file_uploads (id, object_id, owner, name, declared, size, sha256, target, position, parts, store_id, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $10, $11) RETURNING ${COLUMNS}`;
const OWN = 'id = $1 AND owner IS NOT DISTINCT FROM $2 AND (store_id IS NOT NULL) = $3 AND expires_at > $4';
const FIND = `SELECT ${COLUMNS} FROM file_uploads WHERE ${OWN}`;
const CLAIM = `UPDATE file_uploads SET claim = $5, claimed_until = $6
  WHERE ${OWN} AND position = $7 AND (claimed_until IS NULL OR claimed_until <= $4) RETURNING ${COLUMNS}`;
const CLAIMED = 'id = $1 AND claim IS NOT DISTINCT FROM $2 AND answer IS NULL';
const RENEW = `UPDATE file_uploads SET claimed_until = $3 WHERE ${CLAIMED}`;
const RELEASE = `UPDATE file_uploads SET claim = NULL, claimed_until = NULL WHERE ${CLAIMED}`;
const MOVE = `WITH moved AS (UPDATE file_uploads SET position = position + $4 WHERE id = $1 AND claim = $2 AND position = $3 RETURNING position),
    segment AS (UPDATE file_objects SET position = $3 FROM moved WHERE id = $5)
  SELECT position::text FROM moved`;
const SEGMENTS = `SELECT id FROM file_objects WHERE file_id = $1 AND state = 'pending' AND position IS NOT NULL ORDER BY position`;
const LOCK = 'SELECT id FROM file_uploads WHERE id = $1 FOR UPDATE';
const RESERVE = 'UPDATE file_uploads SET object_id = $2 WHERE id = $1';
const ANSWER = `UPDATE file_uploads SET answer = $3, position = size, claimed_until = NULL WHERE ${CLAIMED} RETURNING id`;
/** Deletes an upload and dooms its received segments. The reserved object is also doomed, unless it becomes the file. */
const end = (where: string, now: string, isAbandoned: boolean): string => `WITH ended AS (
    DELETE FROM file_uploads WHERE ${where} AND answer IS NULL RETURNING id, object_id, store_id IS NOT NULL AS direct),
    doomed AS (UPDATE file_objects o SET state = 'doomed', due_at = ${now} FROM ended e WHERE o.file_id = e.id AND o.state = 'pending'
      AND (o.position IS NOT NULL${isAbandoned ? ' OR o.id = e.object_id' : ''}))
  SELECT object_id AS "objectId", direct FROM ended`;
const CLOSE = end('id = $1', '$2', false);
const GIVE_UP = end('id = $1 AND claim IS NOT DISTINCT FROM $2', '$3', true);
const REMOVE = end(OWN, '$4', true);
const FINISHED = `SELECT o.size::text FROM files f JOIN file_objects o ON o.file_id = f.id AND o.state = 'live'
  WHERE f.id = $1 AND f.uploaded_by IS NOT DISTINCT FROM $2 AND f.deleted_at IS NULL`;

/** Stores the state of uploads that take several requests, so that any instance can continue them. */
@Injectable()
export class UploadStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly objects: FileObjects,
    private readonly clock: Clock,
  ) {}

  async add(object: PendingObject, announced: AnnouncedUpload, storeId: string | null): Promise<StoredUpload> {
    const { name, declared, size, sha256, target, parts } = announced;
    const expires = new Date(this.clock.nowMs() + PENDING_MS);
    const targetJson = target === null ? null : JSON.stringify(target);
    const values = [object.fileId, object.id, object.owner, name, declared, size, sha256, targetJson];
    const rows = await this.dataSource.query<UploadRow[]>(ADD, [...values, JSON.stringify(parts), storeId, expires]);
    return get(rows);
  }

  async find({ id, owner, isDirect }: UploadKey): Promise<StoredUpload | null> {
    if (!isUuid(id)) return null;
    const rows = await this.dataSource.query<UploadRow[]>(FIND, [id, owner, isDirect, this.clock.now()]);
    return rows.length === 0 ? null : get(rows);
  }

  /** @throws AppError `file_not_found`. */
  async get(key: UploadKey): Promise<StoredUpload> {
    const upload = await this.find(key);
    if (upload === null) throw new AppError('file_not_found');
    return upload;
  }

  /**
   * Claims an upload for a request that continues at a position. Returns null if the upload is missing, at another position or claimed.
   *
   * @param leaseMs time in which no other request can claim it; null if the next one may take it over.
   */
  async claim(
    { id, owner, isDirect }: UploadKey,
    position: number,
    leaseMs: number | null,
  ): Promise<StoredUpload | null> {
    if (!isUuid(id)) return null;
    const values = [id, owner, isDirect, this.clock.now(), newId(), leaseMs && this.after(leaseMs), position];
    const [rows] = await this.dataSource.query<[UploadRow[]]>(CLAIM, values);
    return rows.length === 0 ? null : get(rows);
  }

  async renew({ id, claim }: StoredUpload, leaseMs: number): Promise<void> {
    await this.dataSource.query(RENEW, [id, claim, this.after(leaseMs)]);
  }

  async release({ id, claim }: StoredUpload): Promise<void> {
    await this.dataSource.query(RELEASE, [id, claim]);
  }

  /** Adds a segment. Returns the position after it. @throws AppError `upload_offset` if another request took the upload over. */
  async move({ id, claim, position }: StoredUpload, size: number, objectId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ position: string }[]>(MOVE, [id, claim, position, size, objectId]);
    if (row === undefined) throw new AppError('upload_offset');
    return Number(row.position);
  }

  /** Returns the object ids of the segments, in order. */
  async segments(id: string): Promise<readonly string[]> {
    return (await this.dataSource.query<{ id: string }[]>(SEGMENTS, [id])).map(({ id: segment }) => segment);
  }

  /** Replaces the reserved object, because an earlier attempt may have crashed while writing it. @throws AppError `file_not_found`. */
  async reserve({ id, objectId, owner, size }: StoredUpload): Promise<PendingObject> {
    return this.dataSource.transaction(async (manager) => {
      if ((await manager.query<unknown[]>(LOCK, [id])).length === 0) throw new AppError('file_not_found');
      await this.objects.abandon(manager, objectId);
      const object = await this.objects.startIn(manager, id, owner, size);
      await manager.query(RESERVE, [id, object.id]);
      return object;
    });
  }

  /** Deletes an upload whose file is published in this transaction. @throws AppError `file_not_found` if another request was faster. */
  async close(manager: EntityManager, { id }: StoredUpload): Promise<void> {
    if ((await manager.query<unknown[]>(CLOSE, [id, this.clock.now()])).length === 0)
      throw new AppError('file_not_found');
  }

  /** @throws AppError `upload_offset` if the claim is lost. */
  async answer(manager: EntityManager, { id, claim }: StoredUpload, answer: SentFile): Promise<void> {
    const [rows] = await manager.query<[unknown[]]>(ANSWER, [id, claim, JSON.stringify(answer)]);
    if (rows.length === 0) throw new AppError('upload_offset');
  }

  /** Abandons an upload that can never become a file, if the claim is still valid. */
  async abandon({ id, claim }: StoredUpload): Promise<void> {
    await this.end(GIVE_UP, [id, claim, this.clock.now()]);
  }

  /** Abandons an upload on request of its sender. @throws AppError `file_not_found`. */
  async remove({ id, owner, isDirect }: UploadKey): Promise<void> {
    const isRemoved = isUuid(id) && (await this.end(REMOVE, [id, owner, isDirect, this.clock.now()]));
    if (!isRemoved) throw new AppError('file_not_found');
  }

  /** Returns the size of a file that was uploaded with tus. @throws AppError `file_not_found`. */
  async finishedSize({ id, owner }: UploadKey): Promise<number> {
    const rows = isUuid(id) ? await this.dataSource.query<{ size: string }[]>(FINISHED, [id, owner]) : [];
    if (rows[0] === undefined) throw new AppError('file_not_found');
    return Number(rows[0].size);
  }

  /** The parts of a direct upload are removed immediately, or by the sweeper if the bucket is unavailable. */
  private async end(statement: string, values: readonly unknown[]): Promise<boolean> {
    const [removed] = await this.dataSource.query<{ objectId: string; direct: boolean }[]>(statement, [...values]);
    if (removed?.direct === true) await this.objects.remove(removed.objectId).catch(() => undefined);
    return removed !== undefined;
  }

  private after(ms: number): Date {
    return new Date(this.clock.nowMs() + ms);
  }
}

function get([row]: readonly UploadRow[]): StoredUpload {
  if (row === undefined) throw new TypeError('Upload not found.');
  return { ...row, size: Number(row.size), position: Number(row.position), storeId: row.storeId ?? '' };
}
