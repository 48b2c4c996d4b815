import { Injectable } from '@nestjs/common';
import { type EntityManager, type FindOptionsWhere, IsNull } from 'typeorm';
import { OPERATOR } from '../../platform/audit/audit.public.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { ChangeNotifier, type Notify } from '../../platform/events/change-notifier.service.js';
import { Clock } from '../../kernel/clock.port.js';
import type { RequestOrigin } from '../../kernel/principal.types.js';
import type { PasswordChangedEvent } from '../lifecycle/lifecycle-event.types.js';
import { AccountLifecycle } from '../lifecycle/account-lifecycle.service.js';
import { USER_TOPIC } from '../users/users.public.js';
import { PasswordHasher } from '../users/passwords/password-hasher.port.js';
import { UsersService } from '../users/users.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { SERVICE_ACCOUNT, User } from '../users/user.entity.js';
import { AccountCredentials } from './credentials/account-credentials.service.js';
import type { RevokedBy } from './credentials/credential-kind.port.js';
import { LoginThrottle } from './login-throttle.service.js';

@Injectable()
export class AccountService {
  constructor(
    private readonly changes: ChangeNotifier,
    private readonly credentials: AccountCredentials,
    private readonly users: UsersService,
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly lifecycle: AccountLifecycle,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Activates an account that has never been active, in the caller's transaction. Returns whether it did. */
  async activateNewAccount(
    manager: EntityManager,
    notify: Notify,
    userId: string,
    origin?: RequestOrigin,
  ): Promise<boolean> {
    return this.setActive(manager, notify, { id: userId, activatedAt: IsNull() }, { origin });
  }

  /** Returns whether the account was inactive before. */
  async activate(userId: string): Promise<boolean> {
    return this.changes.transaction((manager, notify) =>
      this.setActive(manager, notify, { id: userId }, { actor: OPERATOR }),
    );
  }

  /** Deactivates the account and revokes its sessions. Returns whether it was active before. */
  async deactivate(userId: string): Promise<boolean> {
    return this.changes.transaction(async (manager, notify) => {
      const { affected } = await manager.update(
        User,
        { id: userId, activated: true },
        { activated: false, updatedAt: this.clock.now() },
      );
      if (affected === 1) await this.audit.writeFor(manager, userId, 'account.deactivate', { actor: OPERATOR });
      await this.credentials.revokeSessions(manager, notify, userId, { actor: OPERATOR });
      return affected === 1;
    });
  }

  /** The password is already validated. @throws AppError `not_a_local_account` for a service account. */
  async setPassword(userId: string, password: string): Promise<void> {
    const user = await this.users.findById(userId);
    if (user?.provider === SERVICE_ACCOUNT) throw new AppError('not_a_local_account');
    const passwordHash = await this.hasher.hash(password);
    await this.changes.transaction(async (manager, notify) => {
      await this.changePassword(manager, userId, passwordHash, 'administrator');
      // The owner may still need to cancel an e-mail change by an attacker.
      const selection = { retained: { password: true }, keepsUndoLinks: true, actor: OPERATOR } as const;
      await this.credentials.revokeAll(manager, notify, userId, selection);
    });
    await this.throttle.resetPasswordFailures(userId);
  }

  /** Runs in the caller's transaction. The caller revokes other credentials. */
  async changePassword(
    manager: EntityManager,
    userId: string,
    passwordHash: string,
    method: PasswordChangedEvent['method'],
    origin?: RequestOrigin,
  ): Promise<void> {
    await manager.update(User, { id: userId }, { passwordHash, updatedAt: this.clock.now() });
    const actor = method === 'administrator' ? OPERATOR : undefined;
    await this.audit.writeFor(manager, userId, 'account.password', { actor, origin, facts: { method } });
    await this.lifecycle.runHooks('passwordChanged', manager, userId, { method, removed: false });
  }

  private async setActive(
    manager: EntityManager,
    notify: Notify,
    account: { readonly id: string } & FindOptionsWhere<User>,
    by: RevokedBy,
  ): Promise<boolean> {
    const now = this.clock.now();
    const changes = { activated: true, activatedAt: now, updatedAt: now };
    const { affected } = await manager.update(User, { ...account, activated: false }, changes);
    notify(USER_TOPIC, account.id);
    if (affected === 1) await this.audit.writeFor(manager, account.id, 'account.activate', by);
    return affected === 1;
  }
}
