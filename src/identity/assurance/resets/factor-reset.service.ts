import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RoleDirectory } from '../../auth/auth.public.js';
import { Access } from '../../auth/access/access.service.js';
import { type JobActor, jobActor, JobPrincipals } from '../../auth/access/job-principals.service.js';
import { AccountCredentials } from '../../auth/credentials/account-credentials.service.js';
import type { CredentialKind } from '../../auth/credentials/credential-kind.port.js';
import { User } from '../../users/user.entity.js';
import { lockAccount } from '../../users/users.service.js';
import { assertMayTouch } from '../../users/users.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { isUuid } from '../../../kernel/keys/random.js';
import { accountActor, actorOf } from '../../../platform/audit/audit.public.js';
import type { ValuesOf } from '../../../platform/config/config.public.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { RunsJob } from '../../../platform/jobs/job.decorators.js';
import { DEFAULT_RETRY, defineJob, type Job, JobFault } from '../../../platform/jobs/jobs.public.js';
import { Jobs, type ListedJob } from '../../../platform/jobs/jobs.service.js';
import { FactorLedger } from '../factor-ledger.service.js';
import { FACTOR_VARIABLES, MAX_RESET_DELAY_SECONDS } from '../assurance.variables.js';

const MINUTE_MS = 60_000;
const RESOURCE = 'mfa.reset';

/** A removal of second factors. */
interface PlannedReset {
  readonly userId: string;
  /** The actor, as named in the audit log. */
  readonly by: string;
  /** The administrator, who is authorised again at the due time; null for a recovery by the owner of the address. */
  readonly administrator: { readonly id: string; readonly actor: JobActor } | null;
  /** For a recovery: the address by which it was proven. The removal is void once the account has another address. */
  readonly emailKey: string | null;
  /** Kinds of credentials; null for all second factors. */
  readonly kinds: readonly string[] | null;
  /** Only factors created at this time or later. */
  readonly since: string | null;
}

/** An account can have several planned removals, each with its due time. */
const RESET_FACTORS = defineJob<PlannedReset>('factor.reset', {
  retry: { ...DEFAULT_RETRY, giveUpAfterMs: MAX_RESET_DELAY_SECONDS * 1_000 + DEFAULT_RETRY.giveUpAfterMs },
});

interface DelayedRemoval {
  readonly userId: string;
  /** Names of kinds of credentials. */
  readonly kinds: readonly string[];
  /** Only those that were created at this time or later; null for all. */
  readonly since: Date | null;
  readonly delaySeconds: number;
}

/** Planned removals that a caller can cancel: the owner all of them, administrators those of administrators. */
type Canceller = 'owner' | 'administrator';

