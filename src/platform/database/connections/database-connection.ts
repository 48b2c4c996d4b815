import type { Config } from '../../config/config.types.js';
import { EmbeddedDatabaseError } from './database-connection.errors.js';
import type { DatabaseAddress } from './data-source.js';
import { join } from 'node:path';
import {
  acquireEmbeddedPostgres,
  EmbeddedPostgresError,
  type EmbeddedPostgresLease,
  type EmbeddedPostgresOptions,
} from '../../../../packages/embedded-postgres/src/embedded-postgres.js';

/** A database that this process may use until it calls `release`. */
export interface DatabaseConnection {
  readonly address: DatabaseAddress;
  readonly embedded: boolean;
  /** Releases the embedded server. It stops when the last process has released it. */
  release(): Promise<void>;
}

type EmbeddedUse = Pick<EmbeddedPostgresOptions, 'log' | 'archive'>;

export function embeddedDirectory({ dataDir }: Config): { readonly directory: string; readonly name: string } {
  return { directory: join(dataDir, 'postgres'), name: 'lintel' };
}

export async function openDatabase(config: Config, use?: EmbeddedUse): Promise<DatabaseConnection> {
  const { databaseUrl, databaseSchema: schema } = config;
  if (databaseUrl !== undefined) {
    return { address: { url: databaseUrl, schema }, embedded: false, release: () => Promise.resolve() };
  }
  const lease = await acquireEmbedded(embeddedDirectory(config).directory, use);
  return { address: { url: lease.url, schema }, embedded: true, release: () => lease.release() };
}

/** @throws EmbeddedDatabaseError */
export function acquireEmbedded(directory: string, use: EmbeddedUse = {}): Promise<EmbeddedPostgresLease> {
  return withEmbeddedErrors(() => acquireEmbeddedPostgres({ directory, name: 'lintel', ...use }));
}

/** @throws EmbeddedDatabaseError */
export async function withEmbeddedErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? new EmbeddedDatabaseError(error) : error;
  }
}
