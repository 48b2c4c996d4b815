import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Clock } from '../../kernel/clock.port.js';
import { CONFIG, type Config } from '../config/config.types.js';
import { JobQueue } from './job-queue.service.js';
import { JobRunners } from './job-runners.service.js';
import { runsKind } from './jobs.variables.js';

const LATE_MS = 10_000;
const CHECK_INTERVAL_MS = 15_000;

/** Warns if no process runs the jobs that this process skips. */
@Injectable()
export class WaitingJobs implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private timer: NodeJS.Timeout | undefined;
  private reported: ReadonlySet<string> = new Set();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly runners: JobRunners,
    private readonly queue: JobQueue,
    private readonly clock: Clock,
    private readonly http: HttpAdapterHost,
  ) {}

  /** Checks at the start and then regularly, because a worker may also end later. A process that runs every kind has nothing to check. */
  onApplicationBootstrap(): void {
    const kinds = this.runners.sharedNames().filter((name) => !runsKind(this.config.jobs, name));
    if (!this.http.httpAdapter || kinds.length === 0) return;
    const check = (): void => void this.check(kinds).catch(() => undefined);
    this.timer = setInterval(check, CHECK_INTERVAL_MS).unref();
    check();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async check(kinds: readonly string[]): Promise<void> {
    const waiting = await this.queue.findWaiting(kinds, new Date(this.clock.nowMs() - LATE_MS));
    const found = new Set(waiting.map(({ kind }) => kind));
    const isNew = waiting.some(({ kind }) => !this.reported.has(kind));
    this.reported = found;
    if (!isNew) return;
    this.logger.warn({
      kinds: [...found].toSorted(),
      jobs: waiting.reduce((sum, { jobs }) => sum + jobs, 0),
      msg: 'Background jobs are waiting, and no process runs their kinds. Start a process with ROLE=work or ROLE=both and these kinds.',
    });
  }
}
