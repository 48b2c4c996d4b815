import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RoleDirectory } from '../../identity/auth/auth.public.js';
import { AccountService } from '../../identity/auth/account.service.js';
import { User } from '../../identity/users/user.entity.js';
import { assertMayTouch } from '../../identity/users/users.public.js';
import { AppError } from '../../kernel/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import type { AccountPrincipal, RequestOrigin } from '../../kernel/principal.types.js';
import { isUuid } from '../../kernel/random.js';
import { actorOf } from '../../platform/audit/audit.public.js';
import type { ValuesOf } from '../../platform/config/config.public.js';
import { ChangeNotifier, type Notify } from '../../platform/events/change-notifier.service.js';
import { RunsJob } from '../../platform/jobs/job.decorators.js';
import { type Job, JobFault } from '../../platform/jobs/jobs.public.js';
import { FactorLedger } from './factor-ledger.service.js';
import { Passkey } from './passkeys/passkey.entity.js';
import { type PlannedReset, PlannedResets, RESET_FACTORS } from './planned-resets.service.js';
import { FACTOR_VARIABLES } from './second-factors.variables.js';
import { TotpFactor } from './totp-factor.entity.js';

const MINUTE_MS = 60_000;

/** Takes the second factors of people who have lost them, and their recovery codes, too. */
@Injectable()
export class FactorReset {
  constructor(
    @Inject(FACTOR_VARIABLES.token) private readonly variables: ValuesOf<typeof FACTOR_VARIABLES.variables>,
    private readonly changes: ChangeNotifier,
    private readonly accounts: AccountService,
    private readonly roles: RoleDirectory,
    private readonly ledger: FactorLedger,
    private readonly planned: PlannedResets,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes all second factors of an account, ends its sessions, and tells its owner by mail: at once, or after
   * `AUTH_MFA_RESET_DELAY`, unless the owner uses a factor meanwhile.
   *
   * @returns when they are removed; null if they are. Asked for again, a removal that waits goes on waiting as it did.
   * @throws AppError `record_not_found`; `permission_denied` for an account that may do everything, unless its like asks;
   *   `no_second_factor`.
   */
  async reset(by: AccountPrincipal, userId: string, origin: RequestOrigin): Promise<Date | null> {
    if (!isUuid(userId)) throw new AppError('record_not_found');
    const { root } = await this.roles.permissionsOf(by);
    const asked = { userId, by: actorOf(by), root };
    return this.changes.transaction(async (manager, notify) => {
      await this.ledger.lock(manager, userId);
      if (!(await this.hasFactor(manager, asked))) throw new AppError('no_second_factor');
      if (this.variables.AUTH_MFA_RESET_DELAY > 0) return this.plan(manager, asked, origin);
      await this.remove(manager, notify, asked, origin);
      return null;
    });
  }

  /**
   * Calls a removal off that waits.
   *
   * @throws AppError `record_not_found` if none does.
   */
  async callOff(by: AccountPrincipal, userId: string): Promise<void> {
    if (!isUuid(userId) || !(await this.planned.callOff(userId, actorOf(by)))) throw new AppError('record_not_found');
  }

  /** Removes the factors whose time has come, in one transaction with the end of the plan: called off, it does nothing. */
  @RunsJob(RESET_FACTORS)
  async run(job: Job<PlannedReset>): Promise<void> {
    await job.complete((within) =>
      this.changes.transaction(async (manager, notify) => {
        const { userId } = job.payload;
        await this.ledger.lock(manager, userId);
        const isThere = await this.hasFactor(manager, job.payload).catch((error: unknown) => {
          if (error instanceof AppError)
            throw new JobFault('this account may not be touched any more', { retry: false });
          throw error;
        });
        if (isThere) await this.remove(manager, notify, job.payload);
      }, within),
    );
  }

  private async hasFactor(manager: EntityManager, { userId, root }: PlannedReset): Promise<boolean> {
    const user = await manager.findOneBy(User, { id: userId });
    if (user === null) throw new AppError('record_not_found');
    await assertMayTouch(manager, root, userId);
    return user.secondFactor;
  }

  private async plan(manager: EntityManager, asked: PlannedReset, origin: RequestOrigin): Promise<Date> {
    const { userId, by: actor } = asked;
    const waiting = await this.planned.dueAt(userId, manager);
    if (waiting !== null) return waiting;
    const delayMs = this.variables.AUTH_MFA_RESET_DELAY * 1_000;
    const dueAt = new Date(this.clock.nowMs() + delayMs);
    await this.planned.plan(manager, asked, dueAt);
    const facts = { due_at: dueAt.toISOString() };
    const event = { action: 'factor.plan', actor, userId, origin, facts, mail: 'factors-reset-planned' } as const;
    await this.ledger.tell(manager, { ...event, variables: { expiresInMinutes: delayMs / MINUTE_MS } });
    return dueAt;
  }

  private async remove(
    manager: EntityManager,
    notify: Notify,
    { userId, by: actor }: PlannedReset,
    origin?: RequestOrigin,
  ): Promise<void> {
    await manager.delete(TotpFactor, { userId });
    await manager.delete(Passkey, { userId });
    await this.ledger.settle(manager, userId);
    await this.accounts.endEverything(manager, notify, userId, origin);
    const event = { action: 'factor.reset', actor, userId, origin, mail: 'factors-reset' } as const;
    await this.ledger.tell(manager, { ...event, variables: {} });
  }
}
