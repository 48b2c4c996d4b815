import { AsyncResource } from 'node:async_hooks';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { setTimeout as delay } from 'node:timers/promises';
import type { Subscription } from 'rxjs';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { DefinitionError } from '../../kernel/errors/definition-error.js';
import { defineCounter } from '../../kernel/metrics.js';
import { nearName } from '../../kernel/text/near-name.js';
import { activeTracer, spanned } from '../tracing/tracing.public.js';
import { CONFIG, type Config } from '../config/config.types.js';
import { DEFAULT_RETRY, JobFault } from './jobs.public.js';
import { type ClaimedJob, JobQueue } from './job-queue.service.js';
import { type JobRunner, JobRunners, type ScheduledRunner } from './job-runners.service.js';
import { Jobs } from './jobs.service.js';
import { matchesKind, runsKind } from './jobs.variables.js';
import { ClaimLostError, RunningJob } from './running-job.js';
import { isMissed, nextTime, storedTiming } from './schedule-timing.js';

/** Interval of polling: for jobs of other instances, retries, schedules, and jobs left by a crash. */
const POLL_MS = 1_000;
const RENEW_MS = 2_000;
/** Time that a stop waits for running jobs before it releases them to other instances. */
const STOP_GRACE_MS = 5_000;

const ATTEMPTS = defineCounter({
  name: 'lintel_job_attempts_total',
  help: 'Attempts at background jobs of this instance, by kind and outcome.',
  labels: { kind: [], outcome: ['done', 'retried', 'given_up'] },
});

/**
 * Runs due jobs of the kinds that `ROLE` and `JOB_KINDS` select, up to the concurrency of each kind. It looks for jobs when a job ends,
 * when one is committed in this process, and every second. Commands run no jobs.
 */
