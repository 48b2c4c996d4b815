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
    DATABASE_POOL_SIZE: { default: 10, parse: parseInteger(2, 500), meaning: 'connections per process' },
  },
  { settings: (values) => ({ databaseUrl: values.DATABASE_URL, databasePoolSize: values.DATABASE_POOL_SIZE }) },
);

declare module '../config/config.types.js' {
  interface Config {
    /** Undefined: the embedded PostgreSQL under `dataDir`. */
    readonly databaseUrl: string | undefined;
    readonly databasePoolSize: number;
  }
}
