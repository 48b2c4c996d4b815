import { Injectable } from '@nestjs/common';
import { AccountBudget } from '../auth/account-budget.service.js';
import type { ClientContext } from '../auth/client-context.js';
import type { NewSession } from '../auth/session.service.js';
import { AppError } from '../kernel/app-error.js';
import { PASSWORD_LENGTH } from '../users/password-rules.js';
import { PasswordHasher } from '../users/password-hasher.port.js';
import { type Credentials, UsersService } from '../users/users.service.js';

/** Proves a person by login and password. */
@Injectable()
export class LocalCredentialsService {
  constructor(
    private readonly users: UsersService,
    private readonly hasher: PasswordHasher,
    private readonly budget: AccountBudget,
  ) {}

  /**
   * Checks the password and answers the session that may begin. An unknown login, an account without a password and a
   * wrong password cost the same work and get the same answer.
   *
   * @throws AppError `rate_limited`, `invalid_credentials`, or `account_inactive` (only after the right password).
   */
  async verify(login: string, password: string, client: ClientContext): Promise<NewSession> {
    const user = await this.users.findByLogin(login);
    const account = user?.id ?? login.toLowerCase();
    await this.budget.spend(account, client);
    // Over-long passwords cannot be right; they are refused at the cost of a decoy, not of their length.
    const tooLong = password.length > PASSWORD_LENGTH.max * 2;
    const matches = await this.hasher.verify(tooLong ? null : (user?.passwordHash ?? null), tooLong ? '' : password);
    if (!matches || user?.passwordHash == null) throw new AppError('invalid_credentials');
    await this.budget.succeed(account, client);
    if (!user.activated) throw new AppError('account_inactive');
    const passwordHash = await this.renewed(user, user.passwordHash, password);
    return { userId: user.id, provider: 'local', client, passwordHash };
  }

  private async renewed(user: Credentials, passwordHash: string, password: string): Promise<string> {
    if (!this.hasher.needsRehash(passwordHash)) return passwordHash;
    const fresh = await this.hasher.hash(password);
    await this.users.renewHash(user.id, passwordHash, fresh);
    return fresh;
  }
}
