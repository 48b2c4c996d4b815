import { defineVariables, parseDatabaseUrl, parseInteger } from '../config/config.public.js';

/** The database, and the connections to it. */
export const DATABASE_VARIABLES = defineVariables(
  'Database',
  {
    DATABASE_URL: {
      secret: true,
      parse: parseDatabaseUrl,
      meaning:
        '`postgres://…` of a PostgreSQL server, or of several: `postgres://user:password@one:5432,two:5432/db?target_session_attrs=read-write`; unset starts the embedded one with its data under `$DATA_DIR`',
    },
    DATABASE_READ_URL: {
      secret: true,
      parse: parseDatabaseUrl,
      meaning:
        'address of a standby of `DATABASE_URL` that answers reads of content, as far as it has what whoever asks has written; unset asks the primary',
    },
    DATABASE_POOL_SIZE: { default: 10, parse: parseInteger(2, 500), meaning: 'connections per process' },
  },
  {
    settings: (values) => ({
      databaseUrl: values.DATABASE_URL,
      databaseReadUrl: values.DATABASE_READ_URL,
      databasePoolSize: values.DATABASE_POOL_SIZE,
    }),
  },
);

declare module '../config/config.types.js' {
  interface Config {
    /** Undefined: the embedded PostgreSQL under `dataDir`. */
    readonly databaseUrl: string | undefined;
    /** Undefined: reads are asked of the primary. */
    readonly databaseReadUrl: string | undefined;
    readonly databasePoolSize: number;
  }
}
