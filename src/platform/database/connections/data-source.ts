import type { PoolConfig } from 'pg';
import { DataSource, type EntityTarget, type Logger, type ObjectLiteral } from 'typeorm';
import type { Config } from '../../config/config.types.js';
import type { DatabaseClientConfig } from './database-client.js';
import { DatabasePool } from './database-pool.js';
import { readDatabaseUrl } from '../../../kernel/addresses/database-url.js';
import { CommitEffects } from '../commit-effects.js';
import { ServerChoice } from './server-choice.js';
import { tlsOptions } from './tls-options.js';
import type { ApplicationTables, ModuleTables } from '../tables.decorator.js';
import { defineLimit } from '../../../kernel/limits.js';

/** Holds the address of PostgreSQL. The host of the embedded one is the directory of its socket. */
export interface DatabaseAddress {
  readonly url: string;
  /** The PostgreSQL schema of all tables (`DATABASE_SCHEMA`); `public` unless given. */
  readonly schema?: string | undefined;
}

/** Holds the settings of a DataSource. */
export interface DataSourceSettings {
  readonly address: DatabaseAddress;
  readonly entities: readonly EntityTarget<ObjectLiteral>[];
  /** In any order. They are run by the Migrator alone. */
  readonly migrations?: ModuleTables['migrations'];
  /** The table that says which migrations are applied. */
  readonly migrationsTable?: string;
  readonly poolSize: number;
  /** Bound of one statement in milliseconds; 0 for none (migrations). */
  readonly statementTimeoutMs: number;
  /** The longest bound that a transaction may set for its own statements; the same where nothing is said. */
  readonly longestStatementMs?: number;
}

/** The table that lists the applied migrations of the service. */
export const MIGRATIONS_TABLE = 'lintel_migrations';
/** The same for the migrations of an application. */
export const OWN_MIGRATIONS_TABLE = 'app_migrations';

/** Time for which a request waits for a connection before it is told that the database is not available. */
const CONNECTION_TIMEOUT_MS = 2_000;
/** Bound of a statement on the request path. */
const STATEMENT_TIMEOUT_MS = defineLimit(
  5_000,
  'Requests',
  'milliseconds of a database statement: reads and simple writes',
  'query_timeout',
);
/** Bound of a statement in a transaction that asked for it by {@link ALLOW_LONG_STATEMENTS}. */
const LONG_STATEMENT_MS = defineLimit(
  15_000,
  'Requests',
  'milliseconds of a database statement: writes in a transaction',
  'query_timeout',
);

/** In a transaction: its statements may take 15 seconds each, where others may take 5. */
export const ALLOW_LONG_STATEMENTS = `SET LOCAL statement_timeout = ${LONG_STATEMENT_MS}`;
/** In a transaction: it may wait for its client as long as that takes. */
export const ALLOW_IDLING = 'SET LOCAL idle_in_transaction_session_timeout = 0';

/** TypeORM prints failed migrations even if logging is off. */
const SILENT: Logger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};

/**
 * Returns the one DataSource of the service, for PostgreSQL and for the embedded default alike: one dialect, the same migrations. It
 * is not connected yet.
 */
export function createDataSource(settings: DataSourceSettings): DataSource {
  const { url, ...server } = serverOf(settings.address);
  const client: DatabaseClientConfig = {
    ...server,
    statementMs: settings.statementTimeoutMs,
    longestStatementMs: settings.longestStatementMs,
  };
  return new DataSource({
    type: 'postgres',
    driver: { Pool: DatabasePool },
    url,
    entities: [...settings.entities] as never[],
    migrations: [...(settings.migrations ?? [])],
    subscribers: [CommitEffects],
    migrationsTableName: settings.migrationsTable ?? MIGRATIONS_TABLE,
    installExtensions: false,
    logging: false,
    logger: SILENT,
    applicationName: 'lintel',
    poolSize: settings.poolSize,
    connectTimeoutMS: CONNECTION_TIMEOUT_MS,
    // An idle connection that breaks is replaced by the pool; the next request finds out whether the database is there.
    poolErrorHandler: () => undefined,
    extra: { keepAlive: true, idleTimeoutMillis: 30_000, ...client },
  });
}

/** Returns the address as TypeORM reads it, and how the server is found if it does not say which one. */
function serverOf({ url, schema }: DatabaseAddress): ServerSettings {
  const target = readDatabaseUrl(url);
  const isChosen = target.servers.length > 1 || target.mustAcceptWrites;
  return {
    url: target.url,
    ...tlsOptions(target.tls),
    ...(isChosen ? { servers: new ServerChoice(target) } : {}),
    ...(schema === undefined ? {} : { schema }),
  };
}

type ServerSettings = { readonly url: string } & Pick<
  DatabaseClientConfig,
  'servers' | 'schema' | 'ssl' | 'tlsOptional'
>;

/** Returns the settings of a pool of the driver for another server, with the bounds of the request path. */
export function poolOptions(
  url: string,
  { databasePoolSize, databaseSchema }: Pick<Config, 'databasePoolSize' | 'databaseSchema'>,
): PoolConfig {
  const { url: connectionString, ...server } = serverOf({ url, schema: databaseSchema });
  const client: DatabaseClientConfig = { ...server, statementMs: STATEMENT_TIMEOUT_MS };
  return {
    connectionString,
    max: databasePoolSize,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    application_name: 'lintel',
    keepAlive: true,
    idleTimeoutMillis: 30_000,
    ...client,
  };
}

/** Returns the settings of the application's own DataSource. */
export function applicationSettings(
  config: Config,
  address: DatabaseAddress,
  tables: ApplicationTables,
): DataSourceSettings {
  return {
    address,
    entities: tables.entities,
    migrations: tables.migrations,
    poolSize: config.databasePoolSize,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    longestStatementMs: LONG_STATEMENT_MS,
  };
}
