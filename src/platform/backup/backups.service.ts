import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  type Backup,
  currentLife,
  listBackups,
  packArchive,
  pruneBackups,
  takeBackup,
} from '../../../packages/embedded-postgres/src/embedded-postgres.js';
import { Clock } from '../../kernel/clock.port.js';
import { KeyRing } from '../../kernel/keys/key-ring.js';
import { defineAuditActions, factsOf, OPERATOR, SERVICE } from '../audit/audit.public.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { DATABASE_CONNECTION } from '../database/database.module.js';
import { type DatabaseConnection, embeddedPlace } from '../database/database.public.js';
import { Scheduled } from '../jobs/job.decorators.js';
import { Measures } from '../metrics/measures.decorator.js';
import { type BackupSchedule, isBackupDue, seesToBackups } from './backup-schedule.js';
import { BackupError, isBackupUnderWay, wordingBackupFaults } from './backup.errors.js';

const ACTIONS = defineAuditActions('Backups', {
  'backup.create': 'A backup of the embedded database was made.',
  'standby.promote': 'The standby is the embedded database from now on: the changes say what ended.',
  'backup.restore': 'The embedded database is that of a backup from now on: the changes say of when, and what ended.',
});

declare module '../audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const LOOK_MS = 60_000;
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
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly ring: KeyRing,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    private readonly http: HttpAdapterHost,
  ) {}

  /** Checks immediately, because nothing can be restored before the first backup. */
  onApplicationBootstrap(): void {
    if (this.http.httpAdapter && this.config.backup.schedule !== null)
      void this.runDue().catch((err: unknown) => this.logger.error({ err, msg: 'No backup was made.' }));
  }

  /**
   * Creates a backup, and deletes backups that are no longer needed.
   *
   * @param to the directory of all backups. Default: `BACKUP_DIR`. Nothing is deleted in other directories.
   * @throws BackupError, EmbeddedDatabaseError
   */
  async take(to?: string, actor = OPERATOR): Promise<Backup> {
    if (!this.connection.embedded)
      throw new BackupError(
        'Only the embedded database is backed up here, and DATABASE_URL names a server: use what that server offers, such as pg_basebackup or pgBackRest.',
      );
    const { directory, keepDays } = this.config.backup;
    return wordingBackupFaults(async () => {
      const facts = { [KEY_FACT]: this.ring.keyId };
      const backup = await takeBackup({
        ...embeddedPlace(this.config),
        url: this.connection.address.url,
        backups: to ?? directory,
        facts,
      });
      if (to === undefined) pruneBackups(directory, keepDays, backup.life);
      const changes = factsOf({ bytes: backup.bytes });
      const event = { action: 'backup.create', actor, resource: `backup:${backup.id}`, changes } as const;
      await this.audit.write(this.dataSource.manager, { ...event, at: this.clock.now() });
      return backup;
    });
  }

  /** Returns the backups, oldest first; none if `DATABASE_URL` is set. */
  list(): readonly Backup[] {
    return this.connection.embedded ? listBackups(this.config.backup.directory) : [];
  }

  /** Creates a backup if one is due. That includes the case that the newest backup has another history, because it cannot be continued. */
  @Scheduled({ name: 'backup.run', everyMs: LOOK_MS, on: 'each instance' })
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

  @Measures({ name: 'lintel_backup_scheduled', help: '1 if backups of the embedded database are made by themselves.' })
  scheduled(): number {
    return this.config.backup.schedule === null ? 0 : 1;
  }

  @Measures({
    name: 'lintel_backup_time_seconds',
    help: 'When the newest backup was complete, in seconds since 1970; 0 if there is none.',
  })
  newestTime(): number {
    const newest = this.list().at(-1);
    return newest === undefined ? 0 : Date.parse(newest.endedAt) / 1_000;
  }

  @Measures({
    name: 'lintel_backup_archive_failing',
    help: '1 if the log of the embedded database could not be archived at the last attempt: it grows until it can.',
  })
  async archiveFailing(): Promise<number> {
    const [row] = await this.dataSource.query<{ failing: boolean }[]>(
      `SELECT coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS failing FROM pg_stat_archiver`,
    );
    return row?.failing === true ? 1 : 0;
  }

  private async runOn(schedule: BackupSchedule): Promise<void> {
    const { directory } = this.config.backup;
    const life = currentLife(embeddedPlace(this.config));
    await packArchive(directory, life);
    const newest = listBackups(directory).findLast((backup) => backup.life === life);
    if (!isBackupDue(schedule, newest === undefined ? null : Date.parse(newest.endedAt), this.clock.nowMs())) return;
    try {
      const { id, bytes } = await this.take(undefined, SERVICE);
      this.logger.log({ backup: id, bytes, msg: 'A backup was made.' });
    } catch (error) {
      if (!isBackupUnderWay(error)) throw error;
    }
  }
}
