import { Injectable } from '@nestjs/common';
import { type IndexAdvice, IndexAdvisor } from './advise/index-advisor.service.js';
import { recordTypes } from './api/record-types.js';
import { schemaInvalid } from './apply/apply-faults.js';
import { prepareChange, initialSnapshot } from './change/prepare-change.js';
import type { SubmittedDocument } from './definition/read-submission.js';
import { SchemaFaultError } from './codes/schema-fault.js';
import { readSchemaFiles, asFilesError } from './files/read-schema-files.js';
import { SchemaFileWriter } from './files/schema-file-writer.js';
import { type PlanAnswer, SchemaReadingService } from './schema-reading.service.js';
import { declaredSystemSchemas } from '../../kernel/system-schema.js';
import { SchemaSnapshots } from './schema-snapshots.service.js';

/** Checks the files of a directory without a database. Returns the names of their schemas. Throws a SchemaFilesError with all errors. */
export function checkSchemaFiles(directory: string): Promise<readonly string[]> {
  return checkDocuments(directory, () => documentsOf(directory));
}

/** Checks definitions like {@link checkSchemaFiles}. @param source shown as their origin in errors. */
export function checkDefinitions(source: string, schemas: readonly object[]): Promise<readonly string[]> {
  return checkDocuments(source, () => Promise.resolve([{ json: { schemas } }]));
}

function checkDocuments(source: string, read: () => Promise<readonly SubmittedDocument[]>): Promise<readonly string[]> {
  return asFilesError(source, async () => {
    const put = await read();
    const prepared = prepareChange(initialSnapshot(declaredSystemSchemas()), { put, ignoreStaleRenames: true });
    if (!prepared.ok) throw new SchemaFaultError(prepared.faults);
    return prepared.changed;
  });
}

/**
 * Returns TypeScript types of the API for schemas exported by another service.
 *
 * @throws AppError `schema_invalid` if this version does not support them.
 */
export function exportedTypes(exported: unknown): string {
  const prepared = prepareChange(initialSnapshot(declaredSystemSchemas()), { put: [{ json: exported }] });
  if (!prepared.ok) throw schemaInvalid(prepared.faults);
  return recordTypes(prepared.snapshot);
}

@Injectable()
export class SchemaToolsService {
  constructor(
    private readonly reading: SchemaReadingService,
    private readonly snapshots: SchemaSnapshots,
    private readonly writer: SchemaFileWriter,
    private readonly advisor: IndexAdvisor,
  ) {}

  plan(directory: string): Promise<PlanAnswer> {
    return asFilesError(directory, async () => {
      return this.reading.plan({ put: await documentsOf(directory), ignoreStaleRenames: true });
    });
  }

  /** Writes all definitions to the files of a directory and returns their names. Other schemas in the directory are kept. */
  async pull(directory: string): Promise<readonly string[]> {
    const snapshot = await this.snapshots.latest();
    const changed = this.reading.export(snapshot).schemas.map(({ name }) => name);
    const staged = await this.writer.write(directory, { snapshot, changed, removed: [] });
    await staged.publish();
    return changed;
  }

  /** Tries the most important missing indexes. @param names schemas; all if empty. @param most records of a sample. */
  advise(names: readonly string[], most: number): Promise<readonly IndexAdvice[]> {
    return this.advisor.advise(names, most);
  }

  async types(): Promise<string> {
    return recordTypes(await this.snapshots.latest());
  }
}

async function documentsOf(directory: string) {
  return (await readSchemaFiles(directory)).map(({ name, json }) => ({ json, source: name }));
}
