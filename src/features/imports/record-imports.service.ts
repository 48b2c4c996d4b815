import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ImportBytes } from '../../data/content/import/rows/import-row.types.js';
import { ImportSteps, type StagedChunk } from '../../data/content/import/import-steps.service.js';
import { laterActor } from '../../identity/auth/auth.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { isUuid } from '../../kernel/keys/random.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { Foreground } from '../../platform/http/server/foreground.service.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { MOST_FAULTS, RECORD_IMPORT } from './record-import-job.service.js';
import { type AskedImport, RecordImportStore } from './record-import-store.service.js';
import type { ImportState, RecordImport } from './record-import.entity.js';
import type { ToldImport } from './record-imports.dto.js';

/** Number of chunks that are stored in one statement. */
const CHUNKS = 10;
/** States without a running job. The remaining rows can be checked or applied. */
const WAITING: readonly ImportState[] = ['checked', 'stopped', 'cancelled'];

export interface SentImport {
  readonly schema: string;
  /** Whether it is applied automatically after a check without errors. */
  readonly appliesItself: boolean;
  readonly query: AskedImport['query'];
  readonly mediaType: string;
}

@Injectable()
export class RecordImports {
  constructor(
    private readonly store: RecordImportStore,
    private readonly steps: ImportSteps,
    private readonly jobs: Jobs,
    private readonly foreground: Foreground,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Stores the rows of a file and starts the check in the background.
   *
   * @throws AppError the errors of a direct import; `imports_pending`; `body_too_large`.
   */
  async begin(principal: AccountPrincipal, sent: SentImport, bytes: ImportBytes): Promise<ToldImport> {
    const { schema, mode } = await this.steps.look({ principal, ...sent });
    const id = await this.store.begin({ ...sent, owner: principal.userId, actor: laterActor(principal), schema, mode });
    if (id === null) throw new AppError('imports_pending');
    try {
      const faults = await this.receive(id, principal, sent, bytes);
      const changes = faults > MOST_FAULTS ? { state: 'stopped', error: 'import_invalid' } : { state: 'checking' };
      await this.goOn(id, ['receiving'], changes);
    } catch (error) {
      await this.store.remove(id);
      throw error;
    }
    return this.get(principal, id);
  }

  async list({ userId }: AccountPrincipal): Promise<readonly ToldImport[]> {
    return (await this.store.list(userId)).map(toResponse);
  }

  /** @throws AppError `import_not_found` */
  async get(principal: AccountPrincipal, id: string): Promise<ToldImport> {
    return toResponse(await this.find(principal, id));
  }

  /** @throws AppError `import_not_found`, `import_not_ready` */
  async check(principal: AccountPrincipal, id: string): Promise<ToldImport> {
    const found = await this.find(principal, id);
    if (!isLeft(found)) throw new AppError('import_not_ready');
    return this.change(principal, found, { state: 'checking' });
  }

  /**
   * Starts writing the remaining rows.
   *
   * @param plan the value of the last response for this import.
   * @throws AppError `import_not_found`, `import_not_ready`; `plan_changed` if the schemas or the import have changed since;
   * `import_faulty` if rows have errors and are not skipped.
   */
  async apply(principal: AccountPrincipal, id: string, plan: string, skipsFaulty: boolean): Promise<ToldImport> {
    const found = await this.find(principal, id);
    if (planOf(found) === null) throw new AppError('import_not_ready');
    if (planOf(found) !== plan || found.schemaVersion !== this.steps.schemaVersion) throw new AppError('plan_changed');
    if (found.faults > 0 && !skipsFaulty) throw new AppError('import_faulty');
    return this.change(principal, found, { state: 'applying', skips_faulty: skipsFaulty, error: null });
  }

  /**
   * Cancels the running job. Rows that are already written stay.
   *
   * @throws AppError `import_not_found`, `import_not_ready`
   */
  async cancel(principal: AccountPrincipal, id: string): Promise<ToldImport> {
    await this.find(principal, id);
    const isMoved = await this.store.move(id, ['checking', 'applying', 'undoing'], { state: 'cancelled' });
    if (!isMoved) throw new AppError('import_not_ready');
    return this.get(principal, id);
  }

  /**
   * Deletes the records that the import created, unless they were changed since.
   *
   * @throws AppError `import_not_found`, `import_not_ready`, `import_not_undoable`
   */
  async undo(principal: AccountPrincipal, id: string): Promise<ToldImport> {
    const found = await this.find(principal, id);
    if (!['done', 'stopped', 'cancelled'].includes(found.state) || found.created === 0)
      throw new AppError('import_not_ready');
    if (!found.canBeUndone) throw new AppError('import_not_undoable');
    return this.change(principal, found, { state: 'undoing', error: null });
  }

  /**
   * Deletes an import with its remaining rows. A running upload then fails.
   *
   * @throws AppError `import_not_found`; `import_not_ready` while a job is running.
   */
  async forget(principal: AccountPrincipal, id: string): Promise<void> {
    await this.find(principal, id);
    if (!(await this.store.forget(id, ['receiving', ...WAITING, 'done', 'undone'])))
      throw new AppError('import_not_ready');
  }

  private async receive(
    id: string,
    principal: AccountPrincipal,
    sent: SentImport,
    bytes: ImportBytes,
  ): Promise<number> {
    let from = 0;
    let chunks: StagedChunk[] = [];
    // Earlier chunks are stored while the next are read.
    let kept = Promise.resolve(0);
    try {
      for await (const chunk of this.steps.stage({ principal, ...sent }, bytes, this.config.recordImports)) {
        chunks.push(chunk);
        if (chunks.length < CHUNKS && chunk.rows > 0) continue;
        if ((await kept) > MOST_FAULTS) break;
        kept = this.keep(id, from, chunks);
        kept.catch(() => undefined);
        // Other requests use the same database now, so do not read ahead.
        if (this.foreground.isInUse) await kept;
        from += chunks.length;
        chunks = [];
      }
    } finally {
      await Promise.allSettled([kept]);
    }
    return kept;
  }

  private async keep(id: string, from: number, chunks: readonly StagedChunk[]): Promise<number> {
    const faults = await this.store.receive(id, from, chunks);
    if (faults === null) throw new AppError('import_not_found');
    return faults;
  }

  private async find({ userId }: AccountPrincipal, id: string): Promise<RecordImport> {
    const found = isUuid(id) ? await this.store.find(id) : null;
    if (found?.ownerId !== userId) throw new AppError('import_not_found');
    return found;
  }

  /** Continues the import as the current user. Fails with `import_not_ready` if another request changed its state first. */
  private async change(
    principal: AccountPrincipal,
    { id, state }: RecordImport,
    changes: Readonly<Record<string, unknown>>,
  ): Promise<ToldImport> {
    await this.goOn(id, [state], { ...changes, actor: JSON.stringify(laterActor(principal)) });
    return this.get(principal, id);
  }

  private async goOn(
    id: string,
    from: readonly ImportState[],
    changes: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.store.transaction(async (manager: EntityManager) => {
      if (!(await this.store.move(id, from, changes, manager))) throw new AppError('import_not_ready');
      await this.jobs.enqueue(manager, RECORD_IMPORT, { import: id });
    });
  }
}

/** Returns whether there are rows that can still be written. */
function isLeft({ state, rows, applied, removed }: RecordImport): boolean {
  return WAITING.includes(state) && applied < rows && removed === 0;
}

/** Returns a fingerprint of the rows to apply; null if nothing can be applied. */
function planOf(found: RecordImport): string | null {
  const { id, schemaVersion, rows, applied, faults, isReadable } = found;
  if (!isLeft(found) || schemaVersion === 0 || !isReadable) return null;
  return createHash('sha256')
    .update(JSON.stringify([id, schemaVersion, rows, applied, faults]))
    .digest('hex');
}

function toResponse(found: RecordImport): ToldImport {
  const { id, schema, mode, state, rows, blank, checked, applied, created, updated, removed, faults, ignored, error } =
    found;
  const counts = { rows, blank, checked, applied, created, updated, removed, faults };
  return {
    id,
    schema,
    mode,
    state,
    ...counts,
    would_create: found.wouldCreate,
    would_update: found.wouldUpdate,
    ignored,
    error,
    plan: planOf(found),
    can_be_undone: found.canBeUndone && created > 0 && state !== 'undone',
    created_at: found.createdAt.toISOString(),
    updated_at: found.updatedAt.toISOString(),
    expires_at: found.expiresAt.toISOString(),
  };
}
