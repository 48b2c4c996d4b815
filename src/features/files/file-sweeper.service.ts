import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isLinked } from '../../data/model/linked-files.js';
import { SchemaSnapshots } from '../../data/schema/schema-snapshots.service.js';
import { Clock } from '../../kernel/clock.port.js';
import { defineCounter } from '../../kernel/metrics.js';
import { SERVICE } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { readDriverFault } from '../../platform/database/database.public.js';
import { Scheduled } from '../../platform/jobs/job.decorators.js';
import { FileObjects } from './file-objects.service.js';
import { FileStorage } from './storage/file-storage.port.js';
import { FILE_SCHEMA } from './file.schema.js';

const REMOVED = defineCounter({
  name: 'lintel_file_objects_removed_total',
  help: 'File objects that were deleted from the storage.',
  labels: { outcome: ['removed', 'failed'] },
});

const EVERY_MS = 60_000;
const BATCH = 1_000;
/** @internal */
const MAX_BATCHES = 50;
const FIRST = '00000000-0000-0000-0000-000000000000';
/** `foreign_key_violation`, and `restrict_violation` since PostgreSQL 18 (Appendix A). */
const REFERENCED: ReadonlySet<string> = new Set(['23503', '23001']);

const GIVE_UP = `UPDATE file_objects SET state = 'doomed' WHERE state = 'pending' AND due_at <= $1`;
const FORGET = 'DELETE FROM file_uploads WHERE expires_at <= $1';
const MARK = `UPDATE file_objects SET unlinked_at = $2 WHERE id = ANY($1::uuid[]) AND state = 'live'`;
const DOOM = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE state IN ('live', 'variant')
  AND file_id IN (SELECT file_id FROM file_objects WHERE id = ANY($1::uuid[]))`;
const FIND_EXPIRED = `SELECT o.file_id AS id FROM file_objects o JOIN files f ON f.id = o.file_id
  WHERE o.state = 'live' AND (f.deleted_at <= $1 OR o.unlinked_at <= $1) LIMIT ${BATCH}`;
const DUE = `SELECT id FROM file_objects WHERE state = 'doomed' AND due_at <= $1 AND disk = $2 AND id > $3 ORDER BY id LIMIT ${BATCH}`;
const LOCK = 'SELECT id FROM files WHERE id = $1 FOR UPDATE';
const CLEAR = `UPDATE file_objects SET unlinked_at = NULL WHERE file_id = $1 AND state = 'live'`;
const DOOM_ALL = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE file_id = $1 AND state <> 'pending'`;
const REMOVE_FILE = 'DELETE FROM files WHERE id = $1';
const MARK_DELETED = 'UPDATE files SET deleted_at = coalesce(deleted_at, $2) WHERE id = $1';

interface CheckedFile {
  readonly id: string;
  readonly unlinked: boolean;
  readonly linked: boolean;
  readonly orphan: boolean;
}

/**
 * Deletes expired uploads, deleted and unlinked files, and their objects. It reads the records to find unlinked files. So it does not
 * matter whether a link was removed by a change, a cascade or a dropped field. Each step can be repeated and interrupted.
 */
