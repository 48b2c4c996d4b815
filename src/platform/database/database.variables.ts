import { DatabaseUrlFault, readDatabaseUrl } from '../../kernel/addresses/database-url.js';
import { defineVariables, parseInteger, type Parser, ValueFault } from '../config/config.public.js';
import { DEFAULT_DATABASE_SCHEMA } from './connections/session-settings.js';
import { tlsOptions } from './connections/tls-connection.js';

/** Parses the URL of one or several servers, whose TLS files must be readable. */
const parseDatabaseUrl: Parser<string> = (text) => {
  try {
    tlsOptions(readDatabaseUrl(text).tls);
    return text;
  } catch (error) {
    throw error instanceof DatabaseUrlFault ? new ValueFault(error.message) : error;
  }
};

/** Parses the name of a PostgreSQL schema that needs no quotes. */
const parseSchema: Parser<string> = (text) => {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(text) && !text.startsWith('pg_') && text !== 'information_schema') return text;
  throw new ValueFault(
    'be the name of a PostgreSQL schema: at most 63 lower-case letters, digits and underscores, without a leading digit or pg_',
  );
};

export const DATABASE_VARIABLES = defineVariables(
  'Database',
  {
    DATABASE_URL: {
      secret: true,
      parse: parseDatabaseUrl,
      meaning:
        '`postgres://…` URL of a PostgreSQL server, or of several: `postgres://user:password@one:5432,two:5432/db?target_session_attrs=read-write`; unset starts the embedded PostgreSQL with its data under `$DATA_DIR`',
    },
    DATABASE_READ_URL: {
      secret: true,
      parse: parseDatabaseUrl,
      meaning:
        'URL of a standby of `DATABASE_URL` for content reads; a reader always sees its own writes. Unset uses the primary',
    },
    DATABASE_SCHEMA: {
      default: DEFAULT_DATABASE_SCHEMA,
      parse: parseSchema,
      meaning: 'PostgreSQL schema of all tables, created at the first start if it does not exist',
    },
    DATABASE_POOL_SIZE: {
      default: 10,
      parse: parseInteger(2, 500),
      meaning: 'maximum number of database connections per process',
    },
  },
  {
    settings: (values) => ({
      databaseUrl: values.DATABASE_URL,
      databaseReadUrl: values.DATABASE_READ_URL,
      databaseSchema: values.DATABASE_SCHEMA,
      databasePoolSize: values.DATABASE_POOL_SIZE,
    }),
  },
);

declare module '../config/config.types.js' {
  interface Config {
    readonly databaseUrl: string | undefined;
    readonly databaseReadUrl: string | undefined;
    readonly databaseSchema: string;
    readonly databasePoolSize: number;
  }
}
