import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../../kernel/errors/app-error.js';
import type { ImportBytes } from './import-row.types.js';

export interface ImportSource {
  readonly open: () => ImportBytes;
  readonly end: () => Promise<void>;
}

/**
 * Buffers a stream on disk, so that a transaction does not wait for a slow client and memory use is constant. The file is unlinked before
 * its first byte is written, so a crash leaves at most an empty file (on Windows it is removed on close).
 *
 * @param most maximum number of bytes.
 * @throws AppError `body_too_large`; `server_busy` if the disk is full.
 */
export async function spooled(bytes: ImportBytes, most: number): Promise<ImportSource> {
  const path = join(tmpdir(), `lintel-import-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  const remove = (): Promise<void> => rm(path, { force: true }).catch(() => undefined);
  const end = async (): Promise<void> => {
    await handle.close();
    await remove();
  };
  try {
    await remove();
    for await (const chunk of bounded(bytes, most)) await handle.appendFile(chunk);
    return { open: () => handle.createReadStream({ start: 0, autoClose: false }), end };
  } catch (error) {
    await end();
    const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
    throw isFull ? new AppError('server_busy', { cause: error, retryAfterSeconds: 60 }) : error;
  }
}

/** Yields the bytes. @throws AppError `body_too_large` if there are more than `most`. */
export async function* bounded(bytes: ImportBytes, most: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.byteLength;
    if (length > most) throw new AppError('body_too_large');
    yield chunk;
  }
}
