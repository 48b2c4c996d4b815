import { isJsonObject } from '../../../kernel/text/json.js';
import { definitionsIn } from '../definition/read-submission.js';
import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { createDirectories } from '../../../../packages/embedded-postgres/src/embedded-postgres.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import type { ChangeOrigin } from '../plan/plan.types.js';
import type { ValidChange } from '../change/prepare-change.js';
import { readSchemaFiles, textHash, type SchemaFile, schemaDirectory } from './read-schema-files.js';
import type { PendingFile } from './schema-file-store.js';
import type { SchemaDefinition } from '../../../kernel/schema-definition.types.js';

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

type TargetDefinitions = ReadonlyMap<string, SchemaDefinition | null>;

/**
 * Returns the new JSON of each changed file; null for a removed one. A definition is replaced in its file, and a new one gets its own file.
 */
export function rewriteFiles(
  files: readonly SchemaFile[],
  definitions: TargetDefinitions,
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
