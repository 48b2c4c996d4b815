import { AppError } from '../../../../kernel/app-error.js';
import { ObjectMissing } from '../file-storage.port.js';
import { S3Fault } from './s3-client.js';

const FULL: ReadonlySet<string> = new Set(['QuotaExceeded', 'XMinioStorageFull', 'StorageFull']);
const MISSING = 404;

/**
 * Asks a store. What it cannot do now it may do later; whoever sent a file is told that, and the log the rest.
 *
 * @throws AppError `storage_full`, `service_unavailable`.
 */
export async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof AppError || cause instanceof ObjectMissing) throw cause;
    if (cause instanceof S3Fault && (FULL.has(cause.code) || cause.status === 507))
      throw new AppError('storage_full', { cause });
    throw new AppError('service_unavailable', { retryAfterSeconds: 1, cause });
  }
}

/** Returns whether a store says that there is no such object, or upload. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3Fault && error.status === MISSING;
}

/** Answers null for what is missing. */
export function unlessMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