@Injectable()
export class FileSweeper {
  private readonly logger = new Logger('Files');
  private cursor = FIRST;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly snapshots: SchemaSnapshots,
    private readonly objects: FileObjects,
    private readonly storage: FileStorage,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'files.sweep', everyMs: EVERY_MS })
  async sweep(): Promise<void> {
    await this.dataSource.query(GIVE_UP, [this.clock.now()]);
    await this.dataSource.query(FORGET, [this.clock.now()]);
    await this.checkBatch();
    await this.removeExpired();
    await this.removeObjects();
  }

  /** Marks unlinked files. The next run continues where this one reached its limit. */
  private async checkBatch(): Promise<void> {
    const statement = this.checkStatement();
    for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
      const rows = await this.dataSource.query<CheckedFile[]>(statement, [this.cursor]);
      const now = this.clock.now();
      const idsOf = (found: readonly CheckedFile[]): string[] => found.map(({ id }) => id);
      const linkedRows = rows.filter(({ linked, unlinked, orphan }) => !linked && !unlinked && !orphan);
      const found = rows.filter(({ linked, unlinked }) => linked && unlinked);
      const orphans = rows.filter(({ orphan }) => orphan);
      if (linkedRows.length > 0) await this.dataSource.query(MARK, [idsOf(linkedRows), now]);
      if (found.length > 0) await this.dataSource.query(MARK, [idsOf(found), null]);
      if (orphans.length > 0) await this.dataSource.query(DOOM, [idsOf(orphans), now]);
      this.cursor = rows.length < BATCH ? FIRST : (rows.at(-1)?.id ?? FIRST);
      if (rows.length < BATCH) return;
    }
  }

  private checkStatement(): string {
    return `SELECT o.id, o.unlinked_at IS NOT NULL AS unlinked, f.id IS NULL AS orphan, ${this.linked()} AS linked
      FROM file_objects o LEFT JOIN files f ON f.id = o.file_id
      WHERE o.state = 'live' AND o.id > $1 ORDER BY o.id LIMIT ${BATCH}`;
  }

  private linked(): string {
    const { current } = this.snapshots;
    const files = current.schemas[FILE_SCHEMA.definition.name];
    if (files === undefined) throw new TypeError('The file schema does not exist.');
    return isLinked(current, files, 'f');
  }

  private async removeExpired(): Promise<void> {
    const until = new Date(this.clock.nowMs() - this.config.files.graceMs);
    const expired = await this.dataSource.query<{ id: string }[]>(FIND_EXPIRED, [until]);
    for (const { id } of expired) {
      try {
        await this.dataSource.transaction((manager) => this.removeFile(manager, id, until));
      } catch (err) {
        this.logger.warn({ err, file: id, msg: 'A file could not be deleted. The deletion will be retried.' });
      }
    }
  }

  /** Removes a file unless a record links it. A locked file cannot be linked, so the second check is valid until the commit. */
  private async removeFile(manager: EntityManager, id: string, until: Date): Promise<void> {
    if ((await manager.query<unknown[]>(LOCK, [id])).length === 0) return;
    const stays = `SELECT NOT coalesce(f.deleted_at <= $2, FALSE) AND ${this.linked()} AS linked,
      coalesce(f.deleted_at <= $2 OR o.unlinked_at <= $2, FALSE) AS ended
      FROM files f JOIN file_objects o ON o.file_id = f.id AND o.state = 'live' WHERE f.id = $1`;
    const [row] = await manager.query<{ linked: boolean; ended: boolean }[]>(stays, [id, until]);
    if (row?.linked === true) await manager.query(CLEAR, [id]);
    if (row === undefined || row.linked || !row.ended) return;
    const at = this.clock.now();
    await this.removeRow(manager, id, at);
    await manager.query(DOOM_ALL, [id, at]);
    await this.trail.write(manager, { action: 'file.remove', actor: SERVICE, resource: `file:${id}` });
  }

  /** If a deleted record has a required link to the file, the row is kept and marked as deleted. */
  private async removeRow(manager: EntityManager, id: string, at: Date): Promise<void> {
    try {
      await manager.transaction((inner) => inner.query(REMOVE_FILE, [id]));
    } catch (error) {
      if (!REFERENCED.has(readDriverFault(error)?.code ?? '')) throw error;
      await manager.query(MARK_DELETED, [id, at]);
    }
  }

  private async removeObjects(): Promise<void> {
    for (let last = FIRST, batches = 0; batches < MAX_BATCHES; batches += 1) {
      const due = await this.dataSource.query<{ id: string }[]>(DUE, [this.clock.now(), this.storage.disk(), last]);
      for (const { id } of due) await this.removeObject(id);
      if (due.length < BATCH) return;
      last = due.at(-1)?.id ?? last;
    }
  }

  private async removeObject(id: string): Promise<void> {
    try {
      await this.objects.remove(id);
      REMOVED.inc({ outcome: 'removed' });
    } catch (err) {
      REMOVED.inc({ outcome: 'failed' });
      this.logger.warn({
        err,
        object: id,
        msg: 'A storage object could not be deleted. The deletion will be retried.',
      });
    }
  }
}
