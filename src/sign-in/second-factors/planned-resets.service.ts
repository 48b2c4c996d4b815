import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { LaterActor } from '../../identity/auth/access/later-principals.service.js';
import { accountActor } from '../../platform/audit/audit.public.js';
import { DEFAULT_RETRY, defineJob } from '../../platform/jobs/jobs.public.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { FactorLedger } from './factor-ledger.service.js';
import { LONGEST_RESET_DELAY_SECONDS } from './second-factors.variables.js';

/** A removal of second factors that waits for its time. */
export interface PlannedReset {
  readonly userId: string;
  /** The actor, as the audit log names it. */
  readonly by: string;
  /** The administrator, who is authorised again when it runs; null for a recovery by the owner of the address. */
  readonly administrator: { readonly id: string; readonly actor: LaterActor } | null;
  /** For a recovery: the address by which it was proven. It is void once the account has another one. */
  readonly emailKey: string | null;
  /** Kinds of credentials; null for all second factors. */
  readonly kinds: readonly string[] | null;
  /** Only factors that were created at this time or later. */
  readonly since: string | null;
}

/** Of one account there is one: its id is the unique key. */
export const RESET_FACTORS = defineJob<PlannedReset>('factor.reset', {
  retry: { ...DEFAULT_RETRY, giveUpAfterMs: LONGEST_RESET_DELAY_SECONDS * 1_000 + DEFAULT_RETRY.giveUpAfterMs },
});

/** Removals of second factors by administrators that wait, so that the owner can call them off. */
@Injectable()
export class PlannedResets {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly jobs: Jobs,
    private readonly ledger: FactorLedger,
  ) {}

  /** Returns when the factors of an account are removed, or null. */
  async dueAt(userId: string, manager: EntityManager = this.dataSource.manager): Promise<Date | null> {
    return (await this.jobs.find(manager, RESET_FACTORS, userId))?.dueAt ?? null;
  }

  /** Plans one in the caller's transaction, which holds the lock of the account. */
  async plan(manager: EntityManager, reset: PlannedReset, dueAt: Date): Promise<void> {
    await this.jobs.enqueue(manager, RESET_FACTORS, reset, { uniqueKey: reset.userId, dueAt });
  }

  /**
   * Calls one off: whoever proves a factor has not lost it.
   *
   * @param actor how the audit log names who did it: the owner, unless given.
   * @returns whether there was one.
   */
  async callOff(userId: string, actor: string = accountActor(userId)): Promise<boolean> {
    if ((await this.dueAt(userId)) === null) return false;
    return this.dataSource.transaction((manager) => this.callOffIn(manager, userId, actor));
  }

  /** Does the same as {@link callOff} in the caller's transaction. */
  async callOffIn(manager: EntityManager, userId: string, actor: string = accountActor(userId)): Promise<boolean> {
    if (!(await this.jobs.cancel(manager, RESET_FACTORS, userId))) return false;
    await this.ledger.note(manager, { action: 'factor.keep', actor, userId });
    return true;
  }
}
