import { ValueFault, type Parser } from '../config/config.public.js';
import type { Config } from '../config/config.types.js';

export type BackupSchedule = { readonly everyMs: number } | { readonly minuteOfDay: number };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const UNITS_MS = { m: MINUTE_MS, h: 3_600_000, d: DAY_MS };
const LEAST_MS = 10 * MINUTE_MS;

/** Parses `03:00` (daily, UTC), or an interval since the last backup: `30m`, `6h`, `1d`. */
export const parseSchedule: Parser<BackupSchedule> = (text) => {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour !== undefined) return { minuteOfDay: Number(hour) * 60 + Number(minute) };
  const [, count, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  const everyMs = Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  if (everyMs >= LEAST_MS && everyMs <= 31 * DAY_MS) return { everyMs };
  throw new ValueFault('be a time of day in UTC such as 03:00, or an interval from 10m to 31d such as 6h');
};

export function seesToBackups({ seat, jobs }: Pick<Config, 'seat' | 'jobs'>): boolean {
  return jobs.role !== 'serve' && (seat === null || seat.number === 1);
}

/** @param newest completion of the newest backup, in milliseconds since 1970; null if there is none. */
export function isBackupDue(schedule: BackupSchedule, newest: number | null, now: number): boolean {
  if (newest === null) return true;
  if ('everyMs' in schedule) return now - newest >= schedule.everyMs;
  const today = Math.floor(now / DAY_MS) * DAY_MS + schedule.minuteOfDay * MINUTE_MS;
  return newest < (today <= now ? today : today - DAY_MS);
}
