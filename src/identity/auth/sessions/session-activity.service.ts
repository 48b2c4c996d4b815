import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { RunsEvery } from '../../../platform/jobs/job.decorators.js';

const INTERVAL_MS = 60_000;
const MAX_NOTED = 100_000;

/** Notes which sessions are used, and writes it down once a minute: a request costs no statement for it. */
@Injectable()
export class SessionActivity implements OnModuleDestroy {
  private readonly logger = new Logger('SessionActivity');
  private noted = new Set<string>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The session was used just now. */
  note(sessionId: string): void {
    if (this.noted.size < MAX_NOTED) this.noted.add(sessionId);
  }

  async onModuleDestroy(): Promise<void> {
    await this.flush();
  }

  /** Writes what was noted. A failure loses at most a minute of it. */
  @RunsEvery({ name: 'sessions.activity', everyMs: INTERVAL_MS, on: 'each instance' })
  async flush(): Promise<void> {
    const ids = [...this.noted];
    this.noted = new Set();
    if (ids.length === 0) return;
    const text = 'UPDATE sessions SET last_used_at = $2 WHERE id = ANY($1) AND last_used_at < $2';
    await this.dataSource.query(text, [ids, this.clock.now()]).catch((err: unknown) => {
      this.logger.warn({ err, msg: 'The use of sessions could not be noted.' });
    });
  }
}
