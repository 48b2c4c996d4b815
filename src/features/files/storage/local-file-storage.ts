import { createReadStream, open as openWithCallback } from 'node:fs';
import { promisify } from 'node:util';
import { type FileHandle, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { createDirectories } from '../../../../packages/embedded-postgres/src/embedded-postgres.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { isUuid } from '../../../kernel/keys/random.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { type ByteRange, FileStorage, ObjectMissing, type StoredObject } from './file-storage.port.js';

const PART = '.part';
/** Opens a file descriptor for streams: streams of a `FileHandle` take a third more processor time (ADR 0080). */
const openPlain = promisify(openWithCallback);
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Files under `$DATA_DIR/files`. A file is written under another name, flushed, and then renamed, which is atomic. Paths are derived from
 * ids only. The last characters of an id are random and select one of 65,536 folders.
 */
@Injectable()
export class LocalFileStorage extends FileStorage {
  private readonly root: string;

  constructor(@Inject(CONFIG) { dataDir }: Pick<Config, 'dataDir'>) {
    super();
    this.root = join(dataDir, 'files');
  }

  override disk(): string {
    return 'local';
  }

  override async write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.pathOf(key);
    const createdFrom = createDirectories(dirname(path), 0o700);
    const file = await open(path + PART, 'wx', 0o600);
    try {
      for await (const part of bytes) await writeAll(file, part);
      await file.sync();
    } catch (error) {
      throw FULL.has(codeOf(error)) ? new AppError('storage_full', { cause: error }) : error;
    } finally {
      await file.close();
    }
    await rename(path + PART, path);
    await flushFolders(dirname(path), createdFrom === undefined ? dirname(path) : dirname(this.root));
  }

  override async read(key: string, range?: ByteRange): Promise<Readable> {
    const fd = await openPlain(this.pathOf(key), 'r').catch((error: unknown) => {
      throw codeOf(error) === 'ENOENT' ? new ObjectMissing(key) : error;
    });
    return createReadStream('', { ...range, fd, highWaterMark: 131_072 });
  }

  override async find(key: string): Promise<StoredObject | null> {
    const found = await stat(this.pathOf(key)).catch(nullIfMissing);
    return found && { key, size: found.size };
  }

  override async remove(key: string): Promise<void> {
    const path = this.pathOf(key);
    for (const name of [path + PART, path]) await rm(name, { force: true });
  }

  override async *list(): AsyncGenerator<StoredObject> {
    const folder = await opendir(this.root, { recursive: true }).catch(nullIfMissing);
    if (folder === null) return;
    for await (const entry of folder) {
      const key = basename(entry.name, PART);
      if (!entry.isFile() || !isUuid(key)) continue;
      const found = await stat(join(entry.parentPath, entry.name)).catch(nullIfMissing);
      if (found !== null) yield { key, size: found.size };
    }
  }

  private pathOf(key: string): string {
    if (!isUuid(key)) throw new TypeError('A storage key must be a UUID.');
    return join(this.root, key.slice(-2), key.slice(-4, -2), key);
  }
}

async function writeAll(file: FileHandle, part: Uint8Array): Promise<void> {
  for (let written = 0; written < part.length;)
    written += (await file.write(part, written, part.length - written)).bytesWritten;
}

/** Flushes the folders of an object. A name survives a crash once its folder was flushed, and a new folder once its parent was. */
async function flushFolders(from: string, to: string): Promise<void> {
  for (let path = from; ; path = dirname(path)) {
    const folder = await open(path, 'r');
    // Windows cannot flush folders.
    await folder.sync().catch(() => undefined);
    await folder.close();
    if (path === to || path === dirname(path)) return;
  }
}

function nullIfMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}
