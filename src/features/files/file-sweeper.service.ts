import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { isLinked } from '../../data/model/linked-files.js';
import { SchemaSnapshots } from '../../data/schema/schema-snapshots.service.js';
import { Clock } from '../../kernel/clock.port.js';
import { defineCounter } from '../../kernel/metrics.js';
import { defineAuditActions, SERVICE } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { readDriverFault } from '../../platform/database/database.public.js';
import { Scheduled } from '../../platform/jobs/job.decorators.js';
import { FileObjects } from './file-objects.service.js';
import { FileStorage } from './storage/file-storage.port.js';
import { FILE_SCHEMA } from './file.schema.js';

const ACTIONS = defineAuditActions('Removal of files', {
  'file.remove': 'A file was removed for good: it was deleted, or linked by no record, for as long as such are kept.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const REMOVED = defineCounter({
  name: 'lintel_file_objects_removed_total',
  help: 'Objects of files that were removed from the storage.',
  labels: { outcome: ['removed', 'failed'] },
});

const EVERY_MS = 60_000;
const BATCH = 1_000;
/** @internal */
const MOST_BATCHES = 50;
const FIRST = '00000000-0000-0000-0000-000000000000';
/** `foreign_key_violation`, and `restrict_violation` since PostgreSQL 18 (Appendix A). */
const REFERENCED: ReadonlySet<string> = new Set(['23503', '23001']);

const GIVE_UP = `UPDATE file_objects SET state = 'doomed' WHERE state = 'pending' AND due_at <= $1`;
const FORGET = 'DELETE FROM file_uploads WHERE expires_at <= $1';
const MARK = `UPDATE file_objects SET unlinked_at = $2 WHERE id = ANY($1::uuid[]) AND state = 'live'`;
const DOOM = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE state IN ('live', 'variant')
  AND file_id IN (SELECT file_id FROM file_objects WHERE id = ANY($1::uuid[]))`;
const ENDED = `SELECT o.file_id AS id FROM file_objects o JOIN files f ON f.id = o.file_id
  WHERE o.state = 'live' AND (f.deleted_at <= $1 OR o.unlinked_at <= $1) LIMIT ${BATCH}`;
const DUE = `SELECT id FROM file_objects WHERE state = 'doomed' AND due_at <= $1 AND disk = $2 AND id > $3 ORDER BY id LIMIT ${BATCH}`;
const LOCK = 'SELECT id FROM files WHERE id = $1 FOR UPDATE';
const CLEAR = `UPDATE file_objects SET unlinked_at = NULL WHERE file_id = $1 AND state = 'live'`;
const DOOM_ALL = `UPDATE file_objects SET state = 'doomed', due_at = $2 WHERE file_id = $1 AND state <> 'pending'`;
const REMOVE_FILE = 'DELETE FROM files WHERE id = $1';
const KEEP_NAME = 'UPDATE files SET deleted_at = coalesce(deleted_at, $2) WHERE id = $1';

interface LookedAt {
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
  private place = FIRST;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
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
    await this.look();
    await this.removeEnded();
    await this.removeObjects();
  }

  /** Marks unlinked files. The next run continues where this one reached its limit. */
  private async look(): Promise<void> {
    const statement = this.lookStatement();
    for (let batches = 0; batches < MOST_BATCHES; batches += 1) {
      const rows = await this.dataSource.query<LookedAt[]>(statement, [this.place]);
      const now = this.clock.now();
      const idsOf = (found: readonly LookedAt[]): string[] => found.map(({ id }) => id);
      const left = rows.filter(({ linked, unlinked, orphan }) => !linked && !unlinked && !orphan);
      const found = rows.filter(({ linked, unlinked }) => linked && unlinked);
      const orphans = rows.filter(({ orphan }) => orphan);
      if (left.length > 0) await this.dataSource.query(MARK, [idsOf(left), now]);
      if (found.length > 0) await this.dataSource.query(MARK, [idsOf(found), null]);
      if (orphans.length > 0) await this.dataSource.query(DOOM, [idsOf(orphans), now]);
      this.place = rows.length < BATCH ? FIRST : (rows.at(-1)?.id ?? FIRST);
      if (rows.length < BATCH) return;
    }
  }

  private lookStatement(): string {
    return `SELECT o.id, o.unlinked_at IS NOT NULL AS unlinked, f.id IS NULL AS orphan, ${this.linked()} AS linked
      FROM file_objects o LEFT JOIN files f ON f.id = o.file_id
      WHERE o.state = 'live' AND o.id > $1 ORDER BY o.id LIMIT ${BATCH}`;
  }

  private linked(): string {
    const { current } = this.snapshots;
    const files = current.schemas[FILE_SCHEMA.definition.name];
    if (files === undefined) throw new TypeError('There is no schema of files.');
    return isLinked(current, files, 'f');
  }

  private async removeEnded(): Promise<void> {
    const until = new Date(this.clock.nowMs() - this.config.files.graceMs);
    const ended = await this.dataSource.query<{ id: string }[]>(ENDED, [until]);
    for (const { id } of ended) {
      try {
        await this.dataSource.transaction((manager) => this.removeFile(manager, id, until));
      } catch (err) {
        this.logger.warn({ err, file: id, msg: 'A file could not be removed, and will be tried again.' });
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
    await this.trail.write(manager, { action: 'file.remove', actor: SERVICE, resource: `file:${id}`, at });
  }

  /** If a deleted record has a required link to the file, the row is kept and marked as deleted. */
  private async removeRow(manager: EntityManager, id: string, at: Date): Promise<void> {
    try {
      await manager.transaction((inner) => inner.query(REMOVE_FILE, [id]));
    } catch (error) {
      if (!REFERENCED.has(readDriverFault(error)?.code ?? '')) throw error;
      await manager.query(KEEP_NAME, [id, at]);
    }
  }

  private async removeObjects(): Promise<void> {
    for (let last = FIRST, batches = 0; batches < MOST_BATCHES; batches += 1) {
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
      this.logger.warn({ err, object: id, msg: 'An object could not be removed, and will be tried again.' });
    }
  }
}
