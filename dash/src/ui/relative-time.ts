import { texts } from '../texts/texts.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Units, with the age in seconds from which each is used. */
const UNITS: readonly [from: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [365 * DAY, 365 * DAY, 'year'],
  [30 * DAY, 30 * DAY, 'month'],
  [14 * DAY, 7 * DAY, 'week'],
  [DAY, DAY, 'day'],
  [HOUR, HOUR, 'hour'],
  [MINUTE, MINUTE, 'minute'],
];

/** Formats an age ("3 hours ago"). A time in the future, from a clock that differs, is "just now". */
export function relativeTime(time: number, now: number): string {
  const seconds = Math.floor((now - time) / 1_000);
  const [, size, unit] = UNITS.find(([from]) => seconds >= from) ?? [];
  const { locale, frame } = texts();
  if (size === undefined || unit === undefined) return frame.justNow;
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-Math.floor(seconds / size), unit);
}
