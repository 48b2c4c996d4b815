import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../../../kernel/app-error.js';
import { Clock } from '../../../../kernel/clock.port.js';
import { isUuid, newId } from '../../../../kernel/random.js';
import type { AnnouncedDirectUpload } from './direct-uploads.dto.js';
import { FileObjects, PENDING_MS } from '../../file-objects.service.js';
import type { SentFile } from '../../files.dto.js';

/** For how long a request keeps an upload to itself, unless it says again that it is there. */
const CLAIM_MS = 60_000;

/** An upload to the bucket that is known. */
export interface KnownDirectUpload extends AnnouncedDirectUpload {
  readonly id: string;
  readonly objectId: string;
  readonly owner: string | null;
  readonly storeId: string;
  readonly claim: string | null;
  /** Answer that was given when it became a file; null until then. */
  readonly answer: SentFile | null;
  readonly expiresAt: Date;
}

interface UploadRow extends Omit<KnownDirectUpload, 'size' | 'partSize' | 'storeId'> {
  readonly size: string;
  readonly partSize: string;
  readonly storeId: string | null;
}

const COLUMNS = `id, object_id AS "objectId", owner, name, declared, size::text, part_size::text AS "partSize", checksums, sha256, target,
  store_id AS "storeId", claim, answer, expires_at AS "expiresAt"`;
const ADD = `INSERT INTO file_direct_uploads (id, object_id, owner, name, declared, size, part_size, checksums, sha256, target, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ${COLUMNS}`;
const OPEN = `UPDATE file_direct_uploads SET store_id = $2 WHERE id = $1`;
const OWN = `id = $1 AND owner IS NOT DISTINCT FROM $2 AND expires_at > $3 AND store_id IS NOT NULL`;
const FIND = `SELECT ${COLUMNS} FROM file_direct_uploads WHERE ${OWN}`;
/** Of several one has it, and the others are told so. */
const CLAIM = `UPDATE file_direct_uploads SET claim = $4, claimed_until = $5
  WHERE ${OWN} AND answer IS NULL AND (claimed_until IS NULL OR claimed_until <= $3) RETURNING ${COLUMNS}`;
const OURS = 'id = $1 AND claim IS NOT DISTINCT FROM $2 AND answer IS NULL';
const RENEW = `UPDATE file_direct_uploads SET claimed_until = $3 WHERE ${OURS}`;
const RELEASE = `UPDATE file_direct_uploads SET claim = NULL, claimed_until = NULL WHERE ${OURS}`;
const FINISH = `UPDATE file_direct_uploads SET answer = $3, claimed_until = NULL WHERE ${OURS} RETURNING id`;
const GIVE_UP = `DELETE FROM file_direct_uploads WHERE ${OURS} RETURNING object_id AS "objectId"`;
const REMOVE = `DELETE FROM file_direct_uploads WHERE ${OWN} AND answer IS NULL RETURNING object_id AS "objectId"`;

/** Keeps what is known of uploads that go to the bucket. A request that makes the file of one keeps it to itself for a minute at a time. */
@Injectable()
export class DirectStates {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly objects: FileObjects,
    private readonly clock: Clock,
  ) {}

  /** Notes an upload, and the object that keeps room for all of it. @throws AppError `quota_exceeded`. */
  async add(owner: string | null, announced: AnnouncedDirectUpload): Promise<KnownDirectUpload> {
    const { name, declared, size, partSize, checksums, sha256, target } = announced;
    return this.dataSource.transaction(async (manager) => {
      const object = await this.objects.beginIn(manager, newId(), owner, size);
      const expires = new Date(this.clock.nowMs() + PENDING_MS);
      const [sums, place] = [JSON.stringify(checksums), target === null ? null : JSON.stringify(target)];
      const values = [object.fileId, object.id, owner, name, declared, size, partSize, sums, sha256, place, expires];
      return known(await manager.query<UploadRow[]>(ADD, values));
    });
  }

  /** Notes what the store calls an upload. */
  async open(id: string, storeId: string): Promise<void> {
    await this.dataSource.query(OPEN, [id, storeId]);
  }

  /** Returns an upload of an account, or of a guest. @throws AppError `file_not_found`. */
  async get(id: string, owner: string | null): Promise<KnownDirectUpload> {
    if (!isUuid(id)) throw new AppError('file_not_found');
    return known(await this.dataSource.query<UploadRow[]>(FIND, [id, owner, this.clock.now()]));
  }

  /** Keeps an upload to a request. @throws AppError `file_not_found`; `upload_offset` while another has it, and after it became a file. */
  async claim(id: string, owner: string | null): Promise<KnownDirectUpload> {
    if (!isUuid(id)) throw new AppError('file_not_found');
    const values = [id, owner, this.clock.now(), newId(), this.until()];
    const [rows] = await this.dataSource.query<[UploadRow[]]>(CLAIM, values);
    if (rows.length > 0) return known(rows);
    await this.get(id, owner);
    throw new AppError('upload_offset');
  }

  /** Says that whoever keeps an upload is there. */
  async renew({ id, claim }: KnownDirectUpload): Promise<void> {
    await this.dataSource.query(RENEW, [id, claim, this.until()]);
  }

  /** Lets the next request have an upload. */
  async release({ id, claim }: KnownDirectUpload): Promise<void> {
    await this.dataSource.query(RELEASE, [id, claim]);
  }

  /** Ends an upload that is a file now, and keeps what is answered. @throws AppError `upload_offset` for who keeps it no longer. */
  async finish(manager: EntityManager, { id, claim }: KnownDirectUpload, answer: SentFile): Promise<void> {
    const [rows] = await manager.query<[unknown[]]>(FINISH, [id, claim, JSON.stringify(answer)]);
    if (rows.length === 0) throw new AppError('upload_offset');
  }

  /** Ends an upload that can never be a file, if it still is that of the request; its object is removed. */
  async giveUp({ id, claim }: KnownDirectUpload): Promise<void> {
    await this.end(GIVE_UP, [id, claim]);
  }

  /** Ends an upload at the word of who sends it; its object is removed. @throws AppError `file_not_found`. */
  async remove(id: string, owner: string | null): Promise<void> {
    const isEnded = isUuid(id) && (await this.end(REMOVE, [id, owner, this.clock.now()]));
    if (!isEnded) throw new AppError('file_not_found');
  }

  /** Ends an upload by a statement. An object that cannot be removed from the store now is removed by the sweeper. */
  private async end(statement: string, values: readonly unknown[]): Promise<boolean> {
    const objectId = await this.dataSource.transaction(async (manager) => {
      const [[row]] = await manager.query<[{ objectId: string }[]]>(statement, [...values]);
      if (row !== undefined) await this.objects.giveUp(manager, row.objectId);
      return row?.objectId;
    });
    if (objectId !== undefined) await this.objects.remove(objectId).catch(() => undefined);
    return objectId !== undefined;
  }

  private until(): Date {
    return new Date(this.clock.nowMs() + CLAIM_MS);
  }
}

function known([row]: readonly UploadRow[]): KnownDirectUpload {
  if (row === undefined) throw new AppError('file_not_found');
  return { ...row, size: Number(row.size), partSize: Number(row.partSize), storeId: row.storeId ?? '' };
}
