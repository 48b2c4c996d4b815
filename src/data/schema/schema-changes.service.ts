import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import { archivedDocuments } from './api/zip-archive.js';
import { type DefinitionAnswer, definitionAnswer, submittedNames } from './schema-reading.service.js';
import { schemaInvalid, schemaNotFound } from './apply/apply-faults.js';
import { type ApplyRequest, SchemaApplier } from './apply/schema-applier.js';
import { SchemaStore } from './apply/schema-store.js';
import { prepareChangeInSteps } from './change/prepare-change.js';
import { type FormerVersion, prepareUndo } from './change/prepare-undo.js';
import { definitionsIn, isList, type SubmittedDocument } from './definition/read-submission.js';
import { createFault } from './codes/schema-fault.js';
import { SchemaSnapshots } from './schema-snapshots.service.js';
import type { SchemaSnapshot } from './snapshot/schema-snapshot.types.js';

export interface ChangeConditions extends Pick<
  ApplyRequest,
  'allowDataLoss' | 'allowRebuild' | 'expectedVersions' | 'expectedPlan' | 'requestOrigin'
> {
  readonly backRefs: 'report' | 'create';
  readonly createdBy: string;
}

export interface ChangeAnswer {
  readonly data: DefinitionAnswer;
  readonly version: number;
  readonly created: boolean;
}

/** Schema changes requested by administrators. All throw the errors of {@link SchemaApplier.apply}. */
@Injectable()
export class SchemaChangesService {
  constructor(
    private readonly applier: SchemaApplier,
    private readonly snapshots: SchemaSnapshots,
    private readonly store: SchemaStore,
    private readonly dataSource: DataSource,
  ) {}

  put(body: unknown, conditions: ChangeConditions): Promise<ChangeAnswer> {
    return this.putDocuments([{ json: body }], body, conditions);
  }

  /** Applies an export: JSON or an archive of schema files. Also throws `body_malformed`. */
  import(body: unknown, conditions: ChangeConditions): Promise<ChangeAnswer> {
    if (!Buffer.isBuffer(body)) return this.put(body, conditions);
    const documents = archivedDocuments(body);
    return this.putDocuments(
      documents,
      documents.flatMap(({ json }) => definitionsIn(json)),
      conditions,
    );
  }

  /** Replaces a schema. A different name in the definition renames it. Also throws `schema_not_found`. */
  async replace(name: string, body: unknown, conditions: ChangeConditions): Promise<ChangeAnswer> {
    await this.assertKnown(name);
    if (isList(body)) {
      throw schemaInvalid([createFault('schema.document.invalid', { params: { actual: 'a list' }, path: '' })]);
    }
    return { ...(await this.put(renamedFrom(name, body), conditions)), created: false };
  }

  /** Also throws `schema_not_found`. */
  async remove(name: string, { backRefs: _backRefs, ...rest }: ChangeConditions): Promise<ChangeAnswer> {
    await this.assertKnown(name);
    const { before, snapshot } = await this.applier.apply({
      ...rest,
      origin: 'api',
      prepare: (current) => {
        if (current.schemas[name] === undefined) throw schemaNotFound(name, current);
        return prepareChangeInSteps(current, { remove: [name] });
      },
    });
    return { data: before.schemas[name]?.definition ?? [], version: snapshot.version, created: false };
  }

  /** Reverts the last change if no data is lost. Also throws `undo_impossible`. */
  async undo({ backRefs: _backRefs, ...rest }: ChangeConditions): Promise<ChangeAnswer> {
    const prepare = async (current: SchemaSnapshot) => prepareUndo(current, await this.former(current));
    const undone = this.applier.apply({ ...rest, origin: 'undo', prepare });
    const { snapshot, changed } = await undone.catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'migration_destructive') throw error;
      throw new AppError('undo_impossible', { details: error.details });
    });
    const data = changed.flatMap((name) => snapshot.schemas[name]?.definition ?? []);
    return { data, version: snapshot.version, created: false };
  }

  /** @param submission the submission, which determines the form of the response */
  private async putDocuments(
    put: readonly SubmittedDocument[],
    submission: unknown,
    { backRefs, ...rest }: ChangeConditions,
  ): Promise<ChangeAnswer> {
    const prepare = (current: SchemaSnapshot) => prepareChangeInSteps(current, { put, backRefs });
    const { snapshot, before } = await this.applier.apply({ ...rest, origin: 'api', prepare });
    const created = submittedNames(submission).some((name) => before.schemas[name] === undefined);
    return { data: definitionAnswer(submission, snapshot), version: snapshot.version, created };
  }

  private async former(current: SchemaSnapshot): Promise<FormerVersion> {
    const snapshot = await this.store.find(this.dataSource, current.version - 1, current);
    const { lossy, undos } = await this.store.conversionOf(this.dataSource, current.version);
    return { snapshot, lossy, direction: undos % 2 === 0 ? 'forward' : 'back' };
  }

  private async assertKnown(name: string): Promise<void> {
    const current = await this.snapshots.latest();
    if (current.schemas[name] === undefined) throw schemaNotFound(name, current);
  }
}

function renamedFrom(name: string, body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const { name: next, renames } = body as { readonly name?: unknown; readonly renames?: unknown };
  if (typeof next !== 'string' || next === name) return body;
  if (renames === undefined || renames === null) return { ...body, renames: { schema: name } };
  if (typeof renames !== 'object' || Array.isArray(renames) || Object.hasOwn(renames, 'schema')) return body;
  return { ...body, renames: { ...renames, schema: name } };
}
