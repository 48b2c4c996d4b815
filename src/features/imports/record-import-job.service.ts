import { Injectable } from '@nestjs/common';
import type { RowFault } from '../../data/content/content.public.js';
import { type ImportRequest } from '../../data/content/import/import-requests.service.js';
import { ImportSteps, type WrittenChunk } from '../../data/content/import/import-steps.service.js';
import { ImportUndo } from '../../data/content/import/import-undo.service.js';
import { LaterPrincipals } from '../../identity/auth/auth.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { RunsJob } from '../../platform/jobs/job.decorators.js';
import { defineJob, type Job } from '../../platform/jobs/jobs.public.js';
import type { ImportState, RecordImport } from './record-import.entity.js';
import { type ImportChunk, RecordImportStore } from './record-import-store.service.js';
import { defineLimit } from '../../kernel/limits.js';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** Continues an import according to its state. A killed process counts as an attempt, so the retry limit is a time and not a number. */
export const RECORD_IMPORT = defineJob<{ readonly import: string }>('record.import', {
  retry: {
    delayMs: (attempts) => Math.min(60 * SECOND_MS, 2 ** Math.min(attempts, 6) * SECOND_MS),
    giveUpAfterMs: DAY_MS,
  },
});

/** Chunks per transaction. More would make others wait longer for a lock on the records. */
const CHUNKS = 10;
/** Maximum number of stored errors. A file with more errors is stopped. */
export const MOST_FAULTS = defineLimit(
  100_000,
  'Imports',
  'errors of an import in the background, before it stops',
  'import_invalid',
);
/** Minimum time between two progress updates of a check. */
const NOTED_MS = 500;

/** The import was cancelled or deleted. */
class Ended extends Error {}

/** Rows that passed the check cannot be written. */
class Refused extends Error {
  constructor(readonly faults: readonly RowFault[]) {
    super('Rows were refused.');
  }
}

/**
 * Runs the steps of imports in small transactions. Each of them also stores the progress, so that another instance can continue after a
 * crash. Concurrent runs of the same import are serialised by a row lock.
 */
@Injectable()
export class RecordImportJob {
  constructor(
    private readonly store: RecordImportStore,
    private readonly steps: ImportSteps,
    private readonly undo: ImportUndo,
    private readonly principals: LaterPrincipals,
  ) {}

  @RunsJob(RECORD_IMPORT)
  async run(job: Job<{ readonly import: string }>): Promise<void> {
    const { import: id } = job.payload;
    try {
      for (let found = await this.store.find(id); found !== null; found = await this.store.find(id)) {
        job.signal.throwIfAborted();
        if (!(await this.step(found, job.signal))) return;
      }
    } catch (error) {
      if (error instanceof Ended) return;
      const isRefusal = error instanceof AppError && error.status < 500;
      if (isRefusal) return this.store.stop(id, [], error.code);
      if (job.retryAt === null) await this.store.stop(id, [], 'internal_error');
      throw error;
    }
  }

  private async step(found: RecordImport, signal: AbortSignal): Promise<boolean> {
    const steps: Partial<Record<ImportState, () => Promise<void>>> = {
      checking: () => this.check(found, signal),
      applying: () => this.apply(found),
      undoing: () => this.removeSome(found),
    };
    const step = steps[found.state];
    await step?.();
    return step !== undefined;
  }

  private async check(found: RecordImport, signal: AbortSignal): Promise<void> {
    const { id } = found;
    await this.store.beginCheck(id);
    let checked = 0;
    let notedAt = 0;
    const chunks = (): AsyncIterable<string> => {
      checked = 0;
      return this.bodies(id);
    };
    const note = async (faults: readonly RowFault[]): Promise<number> => {
      const total = await this.store.noteChecked(id, checked, faults);
      if (total === null) throw new Ended();
      return total;
    };
    const { schemaVersion } = this.steps;
    const { ignored, created, updated } = await this.steps.check(
      await this.requestOf(found),
      chunks,
      async (rows, faults) => {
        signal.throwIfAborted();
        checked += rows;
        const now = performance.now();
        if (faults.length === 0 && now - notedAt < NOTED_MS) return;
        notedAt = now;
        if ((await note(faults)) > MOST_FAULTS) throw new AppError('import_invalid');
      },
    );
    const total = await note([]);
    const state = found.appliesItself && total === 0 ? 'applying' : 'checked';
    const would = { would_create: created, would_update: updated };
    const changes = { state, ...would, ignored: JSON.stringify(ignored), schema_version: schemaVersion, error: null };
    await this.store.move(id, ['checking'], changes);
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
  private ahead(id: string, from: number): Promise<readonly ImportChunk<string>[]> {
    const found = this.store.bodies(id, from, CHUNKS);
    found.catch(() => undefined);
    return found;
  }

  private async apply(found: RecordImport): Promise<void> {
    const { id } = found;
    try {
      await this.steps.write(await this.requestOf(found), async (manager, write) => {
        const current = await this.store.hold(manager, id);
        if (current?.state !== 'applying') throw new Ended();
        const chunks = await this.store.bodies(id, 0, CHUNKS, manager);
        const written: (ImportChunk<string> & { readonly result: WrittenChunk })[] = [];
        for (const chunk of chunks) {
          const result = await write(chunk.content);
          if (result.faults.length > 0 && !current.skipsFaulty) throw new Refused(result.faults);
          written.push({ ...chunk, result });
        }
        await this.store.bookWritten(manager, id, written);
        if (chunks.length < CHUNKS) await this.store.move(id, ['applying'], { state: 'done' }, manager);
      });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await this.store.stop(id, error.faults, 'import_invalid');
    }
  }

  private async removeSome(found: RecordImport): Promise<void> {
    const { id } = found;
    await this.undo.run(await this.requestOf(found), async (manager, remove) => {
      const current = await this.store.hold(manager, id);
      if (current?.state !== 'undoing') throw new Ended();
      const chunks = await this.store.made(manager, id, CHUNKS);
      const faults: RowFault[] = [];
      let removed = 0;
      for (const { content } of chunks) {
        const done = await remove(content);
        removed += done.removed;
        faults.push(...done.faults);
      }
      const booked = chunks.map(({ n }) => n);
      await this.store.bookRemoved(manager, id, booked, removed, faults);
      if (chunks.length < CHUNKS) await this.store.move(id, ['undoing'], { state: 'undone' }, manager);
    });
  }

  /** @throws AppError `permission_denied` if the account or the key does not exist any more. */
  private async requestOf({ ownerId, actor, schema, query, mediaType }: RecordImport): Promise<ImportRequest> {
    return { principal: await this.principals.of(ownerId, actor), schema, query, mediaType };
  }
}
