import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RoleDirectory } from '../../../identity/auth/auth.public.js';
import { Access } from '../../../identity/auth/access/access.service.js';
import { laterActor, LaterPrincipals } from '../../../identity/auth/access/later-principals.service.js';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import type { CredentialKind } from '../../../identity/auth/credentials/credential-kind.port.js';
import { FactorRevocation, type WaitingRevocation } from '../../../identity/auth/credentials/factor-revocation.port.js';
import { User } from '../../../identity/users/user.entity.js';
import { assertMayTouch } from '../../../identity/users/users.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { isUuid } from '../../../kernel/keys/random.js';
import { accountActor, actorOf } from '../../../platform/audit/audit.public.js';
import type { ValuesOf } from '../../../platform/config/config.public.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { RunsJob } from '../../../platform/jobs/job.decorators.js';
import { type Job, JobFault } from '../../../platform/jobs/jobs.public.js';
import { FactorLedger } from '../factor-ledger.service.js';
import { type PlannedReset, PlannedResets, RESET_FACTORS } from './planned-resets.service.js';
import { FACTOR_VARIABLES } from '../second-factors.variables.js';

const MINUTE_MS = 60_000;
const RESOURCE = 'mfa.reset';

/** Revokes the second factors of users who have lost them, with their recovery codes. */
@Injectable()
export class FactorReset extends FactorRevocation {
  constructor(
    @Inject(FACTOR_VARIABLES.token) private readonly variables: ValuesOf<typeof FACTOR_VARIABLES.variables>,
    private readonly changes: ChangeNotifier,
    private readonly credentials: AccountCredentials,
    private readonly roles: RoleDirectory,
    private readonly access: Access,
    private readonly later: LaterPrincipals,
    private readonly ledger: FactorLedger,
    private readonly planned: PlannedResets,
    private readonly clock: Clock,
  ) {
    super();
  }

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
    const administrator = { id: by.userId, actor: laterActor(by) };
    const planned = { userId, by: actorOf(by), administrator, emailKey: null, kinds: null, since: null };
    return this.changes.transaction(async (manager, notify) => {
      await this.ledger.lock(manager, userId);
      if (!(await this.hasFactor(manager, userId, root))) throw new AppError('no_second_factor');
      if (this.variables.AUTH_MFA_RESET_DELAY > 0)
        return this.planReset(manager, planned, this.variables.AUTH_MFA_RESET_DELAY, origin);
      await this.remove(manager, notify, planned, origin);
      return null;
    });
  }

  async plan(manager: EntityManager, waiting: WaitingRevocation, origin: RequestOrigin): Promise<Date> {
    const { userId, kinds, since, delaySeconds } = waiting;
    const { emailKey } = await manager.findOneByOrFail(User, { id: userId });
    const by = { by: accountActor(userId), administrator: null, emailKey };
    return this.planReset(manager, { userId, ...by, kinds, since: since?.toISOString() ?? null }, delaySeconds, origin);
  }

  /**
   * Cancels the removals that administrators have planned. A removal by recovery stays.
   *
   * @throws AppError `record_not_found` if there is none.
   */
  async callOff(by: AccountPrincipal, userId: string): Promise<void> {
    const isCancelled = isUuid(userId) && (await this.planned.callOffByAdministrator(userId, actorOf(by)));
    if (!isCancelled) throw new AppError('record_not_found');
  }

  /** Removes the factors at the due time, if the removal is still authorised. A cancelled removal does nothing. */
  @RunsJob(RESET_FACTORS)
  async run(job: Job<PlannedReset>): Promise<void> {
    const root = await orRefused(() => this.authorise(job.payload));
    await job.complete((within) =>
      this.changes.transaction(async (manager, notify) => {
        const { userId, emailKey } = job.payload;
        await this.ledger.lock(manager, userId);
        const isThere = await orRefused(() => this.hasFactor(manager, userId, root, emailKey));
        if (isThere) await this.remove(manager, notify, job.payload);
      }, within),
    );
  }

  /**
   * Authorises a planned removal again, because the administrator may have lost the permission or the account since. Returns whether root
   * accounts may be changed.
   *
   * @throws AppError `permission_denied`.
   */
  private async authorise({ administrator }: PlannedReset): Promise<boolean> {
    if (administrator === null) return true;
    const principal = await this.later.of(administrator.id, administrator.actor);
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
    const coveringDueAt = await this.planned.findCovering(manager, planned, dueAt);
    if (coveringDueAt !== null) return coveringDueAt;
    await this.planned.plan(manager, planned, dueAt);
    const facts = { due_at: dueAt.toISOString() };
    const event = { action: 'factor.plan', actor, userId, origin, facts, mail: 'factors-reset-planned' } as const;
    await this.ledger.tell(manager, { ...event, variables: { expiresInMinutes: delayMs / MINUTE_MS } });
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
      kept: { password: true },
      keepsTakeBacks: true,
      actor,
      origin,
    });
    const event = { action: 'factor.reset', actor, userId, origin, mail: 'factors-reset' } as const;
    await this.ledger.tell(manager, { ...event, variables: {} });
  }
}

/** Runs a check of a job. An application error is final, because a later attempt cannot succeed. */
async function orRefused<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof AppError) throw new JobFault('this account may not be touched any more', { retry: false });
    throw error;
  }
}
