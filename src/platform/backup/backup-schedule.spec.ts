import { isBackupDue, parseSchedule } from './backup-schedule.js';

describe('the backup schedule', () => {
  const at = (text: string): number => Date.parse(`2026-11-${text}Z`);

  it('is due once a day at its minute, and immediately without a backup', () => {
    const schedule = parseSchedule('03:30');
    expect(isBackupDue(schedule, null, at('22T12:00'))).toBe(true);
    expect(isBackupDue(schedule, at('21T03:31'), at('22T03:29'))).toBe(false);
    expect(isBackupDue(schedule, at('21T03:31'), at('22T03:30'))).toBe(true);
    expect(isBackupDue(schedule, at('22T03:31'), at('22T23:59'))).toBe(false);
    // The service was not running at that minute.
    expect(isBackupDue(schedule, at('20T03:31'), at('22T02:00'))).toBe(true);
  });

  it('is due again an interval after the last backup', () => {
    const schedule = parseSchedule('6h');
    expect(isBackupDue(schedule, at('22T00:00'), at('22T05:59'))).toBe(false);
    expect(isBackupDue(schedule, at('22T00:00'), at('22T06:00'))).toBe(true);
  });

  it.each(['3:00', '24:00', '12:60', '9m', '32d', '0h', '6', 'daily', '0 3 * * *', ' 6h'])('rejects %s', (text) => {
    expect(() => parseSchedule(text)).toThrow(/time of day in UTC/);
  });
});
