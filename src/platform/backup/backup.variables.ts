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
      meaning: 'directory for backups of the embedded database, preferably on another disk',
    },
    BACKUP_SCHEDULE: {
      parse: parseSchedule,
      meaning:
        'schedule for backups of the embedded database: `03:00` (daily, UTC) or `6h`. Also archives its write-ahead log once a minute, so that `restore --at` can restore any point in time. Unset disables scheduled backups',
    },
    BACKUP_KEEP_DAYS: {
      default: 7,
      parse: parseInteger(1, 3_650),
      meaning: 'days for which every point in time can be restored; each backup deletes expired backups',
    },
    EMBEDDED_STANDBY_DIR: {
      parse: parseLine,
      meaning:
        'directory of a standby of the embedded database, preferably on another disk; it is replicated within milliseconds, and `promote` makes it the database',
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
      const configured = [
        ...(backup.schedule === null ? [] : ['BACKUP_SCHEDULE']),
        ...(standbyDir === null ? [] : ['EMBEDDED_STANDBY_DIR']),
      ];
      return configured.map(
        (name) => `${name} must not be set with DATABASE_URL, because it applies to the embedded database only`,
      );
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
