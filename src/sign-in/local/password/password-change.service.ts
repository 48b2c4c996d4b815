import { Injectable } from '@nestjs/common';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import { AccountService } from '../../../identity/auth/account.service.js';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { LoginThrottle } from '../../../identity/auth/login-throttle.service.js';
import { SessionService } from '../../../identity/auth/sessions/session.service.js';
import { PasswordHasher } from '../../../identity/users/passwords/password-hasher.port.js';
import { mailAccount, USER_TOPIC } from '../../../identity/users/users.public.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { Mailer } from '../../../platform/mail/mailer.port.js';
import { PasswordLogin } from '../../../identity/auth/sign-in/password-login.service.js';

@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly changes: ChangeNotifier,
    private readonly credentials: PasswordLogin,
    private readonly accounts: AccountService,
    private readonly credentialsOf: AccountCredentials,
    private readonly sessions: SessionService,
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly mailer: Mailer,
  ) {}

  /**
   * Sets the new password, ends every other session, revokes the outstanding secrets of the account, and notifies the owner by mail. Only
   * one of several concurrent requests with the same password succeeds.
   *
   * @throws AppError `not_a_local_account`, `invalid_credentials`, `rate_limited`.
   */
  async change(account: AccountPrincipal, current: string, password: string, client: ClientContext): Promise<void> {
    const { userId, sessionId } = account;
    const user = await this.credentials.confirmOwner(userId, current, client);
    // Hashing is slow, so it runs before the transaction locks the account.
    const passwordHash = await this.hasher.hash(password);
    await this.changes.transaction(async (manager, notify) => {
      await this.credentials.lockUnchanged(manager, user);
      await this.accounts.changePassword(manager, userId, passwordHash, 'person', client);
      await this.credentialsOf.revokeOutstanding(manager, userId);
      await this.sessions.endAll(manager, notify, { userId, except: sessionId, reason: 'credentials', origin: client });
      notify(USER_TOPIC, userId);
      await mailAccount(this.mailer, manager, user, { template: 'password-changed', variables: {} });
    });
    await this.throttle.resetPasswordFailures(userId);
  }
}
