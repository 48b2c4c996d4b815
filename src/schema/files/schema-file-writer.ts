import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.types.js';
import type { ChangeOrigin } from '../apply/schema-store.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { readSchemaFiles } from './read-schema-files.js';
import { rewriteFiles } from './rewrite-files.js';

/** The part of a change that files speak of. */
export interface FileChange {
  readonly snapshot: SchemaSnapshot;
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Files that are written beside the old ones, and take their places at once or not at all. */
export interface StagedFiles {
  /** Puts the new files in place. Never throws: the change stands already, and a file that lags behind is told in the log. */
  publish(): Promise<void>;
  /** Throws the new files away. */
  discard(): Promise<void>;
}

const NOTHING: StagedFiles = { publish: () => Promise.resolve(), discard: () => Promise.resolve() };
const INDENT = 2;

/** The directory of the schema files. */
export function schemaDirectory({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'schemas');
}

/** Writes changes that came over the API back to the schema files, in development. */
@Injectable()
export class SchemaFileWriter {
  private readonly logger = new Logger('Schemas');

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Writes the new files beside the old ones; a fault here comes before the commit and undoes the change. */
  async stage(origin: ChangeOrigin, change: FileChange): Promise<StagedFiles> {
    if (this.config.production || origin === 'files' || origin === 'command') return NOTHING;
    return this.write(schemaDirectory(this.config), change);
  }

  /** Writes the definitions of a change into a directory, beside the files that are there. */
  async write(directory: string, { snapshot, changed, removed }: FileChange): Promise<StagedFiles> {
    const wanted = new Map([
      ...changed.map((name) => [name, snapshot.schemas[name]?.definition ?? null] as const),
      ...removed.map((name) => [name, null] as const),
    ]);
    const files = rewriteFiles(await readSchemaFiles(directory), wanted);
    if (files.size === 0) return NOTHING;
    await mkdir(directory, { recursive: true });
    const staged = [...files].map(([name, json]) => ({
      path: join(directory, name),
      temporary: json === null ? null : join(directory, `.${name}.${randomUUID()}.tmp`),
      text: `${JSON.stringify(json, null, INDENT)}\n`,
    }));
    const discard = async (): Promise<void> => {
      for (const { temporary } of staged) if (temporary !== null) await rm(temporary, { force: true });
    };
    try {
      for (const { temporary, text } of staged) if (temporary) await writeFile(temporary, text, { flush: true });
    } catch (error) {
      await discard();
      throw error;
    }
    return { discard, publish: () => this.publish(staged) };
  }

  private async publish(
    staged: readonly { readonly path: string; readonly temporary: string | null }[],
  ): Promise<void> {
    for (const { path, temporary } of staged) {
      const done = temporary === null ? rm(path, { force: true }) : rename(temporary, path);
      await done.catch((err: unknown) =>
        this.logger.error({ err, path, msg: 'A schema file could not be written back.' }),
      );
    }
  }
}
