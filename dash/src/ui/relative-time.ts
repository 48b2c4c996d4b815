import { texts } from '../texts/texts.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** From so many seconds on, in these units. */
const UNITS: readonly [from: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [365 * DAY, 365 * DAY, 'year'],
  [30 * DAY, 30 * DAY, 'month'],
  [14 * DAY, 7 * DAY, 'week'],
  [DAY, DAY, 'day'],
  [HOUR, HOUR, 'hour'],
  [MINUTE, MINUTE, 'minute'],
];

/** Says how long ago a moment was ("3 hours ago"). A clock that is a little wrong makes nothing that is yet to come. */
export function relativeTime(time: number, now: number): string {
  const seconds = Math.floor((now - time) / 1_000);
  const [, size, unit] = UNITS.find(([from]) => seconds >= from) ?? [];
  const { locale, frame } = texts();
  if (size === undefined || unit === undefined) return frame.justNow;
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-Math.floor(seconds / size), unit);
}
