import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import type { Principal } from '../../kernel/principal.types.js';
import { actorOf } from '../../platform/audit/audit.public.js';
import { Backups, isBackupUnderWay } from '../../platform/backup/backups.service.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { DATABASE_CONNECTION } from '../../platform/database/database.module.js';
import type { DatabaseConnection } from '../../platform/database/database.public.js';
import { RunsJob } from '../../platform/jobs/job.decorators.js';
import { DEFAULT_RETRY, defineJob, type Job } from '../../platform/jobs/jobs.public.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';

/** A requested backup. Retries stop after ten minutes. */
const CREATE_BACKUP = defineJob<{ readonly actor: string }>('backup.take', {
  retry: { ...DEFAULT_RETRY, giveUpAfterMs: 600_000 },
});
/** Unique key: several requests share one backup. */
const NEXT = 'next';

/** A stored backup. */
class ListedBackup {
  @ApiProperty() readonly id: string;
  @ApiProperty({ format: 'date-time' }) readonly started_at: string;
  @ApiProperty({ format: 'date-time', description: 'Earliest point in time that the backup can restore.' })
  readonly ended_at: string;
  @ApiProperty({ type: 'integer' }) readonly bytes: number;
}

/** The stored backups and their schedule. */
export class BackupOverview {
  @ApiProperty({ description: 'Whether the database is embedded. A database server is not backed up by Lintel.' })
  readonly embedded: boolean;
  @ApiProperty({ description: 'Whether backups are scheduled (`BACKUP_SCHEDULE`).' }) readonly scheduled: boolean;
  @ApiProperty({ type: 'integer', description: 'Days for which backups are kept (`BACKUP_KEEP_DAYS`).' })
  readonly keep_days: number;
  @ApiProperty({ description: 'Whether a requested backup is pending.' }) readonly requested: boolean;
  @ApiProperty({ type: [ListedBackup] }) readonly items: readonly ListedBackup[];
}

@Injectable()
export class RequestedBackups {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(DATABASE_CONNECTION) private readonly connection: DatabaseConnection,
    private readonly dataSource: DataSource,
    private readonly backups: Backups,
    private readonly jobs: Jobs,
  ) {}

  /** Returns the backups, newest first. Only an embedded database has any. */
  async overview(): Promise<BackupOverview> {
    const { schedule, keepDays } = this.config.backup;
    const requested = await this.jobs.find(this.dataSource.manager, CREATE_BACKUP, NEXT);
    const items = this.backups.list().map(({ id, startedAt: started_at, endedAt: ended_at, bytes }) => {
      return { id, started_at, ended_at, bytes };
    });
    return {
      embedded: this.connection.embedded,
      scheduled: schedule !== null,
      keep_days: keepDays,
      requested: requested !== null,
      items: items.toReversed(),
    };
  }

  /** @throws AppError `backups_elsewhere` */
  async request(principal: Principal): Promise<void> {
    if (!this.connection.embedded) throw new AppError('backups_elsewhere');
    const options = { uniqueKey: NEXT };
    await this.dataSource.transaction((manager) =>
      this.jobs.enqueue(manager, CREATE_BACKUP, { actor: actorOf(principal) }, options),
    );
  }

  @RunsJob(CREATE_BACKUP)
  async run({ payload }: Job<{ readonly actor: string }>): Promise<void> {
    try {
      await this.backups.create(undefined, payload.actor);
    } catch (error) {
      // The backup that is already running is recent enough.
      if (!isBackupUnderWay(error)) throw error;
    }
  }
}
