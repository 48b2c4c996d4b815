import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { createDirectories } from '../../../../packages/embedded-postgres/src/embedded-postgres.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import type { StatementRunner, ChangeOrigin } from '../plan/plan.types.js';
import { isJsonObject } from '../../../kernel/text/json.js';
import { definitionsIn } from '../definition/read-submission.js';
import type { ValidChange } from '../change/prepare-change.js';
import { readSchemaFiles, textHash, type SchemaFile, schemaDirectory } from './read-schema-files.js';
import type { SchemaDefinition } from '../../../kernel/schema-definition.types.js';

export interface PendingFile {
  readonly name: string;
  /** Name of the temporary file that replaces it; null if the file is deleted. */
  readonly temporary: string | null;
  readonly formerHash: string | null;
  readonly hash: string | null;
}

/** Directory id of files that came with modules. They are the same on all instances. */
const SHARED = '';
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Error codes of a read-only data directory (errno(3)). Schema files are not written there either. */
const READ_ONLY = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Prefers the row of the own directory. A new directory starts with the latest row of any other. */
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
 * Stores the last read or written hash of schema files, and pending writes, by directory. Instances that share a database can have separate
 * directories.
 */
@Injectable()
export class SchemaFileStore {
  private own: string | undefined;

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Returns the hashes at the last apply or write, by file name; null for a removed file. */
  async hashes(runner: StatementRunner): Promise<ReadonlyMap<string, string | null>> {
    const rows = await runner.query<{ name: string; hash: string | null }[]>(HASHES, [await this.directory()]);
    return new Map(rows.map(({ name, hash }) => [name, hash]));
  }

  /** Stores the current hashes; null for a removed file. */
  async remember(runner: StatementRunner, hashes: ReadonlyMap<string, string | null>): Promise<void> {
    await this.note(runner, REMEMBER, hashes);
  }

  /** Adds rows for the own directory, unless it has some. Later changes of other directories then do not affect its files. */
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

  /** Deletes pending writes, unless a later change has replaced them. */
  async forget(runner: StatementRunner, files: readonly PendingFile[]): Promise<void> {
    for (const { name, temporary } of files) await runner.query(FORGET, [await this.directory(), name, temporary]);
  }

  private async note(runner: StatementRunner, text: string, hashes: ReadonlyMap<string, string | null>): Promise<void> {
    if (hashes.size === 0) return;
    const own = await this.directory();
    const names = [...hashes.keys()];
    // Names of module files contain a slash after the module name.
    const directories = names.map((name) => (name.includes('/') ? SHARED : own));
    await runner.query(text, [directories, names, [...hashes.values()]]);
  }

  /** Returns the id of the data directory, shared by all processes that use it. */
  private async directory(): Promise<string> {
    return (this.own ??= await ownDirectory(this.config));
  }
}

/**
 * Returns the id in `$DATA_DIR/directory.id`. It is created only in development, because a deployment may have a new directory each time.
 */
