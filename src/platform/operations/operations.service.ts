import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { isUuid, newId } from '../../kernel/keys/random.js';
import { defineLimit } from '../../kernel/limits.js';
import type { Job } from '../jobs/jobs.public.js';
import { Jobs } from '../jobs/jobs.service.js';
import {
  type NewOperation,
  type Operation,
  type OperationChanges,
  OperationFinished,
  type OperationKind,
  operationKind,
  type OperationPayload,
  type OperationScope,
  type OperationSteps,
  type OperationTarget,
} from './operations.public.js';

/** Retention after the last change. */
const WEEK_MS = 7 * 86_400_000;
const MAX_LISTED = defineLimit(100, 'Operations', 'operations that a list returns', null);

const COLUMNS = `id, kind, owner_id AS "ownerId", state, total, done, cursor, error, input, progress, created_at AS "createdAt",
  updated_at AS "updatedAt", expires_at AS "expiresAt"`;
const COUNT = `SELECT count(*)::int AS count FROM background_operations
  WHERE owner_id = $1 AND kind = $2 AND state = ANY($3::text[]) AND expires_at > $4`;
const INSERT = `INSERT INTO background_operations (id, kind, owner_id, state, total, input, progress, created_at, updated_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9) RETURNING ${COLUMNS}`;
const LIST = `SELECT ${COLUMNS} FROM background_operations
  WHERE owner_id = $1 AND ($2::text IS NULL OR kind = $2) AND expires_at > $3 ORDER BY id DESC LIMIT ${MAX_LISTED}`;
const FIND = `SELECT ${COLUMNS} FROM background_operations WHERE id = $1`;
const LOCK = `SELECT ${COLUMNS} FROM background_operations WHERE id = $1 AND state = ANY($2::text[]) FOR UPDATE`;
/** `CASE` keeps the stored input. Otherwise a large one would be written again by each step. */
const UPDATE = `UPDATE background_operations SET state = $2, total = $3, done = $4, cursor = $5, error = $6, progress = progress || $7::jsonb,
  input = CASE WHEN $8::jsonb IS NULL THEN input ELSE input || $8 END, updated_at = $9, expires_at = $10 WHERE id = $1`;
const DELETE = 'DELETE FROM background_operations WHERE id = $1 AND state = ANY($2::text[])';

