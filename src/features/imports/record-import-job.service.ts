import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ImportRequest, RowFault } from '../../data/content/content.public.js';
import { ImportSteps, type StampedRecord, type WrittenChunk } from '../../data/content/import/import-steps.service.js';
import { ImportUndo } from '../../data/content/import/import-undo.service.js';
import { JobPrincipals } from '../../identity/auth/auth.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { RunsJob } from '../../platform/jobs/job.decorators.js';
import type { Job } from '../../platform/jobs/jobs.public.js';
import {
  type OperationChanges,
  OperationFinished,
  type OperationPayload,
} from '../../platform/operations/operations.public.js';
import { Operations } from '../../platform/operations/operations.service.js';
import { CHUNKS, type ImportChunk, ImportRows } from './import-rows.service.js';
import { MAX_FAULTS, RECORD_IMPORT, type RecordImport } from './record-import.js';

/** Minimum time between two progress updates of a check. */
const NOTED_MS = 500;

/** Rows that passed the check cannot be written. */
class Refused extends Error {
  constructor(readonly faults: readonly RowFault[]) {
    super('Rows were rejected.');
  }
}

/** The steps of imports: check all rows, write some of them, delete some of the created records. */
@Injectable()
export class RecordImportJob {
  constructor(
    private readonly operations: Operations,
    private readonly rows: ImportRows,
    private readonly steps: ImportSteps,
    private readonly undo: ImportUndo,
    private readonly principals: JobPrincipals,
  ) {}

  @RunsJob(RECORD_IMPORT.job)
  run(job: Job<OperationPayload>): Promise<void> {
    return this.operations.run(RECORD_IMPORT, job, {
      checking: (found, signal) => this.check(found, signal),
      applying: (found) => this.apply(found),
      undoing: (found) => this.removeSome(found),
    });
  }

  private async check(found: RecordImport, signal: AbortSignal): Promise<void> {
    const { id } = found;
    const target = { kind: RECORD_IMPORT, id, from: ['checking'] } as const;
    await this.operations.change(target, async ({ progress }, manager) => {
      const faults = progress.faults - (await this.rows.dropFaults(manager, id));
      return { progress: { checked: 0, schemaVersion: 0, faults } };
    });
    let checked = 0;
    let notedAt = 0;
    const chunks = (): AsyncIterable<string> => {
      checked = 0;
      return this.bodies(id);
    };
    const { schemaVersion } = this.steps;
    const request = await this.requestOf(found);
    const { ignored, created, updated } = await this.steps.check(request, chunks, async (rows, faults) => {
      signal.throwIfAborted();
      checked += rows;
      const now = performance.now();
      if (faults.length === 0 && now - notedAt < NOTED_MS) return;
      notedAt = now;
      await this.noteChecked(id, checked, faults);
    });
    await this.operations.change(target, ({ input, progress: { faults } }) => ({
      state: input.appliesAutomatically && faults === 0 ? 'applying' : 'checked',
      error: null,
      progress: { checked, wouldCreate: created, wouldUpdate: updated, ignored, schemaVersion },
    }));
  }

  /** Stores the progress of a check, which runs in another transaction and is rolled back. */
  private async noteChecked(id: string, checked: number, found: readonly RowFault[]): Promise<void> {
    const target = { kind: RECORD_IMPORT, id, from: ['checking'] } as const;
    const noted = await this.operations.change(target, async ({ progress }, manager) => {
      const faults = progress.faults + (await this.rows.addFaults(manager, id, 'check', found));
      return { progress: { checked, faults } };
    });
    if (noted === null) throw new OperationFinished();
    if (noted.progress.faults > MAX_FAULTS) throw new AppError('import_invalid');
  }

  private async *bodies(id: string): AsyncGenerator<string> {
    for (let next = this.ahead(id, 0); ;) {
      const chunks = await next;
      const last = chunks.at(-1);
      if (last === undefined) return;
      next = this.ahead(id, last.n + 1);
      for (const { content } of chunks) yield content;
    }
  }

  /** Reads chunks while earlier ones are processed. An error is reported when the result is awaited. */
  private ahead(id: string, from: number): Promise<readonly ImportChunk[]> {
    const found = this.rows.bodies(id, from);
    found.catch(() => undefined);
    return found;
  }

  private async apply(found: RecordImport): Promise<void> {
    const target = { kind: RECORD_IMPORT, id: found.id, from: ['applying'] } as const;
    try {
      await this.steps.write(await this.requestOf(found), (manager, write) =>
        this.operations.change({ ...target, manager }, (current) => this.writeChunks(current, manager, write)),
      );
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await this.operations.change(target, async ({ id, progress }, manager) => {
        const faults = progress.faults + (await this.rows.addFaults(manager, id, 'apply', error.faults));
        return { state: 'stopped', error: 'import_invalid', progress: { faults } };
      });
    }
  }

  private async writeChunks(
    { id, state, done, progress }: RecordImport,
    manager: EntityManager,
    write: (text: string) => Promise<WrittenChunk>,
  ): Promise<OperationChanges<RecordImport>> {
    const chunks = await this.rows.bodies(id, 0, manager);
    let { created, updated, canBeUndone } = progress;
    const faults: RowFault[] = [];
    const booked: { n: number; made: readonly StampedRecord[] | null }[] = [];
    for (const { n, content } of chunks) {
      const result = await write(content);
      if (result.faults.length > 0 && !progress.skipsFaulty) throw new Refused(result.faults);
      faults.push(...result.faults);
      booked.push({ n, made: result.createdRecords.length > 0 ? result.createdRecords : null });
      created += result.created;
      updated += result.updated;
      canBeUndone &&= result.canBeUndone;
    }
    await this.rows.book(manager, id, booked);
    const added = await this.rows.addFaults(manager, id, 'apply', faults);
    return {
      state: chunks.length < CHUNKS ? 'done' : state,
      done: chunks.reduce((sum, { rows }) => sum + rows, done),
      progress: { created, updated, canBeUndone, faults: progress.faults + added },
    };
  }

  private async removeSome(found: RecordImport): Promise<void> {
    const { id } = found;
    await this.undo.run(await this.requestOf(found), (manager, remove) =>
      this.operations.change({ kind: RECORD_IMPORT, id, from: ['undoing'], manager }, async ({ state, progress }) => {
        const chunks = await this.rows.made(manager, id);
        let { removed } = progress;
        const faults: RowFault[] = [];
        for (const { content } of chunks) {
          const result = await remove(content);
          removed += result.removed;
          faults.push(...result.faults);
        }
        const booked = chunks.map(({ n }) => ({ n, made: null }));
        await this.rows.book(manager, id, booked);
        const added = await this.rows.addFaults(manager, id, 'undo', faults);
        return {
          state: chunks.length < CHUNKS ? 'undone' : state,
          progress: { removed, faults: progress.faults + added },
        };
      }),
    );
  }

  /** @throws AppError `permission_denied` if the account or the key does not exist any more. */
  private async requestOf({ ownerId, input }: RecordImport): Promise<ImportRequest> {
    const { actor, schema, query, mediaType } = input;
    return { principal: await this.principals.of(ownerId, actor), schema, query, mediaType };
  }
}
