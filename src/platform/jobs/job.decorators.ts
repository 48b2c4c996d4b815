import { MethodMark } from '../extension/marked-methods.js';
import type { Job, JobKind } from './jobs.public.js';

export const JOB_RUNNERS = new MethodMark<{ readonly kind: JobKind }>('runs in the background');
export const SCHEDULES = new MethodMark<Schedule>('runs in the background');

/** A schedule with a fixed interval. The next run begins `everyMs` after the end of the last one. */
export interface IntervalSchedule {
  /** Unique name, at most 60 characters; it is stored in the job table. Default: `Class.method`. */
  readonly name?: string;
  /** Interval in milliseconds, a whole number above 0. */
  readonly everyMs: number;
  /**
   * `one instance` (default): one run across all processes; another process takes over if that one dies. `each instance`:
   * every process runs it in memory, whatever `ROLE` and `JOB_KINDS` are. Use it for state of the process itself.
   */
  readonly on?: 'one instance' | 'each instance';
}

/** A schedule by wall-clock time. Each run happens once across all processes. */
export interface CronSchedule {
  /** Unique name, at most 60 characters; it is stored in the job table. Default: `Class.method`. */
  readonly name?: string;
  /** Five fields (minute, hour, day of month, month, day of week), six with seconds first, or `@daily` and its like. */
  readonly cron: string;
  /** IANA time zone of the expression, such as `Europe/Berlin`. Default: `UTC`. */
  readonly timeZone?: string;
  /**
   * Handling of runs that no process could begin in time. `once` (default): one run as soon as a process can, however many were
   * missed. `skip`: none; the next run is the next one planned. A run counts as missed after one minute.
   */
  readonly missed?: 'once' | 'skip';
}

/** Options of {@link Scheduled}. */
export type Schedule = IntervalSchedule | CronSchedule;

/**
 * Options of {@link RunsEvery}.
 *
 * @deprecated Use {@link IntervalSchedule}. Removed in the next minor version.
 */
export type Recurrence = IntervalSchedule;

type MethodOf<Run> = <T extends Run>(target: object, name: string | symbol, method: TypedPropertyDescriptor<T>) => void;

export function isRunner(method: object): boolean {
  return JOB_RUNNERS.isOn(method) || SCHEDULES.isOn(method);
}

/** Runs the jobs of a kind with this method of a provider: at least once each, normally once. */
export function RunsJob<Payload extends object>(
  kind: JobKind<Payload>,
): MethodOf<(job: Job<Payload>) => Promise<void>> {
  return (target, name, method) => JOB_RUNNERS.add(target, name, method, { kind });
}

/**
 * Runs this method of a provider on a schedule, by interval (`everyMs`) or by wall-clock time (`cron`, `timeZone`).
 *
 * A run that throws is logged and not repeated before the next planned run. A run that is interrupted by the end of its process is
 * repeated by another process. The start fails if the schedule is invalid.
 */
export function Scheduled(schedule: Schedule): MethodOf<() => Promise<unknown>> {
  return (target, name, method) => SCHEDULES.add(target, name, method, schedule);
}

/**
 * Runs this method of a provider at a fixed interval.
 *
 * @deprecated Use {@link Scheduled}, which takes the same options. Removed in the next minor version.
 */
export function RunsEvery(recurrence: Recurrence): MethodOf<() => Promise<unknown>> {
  return Scheduled(recurrence);
}
