import { isJsonObject } from '../../../kernel/text/json-object.js';
import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { makeDirectories } from '../../../../packages/embedded-postgres/src/embedded-postgres.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import type { ChangeOrigin } from '../plan/plan.types.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { readSchemaFiles, textHash, type SchemaFile, schemaDirectory } from './read-schema-files.js';
import type { PendingFile } from './schema-file-store.js';
import type { SchemaDefinition } from '../../../kernel/schema-definition.types.js';

interface FileChange {
  readonly snapshot: SchemaSnapshot;
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

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
    const wanted = new Map([
      ...changed.map((name) => [name, snapshot.schemas[name]?.definition ?? null] as const),
      ...removed.map((name) => [name, null] as const),
    ]);
    const files = await readSchemaFiles(directory);
    const formerHashes = new Map(files.map(({ name, hash }) => [name, hash]));
    const rewritten = rewriteFiles(files, wanted);
    if (rewritten.size === 0) return NOTHING;
    makeDirectories(directory);
    const texts = [...rewritten].map(([name, json]) => ({
      name,
      text: json === null ? null : `${JSON.stringify(json, null, INDENT)}\n`,
    }));
    const pending = texts.map(({ name, text }): PendingFile => ({
      name,
      temporary: text === null ? null : `.${name}.${randomUUID()}.tmp`,
      formerHash: formerHashes.get(name) ?? null,
      hash: text === null ? null : textHash(text),
    }));
    const discard = () => discardTemporaries(directory, pending);
    try {
      for (const [index, { temporary }] of pending.entries()) {
        if (temporary) await writeFile(join(directory, temporary), texts[index]?.text ?? '', { flush: true });
      }
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
    const there = pending.filter((file) => hashOf(file) === file.hash);
    const due = pending.filter((file) => hashOf(file) === file.formerHash && file.formerHash !== file.hash);
    const published = await this.publish(directory, due);
    const written = [...there, ...published];
    const left = pending.filter((file) => !written.includes(file));
    await discardTemporaries(directory, [...there, ...left]);
    return { written, left };
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

type WantedDefinitions = ReadonlyMap<string, SchemaDefinition | null>;

/**
 * Returns the new JSON of each changed file; null for a removed one. A definition is replaced in its file, and a new one gets its own file.
 */
export function rewriteFiles(files: readonly SchemaFile[], wanted: WantedDefinitions): ReadonlyMap<string, unknown> {
  const rewritten = new Map<string, unknown>();
  const found = new Set<string>();
  const replace = (entry: unknown): readonly unknown[] => {
    const name = nameOf(entry);
    const definition = name === undefined ? undefined : wanted.get(name);
    if (name === undefined || definition === undefined) return [entry];
    found.add(name);
    return definition === null ? [] : [definition];
  };
  for (const { name, json } of files) {
    const entries = entriesOf(json);
    const next = entries.flatMap(replace);
    if (next.length === entries.length && next.every((entry, index) => entry === entries[index])) continue;
    rewritten.set(name, next.length === 0 ? null : inTheFormOf(json, next));
  }
  for (const [name, definition] of wanted) {
    if (definition !== null && !found.has(name)) rewritten.set(`${name}.json`, definition);
  }
  return rewritten;
}

function entriesOf(json: unknown): readonly unknown[] {
  const list = isJsonObject(json) && Object.hasOwn(json, 'schemas') ? json['schemas'] : json;
  return Array.isArray(list) ? (list as unknown[]) : [list];
}

function inTheFormOf(json: unknown, entries: readonly unknown[]): unknown {
  if (Array.isArray(json)) return entries;
  return isJsonObject(json) && Object.hasOwn(json, 'schemas') ? { ...json, schemas: entries } : entries[0];
}

function nameOf(entry: unknown): string | undefined {
  return isJsonObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : undefined;
}
