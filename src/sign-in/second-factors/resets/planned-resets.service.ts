import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { LaterActor } from '../../../identity/auth/access/later-principals.service.js';
import { accountActor } from '../../../platform/audit/audit.public.js';
import { DEFAULT_RETRY, defineJob } from '../../../platform/jobs/jobs.public.js';
import { Jobs, type ListedJob } from '../../../platform/jobs/jobs.service.js';
import { FactorLedger } from '../factor-ledger.service.js';
import { LONGEST_RESET_DELAY_SECONDS } from '../second-factors.variables.js';

export interface PlannedReset {
  readonly userId: string;
  /** The actor, as named in the audit log. */
  readonly by: string;
  /** The administrator, who is authorised again at the due time; null for a recovery by the owner of the address. */
  readonly administrator: { readonly id: string; readonly actor: LaterActor } | null;
  /** For a recovery: the address by which it was proven. The removal is void once the account has another address. */
  readonly emailKey: string | null;
  /** Kinds of credentials; null for all second factors. */
  readonly kinds: readonly string[] | null;
  /** Only factors created at this time or later. */
  readonly since: string | null;
}

/** An account can have several planned removals, each with its due time. */
export const RESET_FACTORS = defineJob<PlannedReset>('factor.reset', {
  retry: { ...DEFAULT_RETRY, giveUpAfterMs: LONGEST_RESET_DELAY_SECONDS * 1_000 + DEFAULT_RETRY.giveUpAfterMs },
});

/** Selects removals that the caller can cancel: the owner all of them, administrators those of administrators. */
type Selector = (reset: PlannedReset) => boolean;

const isAny: Selector = () => true;
const isOfAdministrator: Selector = ({ administrator }) => administrator !== null;

@Injectable()
export class PlannedResets {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly jobs: Jobs,
    private readonly ledger: FactorLedger,
  ) {}

  /** Returns when the first removal for an account is due, or null. */
  async dueAt(userId: string): Promise<Date | null> {
    return (await this.list(this.dataSource.manager, userId, isAny))[0]?.dueAt ?? null;
  }

  /** The same, for removals that administrators have planned and can cancel. */
  async dueAtByAdministrator(userId: string): Promise<Date | null> {
    return (await this.list(this.dataSource.manager, userId, isOfAdministrator))[0]?.dueAt ?? null;
  }

  /** Returns when a planned removal is due that covers another one and is not later; null if none does. */
  async findCovering(manager: EntityManager, reset: PlannedReset, dueAt: Date): Promise<Date | null> {
    const [first] = await this.list(manager, reset.userId, (planned) => covers(planned, reset));
    return first !== undefined && first.dueAt <= dueAt ? first.dueAt : null;
  }

  /** Plans a removal in the caller's transaction, which must have locked the account. */
  async plan(manager: EntityManager, reset: PlannedReset, dueAt: Date): Promise<void> {
    await this.jobs.enqueue(manager, RESET_FACTORS, reset, { dueAt });
  }

  /**
   * Cancels all planned removals after the owner has proven a factor, because the factor is not lost.
   *
   * @param manager of the caller's transaction, or outside any.
   */
  async callOff(manager: EntityManager, userId: string): Promise<void> {
    if ((await this.list(manager, userId, isAny)).length === 0) return;
    await manager.transaction((within) => this.cancel(within, userId, isAny, accountActor(userId)));
  }

  /** Cancels the removals that administrators have planned. Only the owner can cancel a recovery. Returns whether there was one. */
  async callOffByAdministrator(userId: string, actor: string): Promise<boolean> {
    return this.dataSource.transaction((manager) => this.cancel(manager, userId, isOfAdministrator, actor));
  }

  private async list(manager: EntityManager, userId: string, isMeant: Selector): Promise<ListedJob<PlannedReset>[]> {
    const due = await this.jobs.listDue(manager, RESET_FACTORS, { userId });
    return due.filter(({ payload }) => isMeant(payload));
  }

  private async cancel(manager: EntityManager, userId: string, isMeant: Selector, actor: string): Promise<boolean> {
    let isCancelled = false;
    for (const { id } of await this.list(manager, userId, isMeant))
      isCancelled = (await this.jobs.cancel(manager, RESET_FACTORS, id)) || isCancelled;
    if (isCancelled) await this.ledger.note(manager, { action: 'factor.keep', actor, userId });
    return isCancelled;
  }
}

/** Returns whether a removal covers another one: it removes the same or more, and is void under the same conditions. */
function covers(planned: PlannedReset, other: PlannedReset): boolean {
  const isAsValid =
    planned.emailKey === other.emailKey && isDeepStrictEqual(planned.administrator, other.administrator);
  const hasKinds =
    planned.kinds === null || (other.kinds !== null && other.kinds.every((kind) => planned.kinds?.includes(kind)));
  const isAsEarly =
    planned.since === null || (other.since !== null && Date.parse(planned.since) <= Date.parse(other.since));
  return isAsValid && hasKinds && isAsEarly;
}
