import { Cron } from 'croner';
import type { Schedule } from './job.decorators.js';
import { assertSchedule, isMissed, nextTime, storedTiming, timingOf } from './schedule-timing.js';

const DAY_MS = 86_400_000;

describe('nextTime', () => {
  it('adds an interval', () => {
    expect(nextTime({ everyMs: 500 }, 1_000)).toBe(1_500);
  });

  it.each<[timeZone: string, changes: readonly string[]]>([
    ['Europe/Berlin', ['2026-03-28', '2026-10-24']],
    ['America/New_York', ['2026-03-07', '2026-10-31']],
    ['Australia/Lord_Howe', ['2026-04-04', '2026-10-03']],
    ['America/Havana', ['2026-03-07', '2026-10-31']],
    ['UTC', ['2026-03-28']],
  ])('returns the times of croner around DST changes in %s', (timeZone, changes) => {
    for (const cron of ['0 2 * * *', '30 2 * * *', '*/20 * * * *', '15 1-3 * * *', '0 0 * * *', '0 3 * * sun'])
      for (const change of changes) {
        const start = Date.parse(`${change}T00:00:00Z`);
        const list = new Cron(cron, { timezone: timeZone, paused: true }).nextRuns(200, new Date(start)).map(Number);
        for (let at = start; at < start + 2 * DAY_MS; at += 1_260_137)
          expect([cron, at, nextTime({ cron, timeZone }, at)]).toEqual([cron, at, list.find((time) => time > at)]);
      }
  });

  it('runs once in the repeated hour, and after the gap in the skipped hour', () => {
    const timing = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' };
    const next = (after: string): string => new Date(nextTime(timing, Date.parse(after))).toISOString();
    expect(next('2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(next('2026-10-25T00:30:00.400Z')).toBe('2026-10-26T01:30:00.000Z');
    expect(next('2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
    expect(next('2026-03-29T01:00:00Z')).toBe('2026-03-30T00:30:00.000Z');
  });
});

describe('stored times', () => {
  it.each<Schedule>([{ cron: '0 2 * * *', timeZone: 'Europe/Berlin' }, { cron: '@daily' }, { everyMs: 5 }])(
    'are read as written: %j',
    (schedule) => {
      const timing = timingOf(schedule);
      expect(storedTiming(JSON.parse(JSON.stringify(timing)) as object)).toEqual(timing);
    },
  );

  it('are none in a row of an older version', () => {
    expect(storedTiming({})).toBeNull();
  });

  it('count a run as missed after a minute', () => {
    expect([59_000, 60_000, 60_001].map((late) => isMissed(0, late))).toEqual([false, false, true]);
  });
});

describe('assertSchedule', () => {
  it.each<Schedule>([
    { everyMs: 1 },
    { everyMs: 1, on: 'each instance', name: 'acme.flush' },
    { cron: '0 2 * * *', timeZone: 'Europe/Berlin' },
    { cron: '*/5 0-6 1,15 jan-jun mon', missed: 'skip' },
    { cron: '30 0 2 * * *' },
    { cron: '@weekly', timeZone: 'America/Argentina/Buenos_Aires' },
    { cron: '0 0 29 2 *' },
  ])('accepts %j', (schedule) => {
    expect(() => assertSchedule(schedule, 'Acme.run')).not.toThrow();
  });

  it.each<[schedule: object, message: RegExp]>([
    [{}, /^Acme\.run requires either cron or everyMs in its schedule\.$/],
    [{ cron: '* * * * *', everyMs: 5 }, /^Acme\.run requires either cron or everyMs/],
    [{ everyMs: 0 }, /^everyMs of Acme\.run must be a whole number of milliseconds above 0\.$/],
    [{ everyMs: 1.5 }, /^everyMs of Acme\.run must/],
    [{ everyMs: '5' }, /^everyMs of Acme\.run must/],
    [{ everyMs: 5, timeZone: 'UTC' }, /^timeZone of Acme\.run requires cron/],
    [{ everyMs: 5, missed: 'skip' }, /^missed of Acme\.run requires cron/],
    [{ everyMs: 5, on: 'two instances' }, /^on of Acme\.run must be/],
    [{ everyMs: 5, name: '' }, /^Acme\.run requires a schedule name of 1 to 60 characters\.$/],
    [{ everyMs: 5, name: 'x'.repeat(61) }, /^Acme\.run requires a schedule name/],
    [{ cron: '' }, /^cron of Acme\.run is not a cron expression \(''\)/],
    [{ cron: 'every day' }, /^cron of Acme\.run is not a cron expression/],
    [{ cron: '61 * * * *' }, /^cron of Acme\.run is not a cron expression \('61 \* \* \* \*'\): .*minute/],
    [{ cron: '0 0 0 1 1 * 2020' }, /^cron of Acme\.run is not a cron expression/],
    [{ cron: '2026-01-01T00:00:00' }, /^cron of Acme\.run is not a cron expression .*point in time/],
    [{ cron: '0 0 31 2 *' }, /^cron of Acme\.run has no time in the future/],
    [{ cron: '* * * * *', timeZone: 'Mars/City' }, /^timeZone of Acme\.run must be an IANA time zone/],
    [{ cron: '* * * * *', missed: 'never' }, /^missed of Acme\.run must be 'once' or 'skip'\.$/],
    [{ cron: '* * * * *', on: 'each instance' }, /^on of Acme\.run requires everyMs/],
  ])('rejects %j with one message', (schedule, message) => {
    expect(() => assertSchedule(schedule as Schedule, 'Acme.run')).toThrow(message);
  });
});
