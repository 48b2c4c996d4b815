import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { activeTracer } from '../tracing/tracing.public.js';
import { newId } from '../../kernel/keys/random.js';
import { afterCommit } from '../database/database.public.js';
import type { JobKind } from './jobs.public.js';

/** Options of a job. */
export interface EnqueueOptions {
  /** Id of the job. Default: a new one. */
  readonly id?: string;
  /** Only one due job of a kind has the same key: the job is not added if one exists. */
  readonly uniqueKey?: string;
  /** When it may begin. Default: immediately. */
  readonly dueAt?: Date;
  /** When the job becomes useless and is given up. Default: never. */
  readonly expiresAt?: Date | null;
}

const INSERT = `INSERT INTO background_jobs (id, kind, unique_key, payload, due_at, expires_at, created_at, traceparent)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (kind, unique_key) WHERE state = 'due' DO NOTHING`;

export interface ListedJob<Payload extends object> {
  readonly id: string;
  readonly payload: Payload;
  /** `due` (including running), or `failed`: given up. */
  readonly state: 'due' | 'failed';
  readonly attempts: number;
  readonly fault: string | null;
  readonly createdAt: Date;
  readonly dueAt: Date;
}

export interface JobFilter<State = ListedJob<object>['state']> {
  readonly state: State | null;
  readonly before: string | null;
  readonly limit: number;
}

const SELECT = `SELECT id, payload, state, attempts, fault, created_at AS "createdAt", due_at AS "dueAt" FROM background_jobs`;
const LIST = `${SELECT}
  WHERE kind = $1 AND ($2::text IS NULL OR state = $2) AND ($3::uuid IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`;
/** A job with a valid claim is skipped, because it would run twice. */
const RETRY = `UPDATE background_jobs SET state = 'due', attempts = 0, fault = NULL, claim_id = NULL, due_at = $3,
    expires_at = CASE state WHEN 'failed' THEN NULL ELSE expires_at END
  WHERE id = $1 AND kind = $2 AND (claim_id IS NULL OR due_at <= $3)`;
const WITHDRAW = 'DELETE FROM background_jobs WHERE kind = $1 AND payload @> $2';
const FIND = `${SELECT} WHERE kind = $1 AND unique_key = $2 AND state = 'due'`;
const LIST_DUE = `${SELECT} WHERE kind = $1 AND payload @> $2 AND state = 'due' ORDER BY due_at, id`;
const CANCEL = `DELETE FROM background_jobs WHERE kind = $1 AND id = $2 AND state = 'due'`;
const IS_THERE = 'SELECT 1 FROM background_jobs WHERE id = $1 AND kind = $2';

/** Adds, lists and cancels background jobs. */
@Injectable()
export class Jobs {
  private readonly committed = new Subject<string>();
  /** Emits the kind of each due job that this instance has committed, so that the worker need not wait for its next poll. */
  readonly due = this.committed.asObservable();

  constructor(private readonly clock: Clock) {}

  /**
   * Adds a job in the caller's transaction: it runs only if the transaction is committed. It runs on any instance, at least once, normally
   * once, and survives crashes.
   *
   * @param payload JSON. The caller encrypts secrets in it.
   */
  async enqueue<Payload extends object>(
    manager: EntityManager,
    { name }: JobKind<Payload>,
    payload: Payload,
    { id = newId(), uniqueKey, dueAt, expiresAt = null }: EnqueueOptions = {},
  ): Promise<void> {
    const now = this.clock.now();
    const trace = activeTracer()?.headers()['traceparent'] ?? null;
    const row = [id, name, uniqueKey ?? null, JSON.stringify(payload), dueAt ?? now, expiresAt, now, trace];
    await manager.query(INSERT, row);
    if (dueAt === undefined || dueAt <= now) afterCommit(manager, () => this.committed.next(name));
  }

  /** Returns unfinished jobs of a kind, newest first. */
  list<Payload extends object>(
    manager: EntityManager,
    { name }: JobKind<Payload>,
    { state, before, limit }: JobFilter,
  ): Promise<ListedJob<Payload>[]> {
    return manager.query<ListedJob<Payload>[]>(LIST, [name, state, before, limit]);
  }

  /** Returns the due job of a kind with a unique key, or null. */
  async find<Payload extends object>(
    manager: EntityManager,
    { name }: JobKind<Payload>,
    uniqueKey: string,
  ): Promise<ListedJob<Payload> | null> {
    const [job] = await manager.query<ListedJob<Payload>[]>(FIND, [name, uniqueKey]);
    return job ?? null;
  }

  /** Returns the due jobs of a kind whose payload contains these members, earliest first. */
  listDue<Payload extends object>(
    manager: EntityManager,
    { name }: JobKind<Payload>,
    payload: Partial<Payload>,
  ): Promise<ListedJob<Payload>[]> {
    return manager.query<ListedJob<Payload>[]>(LIST_DUE, [name, JSON.stringify(payload)]);
  }

  /**
   * Cancels a due job of a kind in the caller's transaction, and returns whether it existed. A running job that ends with {@link
   * Job.complete} is rolled back.
   */
  async cancel(manager: EntityManager, { name }: { readonly name: string }, id: string): Promise<boolean> {
    const [, cancelled] = await manager.query<[unknown[], number]>(CANCEL, [name, id]);
    return cancelled > 0;
  }

  /** Deletes the jobs of a kind whose payload contains these members, in the caller's transaction. A running one may still complete. */
  async withdraw<Payload extends object>(
    manager: EntityManager,
    { name }: JobKind<Payload>,
    payload: Partial<Payload>,
  ): Promise<void> {
    await manager.query(WITHDRAW, [name, JSON.stringify(payload)]);
  }

  /** Makes a job due now, as if it were new, and returns whether it exists. A running job is not changed. */
  async retry(manager: EntityManager, { name }: { readonly name: string }, id: string): Promise<boolean> {
    const [, changed] = await manager.query<[unknown[], number]>(RETRY, [id, name, this.clock.now()]);
    afterCommit(manager, () => this.committed.next(name));
    return changed > 0 || (await manager.query<unknown[]>(IS_THERE, [id, name])).length > 0;
  }
}