async function ownDirectory({ dataDir, production }: Config): Promise<string> {
  const path = join(dataDir, 'directory.id');
  const found = await readId(path);
  if (found !== null || production) return found ?? SHARED;
  const draft = `${path}.${randomUUID()}`;
  try {
    createDirectories(dataDir);
    await writeFile(draft, `${randomUUID()}\n`, { flag: 'wx' });
    // A hard link is atomic: concurrent processes agree on one id.
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

type FileChange = Pick<ValidChange, 'snapshot' | 'changed' | 'removed'>;

export interface StagedFiles {
  readonly pending: readonly PendingFile[];
  /** Returns the published files. Never throws, because the change is committed: a failure is logged and retried at the next start. */
  publish(): Promise<readonly PendingFile[]>;
  discard(): Promise<void>;
}

const NOTHING: StagedFiles = { pending: [], publish: () => Promise.resolve([]), discard: () => Promise.resolve() };
const INDENT = 2;

/** Writes changes made over the API to the schema files. Only in development. */
@Injectable()
export class SchemaFileWriter {
  private readonly logger = new Logger('Schemas');

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Writes temporary files. An error here occurs before the commit and reverts the change. */
  async stage(origin: ChangeOrigin, change: FileChange): Promise<StagedFiles> {
    if (this.config.production || origin === 'files' || origin === 'command') return NOTHING;
    return this.write(schemaDirectory(this.config), change);
  }

  async write(directory: string, { snapshot, changed, removed }: FileChange): Promise<StagedFiles> {
    const names = [...changed, ...removed];
    const definitions = new Map(names.map((name) => [name, snapshot.schemas[name]?.definition ?? null]));
    const files = await readSchemaFiles(directory);
    const formerHashes = new Map(files.map(({ name, hash }) => [name, hash]));
    const rewritten = rewriteFiles(files, definitions);
    if (rewritten.size === 0) return NOTHING;
    createDirectories(directory);
    const pending = [...rewritten].map(([name, json]) => {
      const formerHash = formerHashes.get(name) ?? null;
      if (json === null) return { name, text: '', temporary: null, formerHash, hash: null };
      const text = `${JSON.stringify(json, null, INDENT)}\n`;
      return { name, text, temporary: `.${name}.${randomUUID()}.tmp`, formerHash, hash: textHash(text) };
    });
    const discard = () => discardTemporaries(directory, pending);
    try {
      for (const { temporary, text } of pending)
        if (temporary !== null) await writeFile(join(directory, temporary), text, { flush: true });
    } catch (error) {
      await discard();
      throw error;
    }
    return { pending, discard, publish: () => this.publish(directory, pending) };
  }

  /** Completes writes that a crash interrupted. Files that were edited since are left alone. */
  async finish(directory: string, pending: readonly PendingFile[]) {
    const hashes = new Map((await readSchemaFiles(directory)).map(({ name, hash }) => [name, hash]));
    const hashOf = (file: PendingFile): string | null => hashes.get(file.name) ?? null;
    const unchanged = pending.filter((file) => hashOf(file) === file.hash);
    const due = pending.filter((file) => hashOf(file) === file.formerHash && file.formerHash !== file.hash);
    const published = await this.publish(directory, due);
    const written = [...unchanged, ...published];
    const remaining = pending.filter((file) => !written.includes(file));
    await discardTemporaries(directory, [...unchanged, ...remaining]);
    return { written, left: remaining };
  }

  private async publish(directory: string, pending: readonly PendingFile[]): Promise<readonly PendingFile[]> {
    const published: PendingFile[] = [];
    for (const file of pending) {
      const { name, temporary } = file;
      const path = join(directory, name);
      try {
        await (temporary === null ? rm(path, { force: true }) : rename(join(directory, temporary), path));
        published.push(file);
      } catch (err) {
        this.logger.error({ err, path, msg: 'A schema file could not be written back.' });
      }
    }
    return published;
  }
}

async function discardTemporaries(directory: string, pending: readonly PendingFile[]): Promise<void> {
  for (const { temporary } of pending) if (temporary !== null) await rm(join(directory, temporary), { force: true });
}

/**
 * Returns the new JSON of each changed file; null for a removed one. A definition is replaced in its file, and a new one gets its own file.
 */
export function rewriteFiles(
  files: readonly SchemaFile[],
  definitions: ReadonlyMap<string, SchemaDefinition | null>,
): ReadonlyMap<string, unknown> {
  const rewritten = new Map<string, unknown>();
  const found = new Set<string>();
  const replace = (entry: unknown): readonly unknown[] => {
    const name = nameOf(entry);
    const definition = name === undefined ? undefined : definitions.get(name);
    if (name === undefined || definition === undefined) return [entry];
    found.add(name);
    return definition === null ? [] : [definition];
  };
  for (const { name, json } of files) {
    const entries = definitionsIn(json);
    const next = entries.flatMap(replace);
    if (next.length === entries.length && next.every((entry, index) => entry === entries[index])) continue;
    rewritten.set(name, next.length === 0 ? null : inTheFormOf(json, next));
  }
  for (const [name, definition] of definitions) {
    if (definition !== null && !found.has(name)) rewritten.set(`${name}.json`, definition);
  }
  return rewritten;
}

function inTheFormOf(json: unknown, entries: readonly unknown[]): unknown {
  if (Array.isArray(json)) return entries;
  return isJsonObject(json) && Object.hasOwn(json, 'schemas') ? { ...json, schemas: entries } : entries[0];
}

function nameOf(entry: unknown): string | undefined {
  return isJsonObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : undefined;
}
