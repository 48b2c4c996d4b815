import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import type { Principal } from '../../kernel/principal.types.js';
import { actorOf } from '../../platform/audit/audit.public.js';
import { isBackupUnderWay } from '../../platform/backup/backup.public.js';
import { Backups } from '../../platform/backup/backups.service.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { DATABASE_CONNECTION } from '../../platform/database/database.module.js';
import type { DatabaseConnection } from '../../platform/database/database.public.js';
import { RunsJob } from '../../platform/jobs/job.decorators.js';
import { DEFAULT_RETRY, defineJob, type Job } from '../../platform/jobs/jobs.public.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';

/** A requested backup. Retries stop after ten minutes. */
const TAKE_BACKUP = defineJob<{ readonly actor: string }>('backup.take', {
  retry: { ...DEFAULT_RETRY, giveUpAfterMs: 600_000 },
});
/** Unique key: several requests share one backup. */
const NEXT = 'next';

/** A backup as it lies there. */
class ListedBackup {
  @ApiProperty() readonly id: string;
  @ApiProperty({ format: 'date-time' }) readonly started_at: string;
  @ApiProperty({ format: 'date-time', description: 'The first moment that it leads to.' }) readonly ended_at: string;
  @ApiProperty({ type: 'integer' }) readonly bytes: number;
}

/** The backups that there are, and how they come to be. */
export class BackupOverview {
  @ApiProperty({ description: '`false`: the database is a server that is backed up elsewhere.' })
  readonly embedded: boolean;
  @ApiProperty({ description: 'Whether they are made by themselves (`BACKUP_SCHEDULE`).' }) readonly scheduled: boolean;
  @ApiProperty({ type: 'integer', description: '`BACKUP_KEEP_DAYS`' }) readonly keep_days: number;
  @ApiProperty({ description: 'Whether one was asked for that is not made yet.' }) readonly requested: boolean;
  @ApiProperty({ type: [ListedBackup] }) readonly items: readonly ListedBackup[];
}

@Injectable()
export class RequestedBackups {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(DATABASE_CONNECTION) private readonly connection: DatabaseConnection,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly backups: Backups,
    private readonly jobs: Jobs,
  ) {}

  /** Newest first. Only the embedded database has backups here. */
  async overview(): Promise<BackupOverview> {
    const { schedule, keepDays } = this.config.backup;
    const requested = await this.jobs.find(this.dataSource.manager, TAKE_BACKUP, NEXT);
    const items = this.backups.list().map(({ id, startedAt, endedAt, bytes }) => {
      return { id, started_at: startedAt, ended_at: endedAt, bytes };
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
      this.jobs.enqueue(manager, TAKE_BACKUP, { actor: actorOf(principal) }, options),
    );
  }

  @RunsJob(TAKE_BACKUP)
  async run({ payload }: Job<{ readonly actor: string }>): Promise<void> {
    try {
      await this.backups.take(undefined, payload.actor);
    } catch (error) {
      // The backup that is already running is recent enough.
      if (!isBackupUnderWay(error)) throw error;
    }
  }
}
