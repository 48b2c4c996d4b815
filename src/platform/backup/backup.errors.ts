import { EmbeddedPostgresError } from '../../../packages/embedded-postgres/src/embedded-postgres.js';
import { EmbeddedDatabaseError } from '../database/connections/database-connection.errors.js';

export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
  }
}

export function isBackupUnderWay(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof EmbeddedPostgresError && cause.code === 'backup_running';
}

export async function wordingBackupFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? new EmbeddedDatabaseError(error) : error;
  }
}
