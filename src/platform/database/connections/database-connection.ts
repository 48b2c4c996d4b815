import type { Config } from '../../config/config.types.js';
import { EmbeddedDatabaseError } from './database-connection.errors.js';
import type { DatabaseAddress } from './data-source.js';
import { join } from 'node:path';
import {
  acquireEmbeddedPostgres,
  EmbeddedPostgresError,
  type EmbeddedPostgresLease,
} from '../../../../packages/embedded-postgres/src/embedded-postgres.js';

/** A database that this process may use until it releases it. */
export interface DatabaseConnection {
  readonly address: DatabaseAddress;
  readonly embedded: boolean;
  /** Lets go of the embedded server; the last process to do so ends it. */
  release(): Promise<void>;
}

/** Use of the embedded server. */
interface EmbeddedUse {
  readonly log?: (message: string) => void;
  /** Directory to which it archives its log, `null` for none; as before unless given. */
  readonly archive?: string | null;
}

/** Returns where the embedded server lies, and what it is called. */
export function embeddedPlace({ dataDir }: Config): { readonly directory: string; readonly name: string } {
  return { directory: join(dataDir, 'postgres'), name: 'lintel' };
}

/** Finds the database: the server of `DATABASE_URL`, or the embedded one, which is joined or started. */
export async function openDatabase(config: Config, use?: EmbeddedUse): Promise<DatabaseConnection> {
  const { databaseUrl, databaseSchema: schema } = config;
  if (databaseUrl !== undefined) {
    return { address: { url: databaseUrl, schema }, embedded: false, release: () => Promise.resolve() };
  }
  const lease = await acquireEmbedded(embeddedPlace(config).directory, use);
  return { address: { url: lease.url, schema }, embedded: true, release: () => lease.release() };
}

/**
 * Joins or starts the embedded server of a directory.
 *
 * @throws EmbeddedDatabaseError
 */
export async function acquireEmbedded(directory: string, use: EmbeddedUse = {}): Promise<EmbeddedPostgresLease> {
  try {
    return await acquireEmbeddedPostgres({ directory, name: 'lintel', ...use });
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? new EmbeddedDatabaseError(error) : error;
  }
}