/** Revokes the second factors of users who have lost them, with their recovery codes: immediately, or as a job at a planned time. */
@Injectable()
export class FactorReset {
  constructor(
    @Inject(FACTOR_VARIABLES.token) private readonly variables: ValuesOf<typeof FACTOR_VARIABLES.variables>,
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly credentials: AccountCredentials,
    private readonly roles: RoleDirectory,
    private readonly access: Access,
    private readonly principals: JobPrincipals,
    private readonly ledger: FactorLedger,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes all second factors of an account, revokes its sessions, and notifies its owner by mail. This happens immediately, or after
   * `AUTH_MFA_RESET_DELAY` unless the owner uses a factor meanwhile. Planned removals are not changed.
   *
   * @returns when the factors are removed; null if they are removed already.
   * @throws AppError `record_not_found`; `permission_denied` for a root account, unless the caller is one; `no_second_factor`.
   */
  async reset(by: AccountPrincipal, userId: string, origin: RequestOrigin): Promise<Date | null> {
    if (!isUuid(userId)) throw new AppError('record_not_found');
    const { root } = await this.roles.permissionsOf(by);
    const administrator = { id: by.userId, actor: jobActor(by) };
    const planned = { userId, by: actorOf(by), administrator, emailKey: null, kinds: null, since: null };
    const delaySeconds = this.variables.AUTH_MFA_RESET_DELAY;
    return this.changes.transaction(async (manager, notify) => {
      await lockAccount(manager, userId);
      if (!(await this.hasFactor(manager, userId, root))) throw new AppError('no_second_factor');
      if (delaySeconds > 0) return this.planReset(manager, planned, delaySeconds, origin);
      await this.remove(manager, notify, planned, origin);
      return null;
    });
  }

  /**
   * Plans a removal for the owner of a locked account, in the caller's transaction, and notifies the owner by mail.
   *
   * @returns when it runs. If an earlier plan already covers all of it, this is the time of that plan. Other plans keep their own times.
   */
  async plan(manager: EntityManager, delayed: DelayedRemoval, origin: RequestOrigin): Promise<Date> {
    const { userId, kinds, since, delaySeconds } = delayed;
    const { emailKey } = await manager.findOneByOrFail(User, { id: userId });
    const by = { by: accountActor(userId), administrator: null, emailKey };
    return this.planReset(manager, { userId, ...by, kinds, since: since?.toISOString() ?? null }, delaySeconds, origin);
  }

  /** Returns when the first removal that the caller can cancel is due, or null. */
  async dueAt(userId: string, canceller: Canceller): Promise<Date | null> {
    return (await this.list(this.dataSource.manager, userId, canceller))[0]?.dueAt ?? null;
  }

  /** Cancels the removals that administrators have planned, not those by recovery. @throws AppError `record_not_found` for none. */
  async cancel(by: AccountPrincipal, userId: string): Promise<void> {
    const isCancelled =
      isUuid(userId) &&
      (await this.dataSource.transaction((manager) => this.cancelIn(manager, userId, 'administrator', actorOf(by))));
    if (!isCancelled) throw new AppError('record_not_found');
  }

  /** The owner has proven a factor, so it is not lost. @param manager of the caller's transaction, or outside any. */
  async cancelAll(manager: EntityManager, userId: string): Promise<void> {
    if ((await this.list(manager, userId, 'owner')).length === 0) return;
    await manager.transaction((within) => this.cancelIn(within, userId, 'owner', accountActor(userId)));
  }

  /** Removes the factors at the due time, if the removal is still authorised. A cancelled removal does nothing. */
  @RunsJob(RESET_FACTORS)
  async run(job: Job<PlannedReset>): Promise<void> {
    const root = await orRefused(() => this.authorise(job.payload));
    await job.complete((within) =>
      this.changes.transaction(async (manager, notify) => {
        const { userId, emailKey } = job.payload;
        await lockAccount(manager, userId);
        const exists = await orRefused(() => this.hasFactor(manager, userId, root, emailKey));
        if (exists) await this.remove(manager, notify, job.payload);
      }, within),
    );
  }

  /** The administrator may have lost the permission or the account since. Returns whether root accounts may be changed. */
  private async authorise({ administrator }: PlannedReset): Promise<boolean> {
    if (administrator === null) return true;
    const principal = await this.principals.of(administrator.id, administrator.actor);
    if (!(await this.access.can(principal, RESOURCE))) throw new AppError('permission_denied');
    return (await this.roles.permissionsOf(principal)).root;
  }

  private async hasFactor(
    manager: EntityManager,
    userId: string,
    root: boolean,
    emailKey: string | null = null,
  ): Promise<boolean> {
    const user = await manager.findOneBy(User, { id: userId });
    if (user === null) throw new AppError('record_not_found');
    if (emailKey !== null && (user.emailKey !== emailKey || !user.activated)) throw new AppError('permission_denied');
    await assertMayTouch(manager, root, userId);
    return user.secondFactor;
  }

  private async planReset(
    manager: EntityManager,
    planned: PlannedReset,
    delaySeconds: number,
    origin: RequestOrigin,
  ): Promise<Date> {
    const { userId, by: actor } = planned;
    const delayMs = delaySeconds * 1_000;
    const dueAt = new Date(this.clock.nowMs() + delayMs);
    const earlier = (await this.list(manager, userId, 'owner')).find(({ payload }) => covers(payload, planned));
    if (earlier !== undefined && earlier.dueAt <= dueAt) return earlier.dueAt;
    await this.jobs.enqueue(manager, RESET_FACTORS, planned, { dueAt });
    const change = { userId, actor, origin, facts: { due_at: dueAt.toISOString() } };
    await this.ledger.report(manager, 'factor.plan', change, { expiresInMinutes: delayMs / MINUTE_MS });
    return dueAt;
  }

  private async remove(
    manager: EntityManager,
    notify: Notify,
    { userId, by: actor, kinds, since }: PlannedReset,
    origin?: RequestOrigin,
  ): Promise<void> {
    const from = since === null ? null : new Date(since);
    const isRemoved = ({ name, isSecondFactor }: CredentialKind): boolean =>
      isSecondFactor && (kinds === null || kinds.includes(name));
    await this.credentials.revoke(manager, notify, userId, {
      since: (kind) => (isRemoved(kind) ? from : false),
      retained: { password: true },
      keepsUndoLinks: true,
      actor,
      origin,
    });
    await this.ledger.report(manager, 'factor.reset', { userId, actor, origin }, {});
  }

  private async list(
    manager: EntityManager,
    userId: string,
    canceller: Canceller,
  ): Promise<readonly ListedJob<PlannedReset>[]> {
    const due = await this.jobs.listDue(manager, RESET_FACTORS, { userId });
    return due.filter(({ payload }) => canceller === 'owner' || payload.administrator !== null);
  }

  /** Returns whether there was a removal to cancel. */
  private async cancelIn(
    manager: EntityManager,
    userId: string,
    canceller: Canceller,
    actor: string,
  ): Promise<boolean> {
    let isCancelled = false;
    for (const { id } of await this.list(manager, userId, canceller))
      isCancelled = (await this.jobs.cancel(manager, RESET_FACTORS, id)) || isCancelled;
    if (isCancelled) await this.ledger.record(manager, 'factor.keep', { actor, userId });
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

/** Runs a check of a job. An application error is final, because a later attempt cannot succeed. */
async function orRefused<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof AppError) throw new JobFault('you can no longer change this account', { retry: false });
    throw error;
  }
}
