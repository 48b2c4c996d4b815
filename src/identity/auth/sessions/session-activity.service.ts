import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { LastUses } from '../../../platform/database/database.public.js';
import { Scheduled } from '../../../platform/jobs/job.decorators.js';

const INTERVAL_MS = 60_000;

/** Notes which sessions are used, and writes it down once a minute: a request costs no statement for it. */
@Injectable()
export class SessionActivity implements OnApplicationShutdown {
  private readonly uses: LastUses;

  constructor(@InjectDataSource() dataSource: DataSource, clock: Clock) {
    this.uses = new LastUses('sessions', dataSource, clock);
  }

  /** Notes that the session was used just now. */
  note(sessionId: string): void {
    this.uses.note(sessionId);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  /** Writes what was noted. A failure loses at most a minute of it. */
  @Scheduled({ name: 'sessions.activity', everyMs: INTERVAL_MS, on: 'each instance' })
  async flush(): Promise<void> {
    await this.uses.flush();
  }
}