/** Stores the long operations of all kinds and runs their steps. */
@Injectable()
export class Operations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError the error of the kind's limit. */
  async start<O extends Operation>(
    kind: OperationKind<O>,
    operation: NewOperation<O>,
    manager?: EntityManager,
  ): Promise<O> {
    if (manager === undefined) return this.dataSource.transaction((own) => this.start(kind, operation, own));
    const { name, limit, running, job } = kind;
    const { ownerId, state, total = 0, input, progress } = operation;
    const now = this.clock.now();
    // The lock serialises the count of one account.
    await manager.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [ownerId]);
    const [found] = await manager.query<{ count: number }[]>(COUNT, [ownerId, name, limit.states, now]);
    if ((found?.count ?? 0) >= limit.maximum) throw new AppError(limit.error);
    const texts = [JSON.stringify(input), JSON.stringify(progress)];
    const row = [newId(), name, ownerId, state, total, ...texts, now, expiryOf(kind, state, now)];
    const [inserted] = await manager.query<[O]>(INSERT, row);
    if (running.includes(state)) await this.jobs.enqueue(manager, job, { operation: inserted.id });
    return inserted;
  }

  /** Returns the operations of an account, newest first. */
  list<O extends Operation>(ownerId: string, { name }: OperationScope<O>): Promise<O[]> {
    return this.dataSource.query<O[]>(LIST, [ownerId, name, this.clock.now()]);
  }

  /** @throws AppError the error `missing` of the scope. */
  async get<O extends Operation>(ownerId: string, { name, errors }: OperationScope<O>, id: string): Promise<O> {
    const found = isUuid(id) ? await this.find<O>(id) : null;
    if (found?.ownerId !== ownerId || found.kind !== (name ?? found.kind)) throw new AppError(errors.missing);
    return found;
  }

  /**
   * Cancels a running operation. Completed steps are kept.
   *
   * @throws AppError the error `missing` or `ended` of the scope.
   */
  async cancel<O extends Operation>(ownerId: string, scope: OperationScope<O>, id: string): Promise<O> {
    const kind = operationKind((await this.get(ownerId, scope, id)).kind);
    const cancelled = kind && (await this.change({ kind, id, from: kind.running }, { state: 'cancelled' }));
    if (!cancelled) throw new AppError(scope.errors.ended);
    return cancelled as O;
  }

  /**
   * Changes an operation that is in one of these states, in one transaction. Concurrent changes wait for the lock of its row. If the
   * operation enters a running state, its job is enqueued.
   *
   * @param changes a function works in the same transaction, so that the work of a step and its progress are stored together or not at all.
   * @returns the changed operation; null if it was in none of the states.
   */
  async change<O extends Operation>(
    { kind, id, from, manager }: OperationTarget<O>,
    changes:
      | OperationChanges<O>
      | ((current: O, manager: EntityManager) => OperationChanges<O> | Promise<OperationChanges<O>>),
  ): Promise<O | null> {
    if (manager === undefined)
      return this.dataSource.transaction((own) => this.change({ kind, id, from, manager: own }, changes));
    const [current] = await manager.query<O[]>(LOCK, [id, from]);
    if (current === undefined) return null;
    const { input, progress, ...columns } = typeof changes === 'function' ? await changes(current, manager) : changes;
    const updatedAt = this.clock.now();
    const next = { ...current, ...columns, updatedAt };
    const { state, total, done, cursor, error } = next;
    const expiresAt = expiryOf(kind, state, updatedAt);
    const texts = [JSON.stringify(progress ?? {}), input === undefined ? null : JSON.stringify(input)];
    await manager.query(UPDATE, [id, state, total, done, cursor, error, ...texts, updatedAt, expiresAt]);
    if (kind.running.includes(state) && !kind.running.includes(current.state))
      await this.jobs.enqueue(manager, kind.job, { operation: id });
    return {
      ...next,
      expiresAt,
      input: { ...current.input, ...input },
      progress: { ...current.progress, ...progress },
    };
  }

  /** Deletes an operation that is in one of these states, and returns whether it was. */
  async delete(id: string, from: readonly string[]): Promise<boolean> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(DELETE, [id, from]);
    return count > 0;
  }

  /**
   * Runs the steps of an operation by its state, until its state has none. A step works in small transactions with {@link change}, so that
   * another instance can continue after a crash. An API error stops the operation. Other errors are retried.
   */
  async run<O extends Operation>(
    kind: OperationKind<O>,
    { payload: { operation: id }, retryAt, signal }: Job<OperationPayload>,
    steps: OperationSteps<O>,
  ): Promise<void> {
    try {
      for (let found = await this.find<O>(id); found !== null; found = await this.find<O>(id)) {
        signal.throwIfAborted();
        const step = steps[found.state as O['state']];
        if (step === undefined) return;
        await step(found, signal);
      }
    } catch (error) {
      if (error instanceof OperationFinished) return;
      const refusal = error instanceof AppError && error.status < 500 ? error.code : null;
      const changes = { state: 'stopped', error: refusal ?? 'internal_error' };
      if (refusal !== null || retryAt === null) await this.change<Operation>({ kind, id, from: kind.running }, changes);
      if (refusal === null) throw error;
    }
  }

  private async find<O extends Operation>(id: string): Promise<O | null> {
    const [found] = await this.dataSource.query<O[]>(FIND, [id]);
    return found ?? null;
  }
}

function expiryOf({ retentionMs }: OperationKind, state: string, now: Date): Date {
  return new Date(now.getTime() + (retentionMs?.[state] ?? WEEK_MS));
}