@Injectable()
export class JobWorker implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly inFlight = new Map<string, { readonly job: RunningJob; readonly done: Promise<void> }>();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly kinds = new Map<string, JobRunner>();
  private schedules = new Map<string, ScheduledRunner>();
  private dueHere: Subscription | undefined;
  private running = false;
  /** Runs outside of any trace. Otherwise a poll would belong to the trace of the commit or the job that caused it. */
  private pollExclusively = (): Promise<number> => this.poll();
  private polling: Promise<number> = Promise.resolve(0);
  private nextPoll: Promise<number> | null = null;
  private failing = false;

  constructor(
    private readonly jobs: Jobs,
    private readonly queue: JobQueue,
    private readonly runners: JobRunners,
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly http: HttpAdapterHost,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const { jobs, schedules } = this.runners.collect();
    for (const runner of jobs) this.kinds.set(runner.kind.name, runner);
    this.schedules = new Map(schedules.map((schedule) => [schedule.name, schedule]));
    ATTEMPTS.allow('kind', [...this.kinds.keys(), ...this.schedules.keys()]);
  }

  /** @throws DefinitionError for an unknown kind in `JOB_KINDS`. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.http.httpAdapter) return;
    this.assertSelection();
    this.pollExclusively = AsyncResource.bind(() => this.poll());
    for (const schedule of this.schedules.values()) {
      if (schedule.onEach && 'everyMs' in schedule.timing)
        this.every(schedule.timing.everyMs, () => void this.runHere(schedule));
    }
    // Every process adds them. Without a worker they wait, are listed, and cause a warning.
    await this.queue.addRecurring([...this.schedules.values()].filter(({ onEach }) => !onEach));
    if (!this.runners.sharedNames().some((name) => this.runs(name))) return;
    this.running = true;
    this.every(POLL_MS, () => this.wake());
    this.every(RENEW_MS, () => void this.renew());
    this.dueHere = this.jobs.due.subscribe(() => this.wake());
    this.wake();
  }

  /** Looks for due jobs now. Errors are logged, not thrown. */
  wake(): void {
    if (!this.running) return;
    void this.pollExclusively().then(
      () => (this.failing = false),
      (err: unknown) => {
        if (!this.failing)
          this.logger.warn({ err, msg: 'The jobs cannot be read. The query is retried every second.' });
        this.failing = true;
      },
    );
  }

  /** Runs every job that is due now, and returns when none is running. For tests and tools. */
  async drain(): Promise<void> {
    // A poll that begins during a job may miss jobs that it adds, and end after it. So another poll must follow.
    while ((await this.poll()) > 0) await Promise.all([...this.inFlight.values()].map(({ done }) => done));
  }

  /** Claims no more jobs, waits for running ones, and releases those that take too long to other instances. */
  async beforeApplicationShutdown(): Promise<void> {
    this.running = false;
    this.dueHere?.unsubscribe();
    for (const timer of this.timers.splice(0)) clearInterval(timer);
    await (this.nextPoll ?? this.polling).catch(() => undefined);
    const all = Promise.all([...this.inFlight.values()].map(({ done }) => done));
    const shutdownTimeout = new AbortController();
    await Promise.race([all, delay(STOP_GRACE_MS, null, { signal: shutdownTimeout.signal }).catch(() => undefined)]);
    shutdownTimeout.abort();
    for (const { job } of this.inFlight.values()) {
      job.abort();
      await this.queue.postpone(job.claimed, this.clock.now(), null).catch(() => undefined);
    }
  }

  private every(ms: number, work: () => void): void {
    this.timers.push(setInterval(work, ms).unref());
  }

  private runs(name: string): boolean {
    return runsKind(this.config.jobs, name);
  }

  private assertSelection(): void {
    const names = this.runners.sharedNames();
    for (const selected of this.config.jobs.kinds ?? []) {
      if (names.some((name) => matchesKind(selected, name))) continue;
      const near = nearName(selected, names);
      const advice = near === undefined ? `Known kinds: ${names.toSorted().join(', ')}.` : `Did you mean ${near}?`;
      throw new DefinitionError(`JOB_KINDS contains ${selected}, which is not a known job kind. ${advice}`);
    }
  }

  /** Polls do not overlap: all calls during a poll share the next one. Returns the number of running and newly claimed jobs. */
  private poll(): Promise<number> {
    this.nextPoll ??= this.polling
      .catch(() => 0)
      .then(() => {
        this.nextPoll = null;
        this.polling = this.claimDue();
        return this.polling;
      });
    return this.nextPoll;
  }

  private async claimDue(): Promise<number> {
    const free = this.free();
    const running = [...this.inFlight.keys()];
    const claimed = free.size === 0 ? [] : await this.queue.claim(free, running);
    for (const one of claimed) this.startJob(one);
    return running.length + claimed.length;
  }

  private free(): ReadonlyMap<string, number> {
    const concurrencyByKind = new Map([...this.kinds.values()].map(({ kind }) => [kind.name, kind.concurrency]));
    if (this.running)
      for (const { name, onEach } of this.schedules.values()) if (!onEach) concurrencyByKind.set(name, 1);
    for (const name of concurrencyByKind.keys()) if (!this.runs(name)) concurrencyByKind.delete(name);
    for (const { job } of this.inFlight.values())
      concurrencyByKind.set(job.claimed.kind, (concurrencyByKind.get(job.claimed.kind) ?? 0) - 1);
    return new Map([...concurrencyByKind].filter(([, free]) => free > 0));
  }

  private startJob(claimed: ClaimedJob): void {
    const runner = this.kinds.get(claimed.kind);
    const options = runner?.kind ?? { name: claimed.kind, concurrency: 1, retry: DEFAULT_RETRY, keepFailedMs: 0 };
    const job = new RunningJob(claimed, options, this.queue, this.dataSource, this.clock.nowMs());
    const work = inTrace(claimed, () => (runner === undefined ? this.runScheduled(job) : this.run(job, runner)));
    const done = work
      .catch((err: unknown) => {
        this.logger.warn({
          err,
          ...logFields(job),
          msg: 'The result of a job could not be stored. The job will be repeated when its lease expires.',
        });
      })
      .finally(() => {
        this.inFlight.delete(claimed.id);
        this.wake();
      });
    this.inFlight.set(claimed.id, { job, done });
  }

  private async run(job: RunningJob, runner: JobRunner): Promise<void> {
    try {
      await runner.run(job);
    } catch (error) {
      return this.failed(job, runner, error);
    }
    await job.end();
    ATTEMPTS.inc({ kind: runner.kind.name, outcome: 'done' });
  }

  private async failed(job: RunningJob, { kind }: JobRunner, err: unknown): Promise<void> {
    if (err instanceof ClaimLostError || job.signal.aborted) return;
    const { retry = true, logged = false } = err instanceof JobFault ? err.options : {};
    const fault = faultOf(err);
    const isRetried = retry && job.retryAt !== null;
    ATTEMPTS.inc({ kind: kind.name, outcome: isRetried ? 'retried' : 'given_up' });
    if (isRetried) {
      if (!logged) this.logger.warn({ err, ...logFields(job), msg: 'A job failed. It will be retried.' });
      return this.queue.postpone(job.claimed, job.retryAt, fault);
    }
    if (!logged) this.logger.error({ err, ...logFields(job), msg: 'A job failed permanently.' });
    if (kind.keepFailedMs === 0) await job.end();
    else await this.queue.fail(job.claimed, new Date(this.clock.nowMs() + kind.keepFailedMs), fault);
  }

  private async runScheduled({ claimed }: RunningJob): Promise<void> {
    const schedule = this.schedules.get(claimed.kind);
    if (schedule === undefined) return;
    const { claimedAt: startedAt, plannedAt, attempts } = claimed;
    // A repeated attempt follows a process that died during the run. That run was started in time, but is not complete.
    const isSkipped = schedule.missed === 'skip' && attempts === 1 && isMissed(+plannedAt, +startedAt);
    const run = isSkipped ? null : { startedAt, fault: await this.runHere(schedule) };
    await this.queue.recur(claimed, (stored) => this.planNext(schedule, stored, +startedAt), run);
  }

  /** Returns the next time of a schedule. Planned times that passed during the run cause one run, or none with `skip`. */
  private planNext({ timing: declared, missed }: ScheduledRunner, stored: object, startedMs: number): number {
    const timing = storedTiming(stored) ?? declared;
    const isFromStart = 'cron' in timing && missed === 'once';
    return nextTime(timing, isFromStart ? startedMs : this.clock.nowMs());
  }

  private async runHere({ name, run }: ScheduledRunner): Promise<string | null> {
    try {
      await run();
      ATTEMPTS.inc({ kind: name, outcome: 'done' });
      return null;
    } catch (err) {
      ATTEMPTS.inc({ kind: name, outcome: 'retried' });
      this.logger.warn({ err, kind: name, msg: 'A scheduled job failed. It runs again at its next time.' });
      return faultOf(err);
    }
  }

  /** Renews claims, so that long jobs stay with this instance. If the renewal fails, another instance may start the job again. */
  private async renew(): Promise<void> {
    const jobs = [...this.inFlight.values()].map(({ job }) => job);
    if (jobs.length === 0) return;
    try {
      const renewed = await this.queue.renew(jobs.map(({ claimed }) => claimed));
      for (const job of jobs) if (!renewed.has(job.id) && this.inFlight.get(job.id)?.job === job) job.abort();
    } catch (err) {
      this.logger.warn({ err, jobs: jobs.length, msg: 'The leases of running jobs could not be extended.' });
    }
  }
}

/** Runs a job in the trace of the caller that enqueued it. A scheduled job begins a new trace. */
function inTrace<T>({ kind, attempts, traceparent }: ClaimedJob, work: () => T): T {
  const tracer = activeTracer();
  if (tracer === null) return work();
  const parent = traceparent === null ? {} : { traceparent };
  const attributes = { 'lintel.job.kind': kind, 'lintel.job.attempts': attempts };
  return spanned(tracer.start(`job ${kind}`, { kind: 'consumer', attributes, parent }), work);
}

function logFields({ claimed: { id, kind, attempts, createdAt } }: RunningJob): Record<string, unknown> {
  return { job: id, kind, attempts, createdAt };
}

/** Returns the stored text of an error. Messages of other errors are not stored, because they may quote data. */
function faultOf(error: unknown): string {
  if (error instanceof JobFault) return error.message;
  return error instanceof Error ? error.constructor.name : 'Error';
}
