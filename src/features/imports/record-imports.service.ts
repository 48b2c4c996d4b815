import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ImportBytes } from '../../data/content/content.public.js';
import { ImportSteps, type StagedChunk } from '../../data/content/import/import-steps.service.js';
import { jobActor } from '../../identity/auth/auth.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { Foreground } from '../../platform/http/server/foreground.service.js';
import { type OperationChanges, operationFacts } from '../../platform/operations/operations.public.js';
import { Operations } from '../../platform/operations/operations.service.js';
import { CHUNKS, ImportRows } from './import-rows.service.js';
import { type ImportInput, MAX_FAULTS, NEW_IMPORT, RECORD_IMPORT, type RecordImport } from './record-import.js';
import type { ImportState, ImportStatus } from './record-imports.dto.js';

/** States without a running job. The remaining rows can be checked or applied. */
const WAITING: readonly ImportState[] = ['checked', 'stopped', 'cancelled'];

export type SentImport = Pick<ImportInput, 'schema' | 'appliesAutomatically' | 'query' | 'mediaType'>;

@Injectable()
export class RecordImports {
  constructor(
    private readonly operations: Operations,
    private readonly rows: ImportRows,
    private readonly steps: ImportSteps,
    private readonly foreground: Foreground,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Stores the rows of a file and starts the check in the background.
   *
   * @throws AppError the errors of a direct import; `imports_pending`; `body_too_large`.
   */
  async start(principal: AccountPrincipal, sent: SentImport, bytes: ImportBytes): Promise<ImportStatus> {
    const { schema, mode } = await this.steps.inspect({ principal, ...sent });
    const input = { ...sent, actor: jobActor(principal), schema, mode };
    const operation = { ownerId: principal.userId, state: 'receiving', input, progress: NEW_IMPORT } as const;
    const { id } = await this.operations.start(RECORD_IMPORT, operation);
    try {
      const faults = await this.receive(id, principal, sent, bytes);
      const isStopped = faults > MAX_FAULTS;
      return await this.change(
        id,
        ['receiving'],
        isStopped ? { state: 'stopped', error: 'import_invalid' } : { state: 'checking' },
      );
    } catch (error) {
      await this.operations.delete(id, ['receiving']);
      throw error;
    }
  }

  /** @throws AppError `import_not_found`, `import_not_ready` */
  async check(principal: AccountPrincipal, id: string): Promise<ImportStatus> {
    const found = await this.find(principal, id);
    if (!isAbandoned(found)) throw new AppError('import_not_ready');
    return this.resume(principal, found, { state: 'checking' });
  }

  /**
   * Starts writing the remaining rows.
   *
   * @param plan the value of the last response for this import.
   * @throws AppError `import_not_found`, `import_not_ready`; `plan_changed` if the schemas or the import have changed since;
   * `import_faulty` if rows have errors and are not skipped.
   */
  async apply(principal: AccountPrincipal, id: string, plan: string, skipsFaulty: boolean): Promise<ImportStatus> {
    const found = await this.find(principal, id);
    const { schemaVersion, faults } = found.progress;
    if (planOf(found) === null) throw new AppError('import_not_ready');
    if (planOf(found) !== plan || schemaVersion !== this.steps.schemaVersion) throw new AppError('plan_changed');
    if (faults > 0 && !skipsFaulty) throw new AppError('import_faulty');
    return this.resume(principal, found, { state: 'applying', error: null, progress: { skipsFaulty } });
  }

  /**
   * Deletes the records that the import created, unless they were changed since.
   *
   * @throws AppError `import_not_found`, `import_not_ready`, `import_not_undoable`
   */
  async undo(principal: AccountPrincipal, id: string): Promise<ImportStatus> {
    const found = await this.find(principal, id);
    if (!['done', 'stopped', 'cancelled'].includes(found.state) || found.progress.created === 0)
      throw new AppError('import_not_ready');
    if (!found.progress.canBeUndone) throw new AppError('import_not_undoable');
    return this.resume(principal, found, { state: 'undoing', error: null });
  }

  /**
   * Deletes an import with its remaining rows. A running upload then fails.
   *
   * @throws AppError `import_not_found`; `import_not_ready` while a job is running.
   */
  async forget(principal: AccountPrincipal, id: string): Promise<void> {
    await this.find(principal, id);
    if (!(await this.operations.delete(id, ['receiving', ...WAITING, 'done', 'undone'])))
      throw new AppError('import_not_ready');
  }

  /** Returns the number of errors. */
  private async receive(
    id: string,
    principal: AccountPrincipal,
    sent: SentImport,
    bytes: ImportBytes,
  ): Promise<number> {
    let from = 0;
    let chunks: StagedChunk[] = [];
    // Earlier chunks are stored while the next are read.
    let lastStore = Promise.resolve(0);
    try {
      for await (const chunk of this.steps.stage({ principal, ...sent }, bytes, this.config.recordImports)) {
        chunks.push(chunk);
        if (chunks.length < CHUNKS && chunk.rows > 0) continue;
        if ((await lastStore) > MAX_FAULTS) break;
        lastStore = this.storeChunks(id, from, chunks);
        lastStore.catch(() => undefined);
        // Other requests use the same database now, so do not read ahead.
        if (this.foreground.isInUse) await lastStore;
        from += chunks.length;
        chunks = [];
      }
    } finally {
      await Promise.allSettled([lastStore]);
    }
    return lastStore;
  }

  private async storeChunks(id: string, from: number, chunks: readonly StagedChunk[]): Promise<number> {
    const filled = chunks.filter(({ rows }) => rows > 0);
    const found = chunks.flatMap(({ faults }) => faults);
    const target = { kind: RECORD_IMPORT, id, from: ['receiving'] } as const;
    const stored = await this.operations.change(target, async ({ total, progress }, manager) => {
      await this.rows.add(manager, id, from, filled);
      return {
        total: filled.reduce((sum, { rows }) => sum + rows, total),
        progress: {
          blank: chunks.reduce((sum, { blank }) => sum + blank, progress.blank),
          isReadable: progress.isReadable && chunks.every(({ isReadable }) => isReadable),
          faults: progress.faults + (await this.rows.addFaults(manager, id, 'read', found)),
        },
      };
    });
    if (stored === null) throw new AppError('import_not_found');
    return stored.progress.faults;
  }

  private find({ userId }: AccountPrincipal, id: string): Promise<RecordImport> {
    return this.operations.get(userId, RECORD_IMPORT, id);
  }

  /** Continues the import as the current user. */
  private resume(
    principal: AccountPrincipal,
    { id, state }: RecordImport,
    changes: OperationChanges<RecordImport>,
  ): Promise<ImportStatus> {
    return this.change(id, [state], { ...changes, input: { actor: jobActor(principal) } });
  }

  /** @throws AppError `import_not_ready` if another request changed its state first. */
  private async change(
    id: string,
    from: readonly ImportState[],
    changes: OperationChanges<RecordImport>,
  ): Promise<ImportStatus> {
    const changed = await this.operations.change({ kind: RECORD_IMPORT, id, from }, changes);
    if (changed === null) throw new AppError('import_not_ready');
    return importStatus(changed);
  }
}

/** Returns whether there are rows that can still be written. */
function isAbandoned({ state, total, done, progress }: RecordImport): boolean {
  return WAITING.includes(state) && done < total && progress.removed === 0;
}

/** Returns a fingerprint of the rows to apply; null if nothing can be applied. */
function planOf(found: RecordImport): string | null {
  const { id, total, done, progress } = found;
  const { schemaVersion, faults, isReadable } = progress;
  if (!isAbandoned(found) || schemaVersion === 0 || !isReadable) return null;
  return hash('sha256', JSON.stringify([id, schemaVersion, total, done, faults]));
}

export function importStatus(found: RecordImport): ImportStatus {
  const { state, total, done, input, progress } = found;
  const { schema, mode } = input;
  const { blank, checked, created, updated, removed, faults, ignored } = progress;
  const counts = { rows: total, blank, checked, applied: done, created, updated, removed, faults };
  return {
    ...operationFacts(found),
    schema,
    mode,
    state,
    ...counts,
    would_create: progress.wouldCreate,
    would_update: progress.wouldUpdate,
    ignored,
    plan: planOf(found),
    can_be_undone: progress.canBeUndone && created > 0 && state !== 'undone',
  };
}
