import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../../kernel/errors/app-error.js';
import type { ImportBytes } from './import-row.types.js';

/** A file that can be read from its beginning, as often as it has to be. */
export interface ImportSource {
  readonly open: () => ImportBytes;
  /** Gives back what holds it. */
  readonly end: () => Promise<void>;
}

/**
 * Keeps bytes that come once, on the disk: a transaction waits for no sender, and memory stays flat. The file has no name any more when
 * the first of them comes, so a crash leaves an empty one at worst (on Windows it is removed when it is closed).
 *
 * @param most bytes that it may have.
 * @throws AppError `body_too_large`; `server_busy` if the disk has no room.
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

/** Passes bytes on. @throws AppError `body_too_large` if there are more of them. */
export async function* bounded(bytes: ImportBytes, most: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.byteLength;
    if (length > most) throw new AppError('body_too_large');
    yield chunk;
  }
}
