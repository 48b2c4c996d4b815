import { basename, resolve } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { declaredIn } from '../../platform/extension/module-settings.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { declaredSystemSchemas } from '../../kernel/system-schema.js';
import { type AppliedChange, type ApplyRequest, SchemaApplier } from './apply/schema-applier.js';
import { initialSnapshot, prepareChange } from './change/prepare-change.js';
import { SchemaFaultError } from './codes/schema-fault.js';
import type { SubmittedDocument } from './definition/read-submission.js';
import { type PlanAnswer, SchemaReadingService } from './schema-reading.service.js';
import { SchemaSnapshots } from './schema-snapshots.service.js';
import {
  readSchemaFiles,
  type SchemaFile,
  schemaDirectories,
  asFilesError,
  schemaDirectory,
} from './files/read-schema-files.js';
import { SchemaFileStore, SchemaFileWriter } from './files/schema-file-writer.js';
import { SCHEMA_DIRECTORIES } from './schema-directories.decorator.js';

/** Checks the files of a directory without a database. Returns the names of their schemas. Throws a SchemaFilesError with all errors. */
export function checkSchemaFiles(directory: string): Promise<readonly string[]> {
  return asFilesError(directory, async () => checkDocuments(documentsOf(await readSchemaFiles(directory))));
}

/** Checks definitions like {@link checkSchemaFiles}. @param source shown as their origin in errors. */
export function checkDefinitions(source: string, schemas: readonly object[]): Promise<readonly string[]> {
  return asFilesError(source, () => checkDocuments([{ json: { schemas } }]));
}

function checkDocuments(put: readonly SubmittedDocument[]): readonly string[] {
  const prepared = prepareChange(initialSnapshot(declaredSystemSchemas()), { put, ignoreStaleRenames: true });
  if (!prepared.ok) throw new SchemaFaultError(prepared.faults);
  return prepared.changed;
}

@Injectable()
export class SchemaFilesService {
  private readonly logger = new Logger('Schemas');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly fileStore: SchemaFileStore,
    private readonly writer: SchemaFileWriter,
    private readonly snapshots: SchemaSnapshots,
    private readonly applier: SchemaApplier,
    private readonly reading: SchemaReadingService,
    private readonly modules: ModulesContainer,
  ) {}

  /**
   * Applies new and changed files of modules, then of `$DATA_DIR/schemas`. Changes made over the API since an unchanged file was applied
   * are kept. Throws a SchemaFilesError.
   */
  async applyAtStart(): Promise<void> {
    for (const declaration of declaredIn<readonly (URL | string)[]>(this.modules, SCHEMA_DIRECTORIES))
      for (const directory of schemaDirectories(declaration))
        await this.applyShipped(declaration.owner.name, directory);
    const directory = schemaDirectory(this.config);
    await asFilesError(directory, () => this.finishPending(directory));
    const files = await asFilesError(directory, () => readSchemaFiles(directory));
    await this.applyFresh(directory, files);
    await this.fileStore.adopt(this.dataSource, new Map(files.map(({ name, hash }) => [name, hash])));
  }

  /** Applies the files of a module. They are recorded by module name, independent of their path. */
  private async applyShipped(owner: string, directory: string): Promise<void> {
    const files = await asFilesError(directory, () => readSchemaFiles(directory));
    const prefix = `${owner}/${basename(directory)}`;
    await this.applyFresh(
      directory,
      files.map((file) => ({ ...file, name: `${prefix}/${file.name}` })),
    );
  }

  private async applyFresh(directory: string, files: readonly SchemaFile[]): Promise<void> {
    await asFilesError(directory, async () => {
      const storedHashes = await this.fileStore.hashes(this.dataSource);
      const fresh = files.filter(({ name, hash }) => storedHashes.get(name) !== hash);
      const request = filesRequest(fresh, { origin: 'files' });
      const current = await this.snapshots.latest();
      const early = await request.prepare(current);
      if (fresh.length === 0 && early.ok && early.snapshot === current) return;
      const { snapshot, before, plan } = await this.applier.apply(request);
      if (snapshot === before) return;
      this.logger.log({ version: snapshot.version, steps: plan.steps.length, msg: 'The schema files were applied.' });
    });
  }

  /** Completes interrupted file writes. Otherwise the older files would be applied as a change after a crash. */
  private async finishPending(directory: string): Promise<void> {
    const pending = await this.fileStore.pending(this.dataSource);
    if (pending.length === 0) return;
    const { written, left: remaining } = await this.writer.finish(directory, pending);
    await this.fileStore.settle(this.dataSource, written);
    await this.fileStore.forget(this.dataSource, remaining);
    this.logger.log({
      files: written.map(({ name }) => name),
      msg: 'Schema files that were pending after a crash were written.',
    });
  }

  /**
   * Applies all files of a directory. Only files of the schema directory of the server are recorded, so that the next start skips them.
   * Throws a SchemaFilesError.
   */
  async apply(
    directory: string,
    conditions: Pick<ApplyRequest, 'allowDataLoss' | 'allowRebuild' | 'expectedPlan'>,
  ): Promise<AppliedChange> {
    return asFilesError(directory, async () => {
      const files = await readSchemaFiles(directory);
      const { fileHashes, ...request } = filesRequest(files, { origin: 'command', ...conditions });
      const isOwn = resolve(directory) === resolve(schemaDirectory(this.config));
      return this.applier.apply(isOwn ? { ...request, fileHashes } : request);
    });
  }

  plan(directory: string): Promise<PlanAnswer> {
    return asFilesError(directory, async () =>
      this.reading.plan({ put: documentsOf(await readSchemaFiles(directory)), ignoreStaleRenames: true }),
    );
  }

  /** Writes all definitions to the files of a directory and returns their names. Other schemas in the directory are kept. */
  async pull(directory: string): Promise<readonly string[]> {
    const snapshot = await this.snapshots.latest();
    const changed = this.reading.export(snapshot).schemas.map(({ name }) => name);
    const staged = await this.writer.write(directory, { snapshot, changed, removed: [] });
    await staged.publish();
    return changed;
  }
}

function documentsOf(files: readonly SchemaFile[]): readonly SubmittedDocument[] {
  return files.map(({ name, json }) => ({ json, source: name }));
}

function filesRequest(files: readonly SchemaFile[], rest: Omit<ApplyRequest, 'prepare' | 'fileHashes'>): ApplyRequest {
  return {
    ...rest,
    prepare: (current) => prepareChange(current, { put: documentsOf(files), ignoreStaleRenames: true }),
    fileHashes: new Map(files.map(({ name, hash }) => [name, hash])),
  };
}
