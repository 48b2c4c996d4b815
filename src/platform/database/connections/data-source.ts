import type { PoolConfig } from 'pg';
import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import type { Config } from '../../config/config.types.js';
import type { DatabaseClientConfig } from './database-client.js';
import { DatabasePool } from './database-pool.js';
import { readDatabaseUrl } from '../../../kernel/addresses/database-url.js';
import { CommitEffects } from '../transactions.js';
import { ServerChoice } from './server-choice.js';
import { tlsOptions } from './tls-connection.js';
import type { ApplicationTables, ModuleTables } from '../tables.decorator.js';
import { defineLimit } from '../../../kernel/limits.js';

/** Address of PostgreSQL. The host of the embedded server is the directory of its socket. */
export interface DatabaseAddress {
  readonly url: string;
  readonly schema?: string | undefined;
}

export interface DataSourceSettings {
  readonly address: DatabaseAddress;
  readonly entities: readonly EntityTarget<ObjectLiteral>[];
  /** For TypeORM's command line, in any order. */
  readonly migrations?: ModuleTables['migrations'];
  readonly poolSize: number;
  /** Statement timeout in milliseconds; 0 for none (migrations). */
  readonly statementTimeoutMs: number;
  /** Longest statement timeout that a transaction may set for itself. Default: `statementTimeoutMs`. */
  readonly maxStatementMs?: number;
}

export const MIGRATIONS_TABLE = 'lintel_migrations';
export const OWN_MIGRATIONS_TABLE = 'app_migrations';

/** A request that gets no connection in this time is rejected because the database is not available. */
const CONNECTION_TIMEOUT_MS = 2_000;
/** For work without a statement timeout, such as migrations: many instances may start at the same time. */
const LONG_CONNECTION_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = defineLimit(
  5_000,
  'Requests',
  'milliseconds of a database statement: reads and simple writes',
  'query_timeout',
);
const LONG_STATEMENT_MS = defineLimit(
  15_000,
  'Requests',
  'milliseconds of a database statement: writes in a transaction',
  'query_timeout',
);

/** For a transaction: each statement may take 15 seconds instead of 5. */
export const ALLOW_LONG_STATEMENTS = `SET LOCAL statement_timeout = ${LONG_STATEMENT_MS}`;
/** For a transaction: it may wait for its client without a limit. */
export const ALLOW_IDLING = 'SET LOCAL idle_in_transaction_session_timeout = 0';

/** The DataSource is not connected yet. PostgreSQL and the embedded server use the same dialect and migrations. */
export function createDataSource(settings: DataSourceSettings): DataSource {
  const { url, ...server } = serverOf(settings.address);
  const client: DatabaseClientConfig = {
    ...server,
    statementMs: settings.statementTimeoutMs,
    maxStatementMs: settings.maxStatementMs,
  };
  return new DataSource({
    type: 'postgres',
    driver: { Pool: DatabasePool },
    url,
    entities: [...settings.entities] as never[],
    migrations: [...(settings.migrations ?? [])],
    subscribers: [CommitEffects],
    migrationsTableName: MIGRATIONS_TABLE,
    installExtensions: false,
    logging: false,
    applicationName: 'lintel',
    poolSize: settings.poolSize,
    connectTimeoutMS: settings.statementTimeoutMs === 0 ? LONG_CONNECTION_TIMEOUT_MS : CONNECTION_TIMEOUT_MS,
    // The pool replaces an idle connection that breaks. The next request detects whether the database is available.
    poolErrorHandler: () => undefined,
    extra: { keepAlive: true, idleTimeoutMillis: 30_000, ...client },
  });
}

function serverOf({ url, schema }: DatabaseAddress): DatabaseClientConfig & { readonly url: string } {
  const target = readDatabaseUrl(url);
  const isChosen = target.servers.length > 1 || target.mustAcceptWrites;
  return {
    url: target.url,
    ...tlsOptions(target.tls),
    ...(isChosen ? { servers: new ServerChoice(target) } : {}),
    ...(schema === undefined ? {} : { schema }),
  };
}

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

export function applicationSettings(
  config: Config,
  address: DatabaseAddress,
  tables: ApplicationTables,
): DataSourceSettings {
  return {
    address,
    entities: tables.entities,
    poolSize: config.databasePoolSize,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    maxStatementMs: LONG_STATEMENT_MS,
  };
}
