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

/** Rows that go to the database at once. */
const CHUNKS = 10;
/** States in which nothing goes on, and what is left of the rows can be checked or applied. */
const WAITING: readonly ImportState[] = ['checked', 'stopped', 'cancelled'];

/** File that is sent to be imported in the background. */
export interface SentImport {
  readonly schema: string;
  /** Whether it goes on by itself after a check without faults. */
  readonly appliesItself: boolean;
  /** The other parameters, as an import takes them. */
  readonly query: AskedImport['query'];
  /** Type that the file is said to be of. */
  readonly mediaType: string;
}

/** Imports of files in the background, as their owners see them. */
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
   * Takes in the rows of a file, and has them checked in the background.
   *
   * @throws AppError what an import throws; `imports_pending`; `body_too_large`.
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

  /** Returns the imports of an account, the newest first. */
  async list({ userId }: AccountPrincipal): Promise<readonly ToldImport[]> {
    return (await this.store.list(userId)).map(told);
  }

  /** @throws AppError `import_not_found` */
  async get(principal: AccountPrincipal, id: string): Promise<ToldImport> {
    return told(await this.find(principal, id));
  }

  /**
   * Checks again what is not written.
   *
   * @throws AppError `import_not_found`, `import_not_ready`
   */
  async check(principal: AccountPrincipal, id: string): Promise<ToldImport> {
    const found = await this.find(principal, id);
    if (!isLeft(found)) throw new AppError('import_not_ready');
    return this.change(principal, found, { state: 'checking' });
  }

  /**
   * Has the rows written that are not.
   *
   * @param plan what was told of the import when it was looked at.
   * @throws AppError `import_not_found`, `import_not_ready`; `plan_changed` if the schemas, or the import, are others by now;
   * `import_faulty` if rows have faults and are not to be left out.
   */
  async apply(principal: AccountPrincipal, id: string, plan: string, skipsFaulty: boolean): Promise<ToldImport> {
    const found = await this.find(principal, id);
    if (planOf(found) === null) throw new AppError('import_not_ready');
    if (planOf(found) !== plan || found.schemaVersion !== this.steps.schemaVersion) throw new AppError('plan_changed');
    if (found.faults > 0 && !skipsFaulty) throw new AppError('import_faulty');
    return this.change(principal, found, { state: 'applying', skips_faulty: skipsFaulty, error: null });
  }

  /**
   * Ends what goes on; what is written stays.
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
   * Deletes the records that it has made, and that nobody has changed since.
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
   * Forgets an import, with what is left of its rows; one that is still being sent is refused from then on.
   *
   * @throws AppError `import_not_found`; `import_not_ready` while it goes on.
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
    // Those before are kept while the next are read.
    let kept = Promise.resolve(0);
    try {
      for await (const chunk of this.steps.stage({ principal, ...sent }, bytes, this.config.recordImports)) {
        chunks.push(chunk);
        if (chunks.length < CHUNKS && chunk.rows > 0) continue;
        if ((await kept) > MOST_FAULTS) break;
        kept = this.keep(id, from, chunks);
        kept.catch(() => undefined);
        // Whoever asks for something now asks the same database.
        if (this.foreground.isInUse) await kept;
        from += chunks.length;
        chunks = [];
      }
    } finally {
      await Promise.allSettled([kept]);
    }
    return kept;
  }

  /** Keeps what was read, and returns how many faults there are by now. */
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

  /** Has it go on in the name of who says so. Whoever was faster has changed its state: then it is not ready any more. */
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

/** Stands for what would be applied; null if nothing can be. */
function planOf(found: RecordImport): string | null {
  const { id, schemaVersion, rows, applied, faults, isReadable } = found;
  if (!isLeft(found) || schemaVersion === 0 || !isReadable) return null;
  return createHash('sha256')
    .update(JSON.stringify([id, schemaVersion, rows, applied, faults]))
    .digest('hex');
}

function told(found: RecordImport): ToldImport {
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
