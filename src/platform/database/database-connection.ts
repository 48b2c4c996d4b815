import type { Config } from '../config/config.types.js';
import { EmbeddedDatabaseError } from './database-connection.errors.js';
import type { DatabaseAddress } from './data-source.js';
import { join } from 'node:path';
import {
  acquireEmbeddedPostgres,
  EmbeddedPostgresError,
  type EmbeddedPostgresLease,
} from '../../../packages/embedded-postgres/src/embedded-postgres.js';

/** A database that this process may use until it releases it. */
export interface DatabaseConnection {
  readonly address: DatabaseAddress;
  readonly embedded: boolean;
  /** Lets go of the embedded server; the last process to do so ends it. */
  release(): Promise<void>;
}

/** Finds the database: the server of `DATABASE_URL`, or the embedded one, which is joined or started. */
export async function openDatabase(config: Config, log?: (message: string) => void): Promise<DatabaseConnection> {
  if (config.databaseUrl !== undefined) {
    return { address: { url: config.databaseUrl }, embedded: false, release: () => Promise.resolve() };
  }
  const lease = await acquireEmbedded(join(config.dataDir, 'postgres'), log);
  return { address: lease, embedded: true, release: () => lease.release() };
}

/**
 * Joins or starts the embedded server of a directory.
 *
 * @throws EmbeddedDatabaseError
 */
export async function acquireEmbedded(
  directory: string,
  log?: (message: string) => void,
): Promise<EmbeddedPostgresLease> {
  try {
    return await acquireEmbeddedPostgres({ directory, name: 'lintel', log });
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? new EmbeddedDatabaseError(error) : error;
  }
}
