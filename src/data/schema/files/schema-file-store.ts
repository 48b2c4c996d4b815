import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { makeDirectories } from '../../../../packages/embedded-postgres/src/embedded-postgres.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import type { StatementRunner } from '../plan/plan.types.js';

/** A file that is to be written once the change is committed. */
export interface PendingFile {
  readonly name: string;
  /** Name of the file beside it that takes its place; null if the file is to go. */
  readonly temporary: string | null;
  readonly formerHash: string | null;
  readonly hash: string | null;
}

/** The directory of files that belong to no instance: those that came with modules, which are the same wherever they are installed. */
const SHARED = '';
/** A UUID, as it is written into the file. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A data directory that cannot be written (errno(3)): nothing is written back into it either. */
const READ_ONLY = new Set(['EACCES', 'EPERM', 'EROFS']);

/** The row of the own directory, or else what was noted last: a directory that is new begins there. */
const HASHES = `SELECT DISTINCT ON (name) name, hash FROM schema_files
  ORDER BY name, directory = $1 DESC, noted_at DESC`;
const NOTE = `INSERT INTO schema_files (directory, name, hash) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
  ON CONFLICT (directory, name)`;
const REMEMBER = `${NOTE} DO UPDATE SET hash = excluded.hash, noted_at = excluded.noted_at`;
const ADOPT = `${NOTE} DO NOTHING`;
const ADD_PENDING = `INSERT INTO schema_file_writes (directory, name, temporary, former_hash, hash) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (directory, name) DO UPDATE SET temporary = $3, former_hash = $4, hash = $5`;
const PENDING = `SELECT name, temporary, former_hash AS "formerHash", hash FROM schema_file_writes
  WHERE directory = $1 ORDER BY name`;
const FORGET = `DELETE FROM schema_file_writes
  WHERE directory = $1 AND name = $2 AND temporary IS NOT DISTINCT FROM $3`;

/**
 * Stores which schema files were read or written last, and which writes are pending, by directory: instances that share a
 * database can have separate directories.
 */
@Injectable()
export class SchemaFileStore {
  private own: string | undefined;

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Returns the hashes of the files as they were last applied or written, by name; null for one that was removed. */
  async hashes(runner: StatementRunner): Promise<ReadonlyMap<string, string | null>> {
    const rows = await runner.query<{ name: string; hash: string | null }[]>(HASHES, [await this.directory()]);
    return new Map(rows.map(({ name, hash }) => [name, hash]));
  }

  /** Remembers files as they are; null for one that is no more. */
  async remember(runner: StatementRunner, hashes: ReadonlyMap<string, string | null>): Promise<void> {
    await this.note(runner, REMEMBER, hashes);
  }

  /** Says of files, which are known from elsewhere, that the own directory has them: what others do with theirs is not about these. */
  async adopt(runner: StatementRunner, hashes: ReadonlyMap<string, string>): Promise<void> {
    await this.note(runner, ADOPT, hashes);
  }

  async addPending(runner: StatementRunner, files: readonly PendingFile[]): Promise<void> {
    for (const { name, temporary, formerHash, hash } of files)
      await runner.query(ADD_PENDING, [await this.directory(), name, temporary, formerHash, hash]);
  }

  async pending(runner: StatementRunner): Promise<readonly PendingFile[]> {
    return runner.query<PendingFile[]>(PENDING, [await this.directory()]);
  }

  async settle(runner: StatementRunner, files: readonly PendingFile[]): Promise<void> {
    await this.remember(runner, new Map(files.map(({ name, hash }) => [name, hash])));
    await this.forget(runner, files);
  }

  /** Deletes pending writes, except those of a later change. */
  async forget(runner: StatementRunner, files: readonly PendingFile[]): Promise<void> {
    for (const { name, temporary } of files) await runner.query(FORGET, [await this.directory(), name, temporary]);
  }

  private async note(runner: StatementRunner, text: string, hashes: ReadonlyMap<string, string | null>): Promise<void> {
    if (hashes.size === 0) return;
    const own = await this.directory();
    const names = [...hashes.keys()];
    // Only the name of a file that came with a module has a slash: it begins with the module's.
    const directories = names.map((name) => (name.includes('/') ? SHARED : own));
    await runner.query(text, [directories, names, [...hashes.values()]]);
  }

  /** Returns the id of the own directory, which is that of all processes that have it. */
  private async directory(): Promise<string> {
    return (this.own ??= await ownDirectory(this.config));
  }
}

/** Returns the id in `$DATA_DIR/directory.id`. Only development creates it: a deployment may have a new directory each time. */
async function ownDirectory({ dataDir, production }: Config): Promise<string> {
  const path = join(dataDir, 'directory.id');
  const found = await readId(path);
  if (found !== null || production) return found ?? SHARED;
  const draft = `${path}.${randomUUID()}`;
  try {
    makeDirectories(dataDir);
    await writeFile(draft, `${randomUUID()}\n`, { flag: 'wx' });
    // Whole or not there, and one for all processes that start at once.
    await link(draft, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (READ_ONLY.has(code)) return SHARED;
    if (code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readId(path)) ?? SHARED;
}

async function readId(path: string): Promise<string | null> {
  try {
    const id = (await readFile(path, 'utf8')).trim();
    return ID.test(id) ? id : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
