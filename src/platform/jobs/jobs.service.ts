import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { activeTracer } from '../../kernel/tracing.js';
import { newId } from '../../kernel/random.js';
import { afterCommit } from '../database/database.public.js';
import type { JobKind } from './job-kind.js';

/** Holds the options of a job beside its payload. */
export interface EnqueueOptions {
  /** Id of the job; a new one if not said. */
  readonly id?: string;
  /** Of the due jobs of its kind with the same key one is enough: this one is not added then. */
  readonly uniqueKey?: string;
  /** When it may begin; at once if not said. */
  readonly dueAt?: Date;
  /** When it is worthless: it is given up then. */
  readonly expiresAt?: Date | null;
}

const INSERT = `INSERT INTO background_jobs (id, kind, unique_key, payload, due_at, expires_at, created_at, traceparent)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (kind, unique_key) WHERE state = 'due' DO NOTHING`;

/** Enqueues background work. */
@Injectable()
export class Jobs {
  private readonly committed = new Subject<string>();
  /** Emits the kind of a job that this instance has committed and that is due: a worker need not wait for its next look. */
  readonly due = this.committed.asObservable();

  constructor(private readonly clock: Clock) {}

  /**
   * Adds a job in the caller's transaction: it is done if that is committed, and never heard of if not. It runs on any
   * instance, at least once, normally once, and outlives every crash.
   *
   * @param payload JSON; what is secret in it is sealed by the caller.
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
}
