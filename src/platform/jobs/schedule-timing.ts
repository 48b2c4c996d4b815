import { Cron } from 'croner';
import { DefinitionError } from '../../kernel/errors/definition-error.js';
import type { CronSchedule, IntervalSchedule, Schedule } from './job.decorators.js';

/** Time after which a run counts as missed. Processes poll once a second, and their clocks may differ. */
const MISSED_AFTER_MS = 60_000;

export type Timing = { readonly cron: string; readonly timeZone: string } | { readonly everyMs: number };

export function timingOf(schedule: Schedule): Timing {
  if ('cron' in schedule) return { cron: schedule.cron, timeZone: schedule.timeZone ?? 'UTC' };
  return { everyMs: schedule.everyMs };
}

export function storedTiming(payload: object): Timing | null {
  const { cron, timeZone, everyMs } = payload as { cron?: unknown; timeZone?: unknown; everyMs?: unknown };
  if (typeof cron === 'string' && typeof timeZone === 'string') return { cron, timeZone };
  return typeof everyMs === 'number' ? { everyMs } : null;
}

/** Returns the first planned time after a timestamp, both in milliseconds since 1970. */
export function nextTime(timing: Timing, afterMs: number): number {
  if ('everyMs' in timing) return afterMs + timing.everyMs;
  const next = parseCron(timing).nextRun(new Date(afterMs));
  if (next === null) throw new Error(`The cron expression '${timing.cron}' has no next time.`);
  return next.getTime();
}

export function isMissed(plannedMs: number, startedMs: number): boolean {
  return startedMs - plannedMs > MISSED_AFTER_MS;
}

/**
 * @param label `Class.method`, for the message.
 * @throws DefinitionError
 */
export function assertSchedule(schedule: Schedule, label: string): void {
  const { name = label, cron, everyMs } = schedule as Partial<IntervalSchedule & CronSchedule>;
  if (typeof name !== 'string' || name === '' || name.length > 60)
    throw new DefinitionError(`${label} requires a schedule name of 1 to 60 characters.`);
  if ((cron === undefined) === (everyMs === undefined))
    throw new DefinitionError(`${label} requires either cron or everyMs in its schedule.`);
  if ('cron' in schedule && cron !== undefined) assertCron(schedule, label);
  else assertInterval(schedule as IntervalSchedule, label);
}

function assertInterval(schedule: IntervalSchedule, label: string): void {
  const { everyMs, on = 'one instance' } = schedule;
  if (!Number.isSafeInteger(everyMs) || everyMs <= 0)
    throw new DefinitionError(`everyMs of ${label} must be a whole number of milliseconds above 0.`);
  if (!['one instance', 'each instance'].includes(on))
    throw new DefinitionError(`on of ${label} must be 'one instance' or 'each instance'.`);
  const idle = ['timeZone', 'missed'].find((option) => Object.hasOwn(schedule, option));
  if (idle !== undefined) throw new DefinitionError(`${idle} of ${label} requires cron. Remove it for everyMs.`);
}

function assertCron(schedule: CronSchedule, label: string): void {
  const { cron, timeZone = 'UTC', missed = 'once' } = schedule;
  if (!['once', 'skip'].includes(missed)) throw new DefinitionError(`missed of ${label} must be 'once' or 'skip'.`);
  if (Object.hasOwn(schedule, 'on'))
    throw new DefinitionError(`on of ${label} requires everyMs, because a cron schedule runs on one instance.`);
  if (!isTimeZone(timeZone))
    throw new DefinitionError(
      `timeZone of ${label} must be an IANA time zone such as Europe/Berlin, not '${timeZone}'.`,
    );
  let next: Date | null;
  try {
    next = parseCron({ cron, timeZone }).nextRun();
  } catch (error) {
    const { message } = error as Error;
    throw new DefinitionError(
      `cron of ${label} is not a cron expression ('${cron}'): ${message.replace(/^CronPattern: /, '')}`,
    );
  }
  if (next === null) throw new DefinitionError(`cron of ${label} has no time in the future ('${cron}').`);
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Parses an expression without starting a timer. A point in time and years are rejected, because such a schedule would end. */
function parseCron({ cron, timeZone }: { readonly cron: string; readonly timeZone: string }): Cron {
  const text = String(cron).trim();
  if (/^\d{4}-/.test(text)) throw new TypeError('use five or six fields instead of a point in time.');
  return new Cron(text, { timezone: timeZone, paused: true, mode: '5-or-6-parts' });
}
