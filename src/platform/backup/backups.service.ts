import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { DataSource } from 'typeorm';
import {
  type Backup,
  currentIncarnation,
  EmbeddedPostgresError,
  listBackups,
  packArchive,
  pruneBackups,
  createBackup,
} from '../../../packages/embedded-postgres/src/embedded-postgres.js';
import { Clock } from '../../kernel/clock.port.js';
import { OperatorError } from '../../kernel/errors/definition-error.js';
import { KeyRing } from '../../kernel/keys/key-ring.js';
import { defineAuditActions, OPERATOR, SERVICE } from '../audit/audit.public.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { CONFIG, type Config } from '../config/config.types.js';
import { DATABASE_CONNECTION } from '../database/database.module.js';
import { type DatabaseConnection, embeddedDirectory, withEmbeddedErrors } from '../database/database.public.js';
import { Scheduled } from '../jobs/job.decorators.js';
import { Measures } from '../metrics/measures.decorator.js';
import { type BackupSchedule, isBackupDue, seesToBackups } from './backup-schedule.js';

const ACTIONS = defineAuditActions('Backups', {
  'backup.create': 'A backup of the embedded database was created.',
  'standby.promote': 'The standby was promoted to the embedded database. The changes list the revoked credentials.',
  'backup.restore':
    'The embedded database was restored from a backup. The changes contain its timestamp and the revoked credentials.',
});

declare module '../audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const CHECK_INTERVAL_MS = 60_000;
/** The fact of a backup with the id of the key that encrypts its secrets. */
export const KEY_FACT = 'app_key';

/** Backs up the embedded database while it is in use (ADR 0051). */
@Injectable()
export class Backups implements OnApplicationBootstrap {
  private readonly logger = new Logger('Backups');
  private isRunning = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(DATABASE_CONNECTION) private readonly connection: DatabaseConnection,
    private readonly dataSource: DataSource,
    private readonly ring: KeyRing,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    private readonly http: HttpAdapterHost,
  ) {}

  /** Checks immediately, because nothing can be restored before the first backup. */
  onApplicationBootstrap(): void {
    if (this.http.httpAdapter && this.config.backup.schedule !== null)
      void this.runDue().catch((err: unknown) => this.logger.error({ err, msg: 'The backup failed.' }));
  }

  /**
   * Creates a backup, and deletes backups that are no longer needed.
   *
   * @param to the directory of all backups. Default: `BACKUP_DIR`. Nothing is deleted in other directories.
   * @throws OperatorError, EmbeddedDatabaseError
   */
  async create(to?: string, actor = OPERATOR): Promise<Backup> {
    if (!this.connection.embedded)
      throw new OperatorError(
        'Only the embedded database can be backed up here, and DATABASE_URL is set. Use the tools of the database server, such as pg_basebackup or pgBackRest.',
      );
    const { directory, keepDays } = this.config.backup;
    return withEmbeddedErrors(async () => {
      const facts = { [KEY_FACT]: this.ring.keyId };
      const backup = await createBackup({
        ...embeddedDirectory(this.config),
        url: this.connection.address.url,
        backups: to ?? directory,
        facts,
      });
      if (to === undefined) pruneBackups(directory, keepDays, backup.life);
      const { id, bytes } = backup;
      const event = { action: 'backup.create', actor, resource: `backup:${id}`, facts: { bytes } } as const;
      await this.audit.write(this.dataSource.manager, event);
      return backup;
    });
  }

  /** Returns the backups, oldest first; none if `DATABASE_URL` is set. */
  list(): readonly Backup[] {
    return this.connection.embedded ? listBackups(this.config.backup.directory) : [];
  }

  /** Creates a backup if one is due. That includes the case that the newest backup has another history, because it cannot be continued. */
  @Scheduled({ name: 'backup.run', everyMs: CHECK_INTERVAL_MS, on: 'each instance' })
  async runDue(): Promise<void> {
    const { schedule } = this.config.backup;
    if (schedule === null || !this.connection.embedded || !seesToBackups(this.config) || this.isRunning) return;
    this.isRunning = true;
    try {
      await this.runOn(schedule);
    } finally {
      this.isRunning = false;
    }
  }

  @Measures({ name: 'lintel_backup_scheduled', help: '1 if backups of the embedded database are scheduled.' })
  scheduled(): number {
    return this.config.backup.schedule === null ? 0 : 1;
  }

  @Measures({
    name: 'lintel_backup_time_seconds',
    help: 'Completion time of the latest backup, in seconds since 1970; 0 without a backup.',
  })
  newestTime(): number {
    const newest = this.list().at(-1);
    return newest === undefined ? 0 : Date.parse(newest.endedAt) / 1_000;
  }

  @Measures({
    name: 'lintel_backup_archive_failing',
    help: '1 if the last attempt to archive the write-ahead log of the embedded database failed. The log grows until an attempt succeeds.',
  })
  async archiveFailing(): Promise<number> {
    const [row] = await this.dataSource.query<{ failing: boolean }[]>(
      `SELECT coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS failing FROM pg_stat_archiver`,
    );
    return row?.failing === true ? 1 : 0;
  }

  private async runOn(schedule: BackupSchedule): Promise<void> {
    const { directory } = this.config.backup;
    const incarnation = currentIncarnation(embeddedDirectory(this.config));
    await packArchive(directory, incarnation);
    const newest = listBackups(directory).findLast((backup) => backup.life === incarnation);
    if (!isBackupDue(schedule, newest === undefined ? null : Date.parse(newest.endedAt), this.clock.nowMs())) return;
    try {
      const { id, bytes } = await this.create(undefined, SERVICE);
      this.logger.log({ backup: id, bytes, msg: 'A backup was created.' });
    } catch (error) {
      if (!isBackupUnderWay(error)) throw error;
    }
  }
}

export function isBackupUnderWay(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof EmbeddedPostgresError && cause.code === 'backup_running';
}
