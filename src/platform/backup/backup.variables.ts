import { join } from 'node:path';
import { defineVariables, parseInteger, parseLine } from '../config/config.public.js';
import { type BackupSchedule, parseSchedule } from './backup-schedule.js';

export const BACKUP_VARIABLES = defineVariables(
  'Operation',
  {
    BACKUP_DIR: {
      defaultText: '$DATA_DIR/backups',
      inForce: ({ backup }) => backup.directory,
      parse: parseLine,
      meaning: 'backups of the embedded database; better on another disk',
    },
    BACKUP_SCHEDULE: {
      parse: parseSchedule,
      meaning:
        'when the embedded database is backed up: `03:00` (each day, UTC) or `6h`; also archives its log once a minute, so that `restore --at` comes to any moment. Unset makes no backups by itself',
    },
    BACKUP_KEEP_DAYS: {
      default: 7,
      parse: parseInteger(1, 3_650),
      meaning: 'days of which any moment can be restored; older backups are removed when one is made',
    },
    EMBEDDED_STANDBY_DIR: {
      parse: parseLine,
      meaning:
        'a second embedded database that follows the first within milliseconds, on another disk; `promote` puts it in its place',
    },
  },
  {
    settings: (values, { config }) => ({
      backup: {
        directory: values.BACKUP_DIR ?? join(config.dataDir, 'backups'),
        schedule: values.BACKUP_SCHEDULE ?? null,
        keepDays: values.BACKUP_KEEP_DAYS,
      },
      standbyDir: values.EMBEDDED_STANDBY_DIR ?? null,
    }),
    faults: ({ backup, standbyDir, databaseUrl }) => {
      if (databaseUrl === undefined) return [];
      const given = [
        ...(backup.schedule === null ? [] : ['BACKUP_SCHEDULE']),
        ...(standbyDir === null ? [] : ['EMBEDDED_STANDBY_DIR']),
      ];
      return given.map((name) => `${name} must be left out with DATABASE_URL: it is for the embedded database`);
    },
  },
);

declare module '../config/config.types.js' {
  interface Config {
    readonly backup: {
      readonly directory: string;
      readonly schedule: BackupSchedule | null;
      readonly keepDays: number;
    };
    /** Directory of the standby of the embedded database; null for none. */
    readonly standbyDir: string | null;
  }
}
