import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { LastUses } from '../../../platform/database/database.public.js';
import { Scheduled } from '../../../platform/jobs/job.decorators.js';

const INTERVAL_MS = 60_000;

/** Collects the uses of sessions and writes them once a minute, so that requests need no query for it. */
@Injectable()
export class SessionActivity implements OnApplicationShutdown {
  private readonly uses: LastUses;

  constructor(@InjectDataSource() dataSource: DataSource, clock: Clock) {
    this.uses = new LastUses('sessions', dataSource, clock);
  }

  note(sessionId: string): void {
    this.uses.note(sessionId);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  /** A failure loses at most one minute of uses. */
  @Scheduled({ name: 'sessions.activity', everyMs: INTERVAL_MS, on: 'each instance' })
  async flush(): Promise<void> {
    await this.uses.flush();
  }
}
