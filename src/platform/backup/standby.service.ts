import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  type EmbeddedPostgresLease,
  EmbeddedPostgresError,
  followEmbeddedPostgres,
  type StandbyState,
  standbyState,
} from '../../../packages/embedded-postgres/src/embedded-postgres.js';
import { CONFIG, type Config } from '../config/config.types.js';
import { DATABASE_CONNECTION } from '../database/database.module.js';
import { type DatabaseConnection, embeddedDirectory } from '../database/database.public.js';
import { Scheduled } from '../jobs/job.decorators.js';
import { seesToBackups } from './backup-schedule.js';
import { Measures } from '../metrics/measures.decorator.js';

const CHECK_INTERVAL_MS = 60_000;
/** Interval of retries while a running backup prevents the creation of a standby. */
const BUSY_MS = 1_000;

/** Maintains a second embedded server that follows the first, on another disk (`EMBEDDED_STANDBY_DIR`; ADR 0052). */
@Injectable()
export class Standby implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Standby');
  private lease: EmbeddedPostgresLease | null = null;
  private checking: Promise<void> | null = null;
  private isOver = false;
  private soon: NodeJS.Timeout | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(DATABASE_CONNECTION) private readonly connection: DatabaseConnection,
    private readonly http: HttpAdapterHost,
  ) {}

  onApplicationBootstrap(): void {
    if (this.http.httpAdapter) void this.check();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isOver = true;
    clearTimeout(this.soon);
    await this.checking;
    await this.lease?.release();
  }

  @Scheduled({ name: 'standby.follow', everyMs: CHECK_INTERVAL_MS, on: 'each instance' })
  check(): Promise<void> {
    this.checking ??= this.startStandby().finally(() => (this.checking = null));
    return this.checking;
  }

  @Measures({ name: 'lintel_standby_streaming', help: '1 if a standby of the embedded database follows it.' })
  async streaming(): Promise<number> {
    return (await this.state()).streaming ? 1 : 0;
  }

  @Measures({
    name: 'lintel_standby_lag_bytes',
    help: 'Bytes of the write-ahead log that the standby has not stored yet.',
  })
  async lag(): Promise<number> {
    return (await this.state()).lagBytes;
  }

  private async startStandby(): Promise<void> {
    const standby = this.config.standbyDir;
    if (standby === null || !this.connection.embedded || !seesToBackups(this.config) || this.isOver) return;
    try {
      if (this.lease !== null && (await this.state()).streaming) return;
      const before = this.lease;
      this.lease = null;
      await before?.end();
      this.lease = await followEmbeddedPostgres({
        ...embeddedDirectory(this.config),
        url: this.connection.address.url,
        standby,
      });
      this.logger.log({ standby, msg: 'The standby of the embedded database is running.' });
    } catch (err) {
      // A standby begins with its own backup, and only one backup can run. At the first start the scheduled one may be running.
      if (err instanceof EmbeddedPostgresError && err.code === 'backup_running') return this.checkSoon();
      this.logger.error({
        err,
        standby,
        msg: 'The standby of the embedded database is not running. Its start will be retried.',
      });
    }
  }

  private checkSoon(): void {
    this.soon = setTimeout(() => void this.check(), BUSY_MS).unref();
  }

  private async state(): Promise<StandbyState> {
    if (this.config.standbyDir === null || !this.connection.embedded) return { streaming: false, lagBytes: 0 };
    return standbyState(this.connection.address.url);
  }
}
