import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { LoginThrottle } from '../../../identity/auth/login-throttle.service.js';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import {
  type OfferedMethods,
  PasswordLogin,
  ProofRefused,
  type ProvenAccount,
} from '../../../identity/auth/sign-in/sign-in-method.port.js';
import { isLocalLoginDisabled } from '../../../identity/auth/access/disabled-when.decorator.js';
import { User } from '../../../identity/users/user.entity.js';
import { accountActor, defineAuditActions } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { Clock } from '../../../kernel/clock.port.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { PASSWORD_LENGTH } from '../../../identity/users/users.public.js';
import { PasswordHasher } from '../../../identity/users/passwords/password-hasher.port.js';
import { type Credentials, loginKey, UsersService } from '../../../identity/users/users.service.js';

const ACTIONS = defineAuditActions('Passwords', {
  'account.confirm': 'Who was signed in gave a wrong password when they were asked for it once more.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

@Injectable()
export class LocalCredentialsService extends PasswordLogin {
  readonly names = ['local'];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly users: UsersService,
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {
    super();
  }

  offer(): Partial<OfferedMethods> {
    return { local: !isLocalLoginDisabled(this.config) };
  }

  async listFor(manager: EntityManager, userId: string): Promise<readonly string[]> {
    if (isLocalLoginDisabled(this.config)) return [];
    const where = { id: userId, passwordHash: Not(IsNull()) };
    return (await manager.existsBy(User, where)) ? this.names : [];
  }

  /**
   * Checks the password and returns the account. An unknown login, an account without a password and a wrong password take the same time
   * and return the same error.
   *
   * @throws AppError `rate_limited`, `invalid_credentials`.
   */
  async verify(login: string, password: string, client: ClientContext): Promise<ProvenAccount> {
    const user = await this.users.findByLogin(login);
    const account = user?.id ?? loginKey(login);
    await this.throttle.consume('password', account, client);
    const passwordHash = user?.passwordHash ?? null;
    if (!(await this.matches(passwordHash, password)) || user === null || passwordHash === null) {
      throw new ProofRefused('invalid_credentials', { userId: user?.id ?? null, provider: 'local', client });
    }
    await this.throttle.succeed('password', account, client);
    if (this.hasher.needsRehash(passwordHash))
      await this.users.renewHash(user.id, passwordHash, await this.hasher.hash(password));
    const { id: userId, activated, credentialsVersion, secondFactor } = user;
    return { userId, provider: 'local', client, credentialsVersion, activated, secondFactor };
  }

  /**
   * Checks the password of a signed-in user again. It has a separate budget, which other clients cannot use up.
   *
   * @throws AppError `rate_limited`, `invalid_credentials`.
   */
  async confirm(
    user: Pick<Credentials, 'id' | 'passwordHash'>,
    password: string,
    client: ClientContext,
  ): Promise<void> {
    await this.throttle.consume('own-password', user.id, client);
    if (!(await this.matches(user.passwordHash, password))) {
      await this.noteRefusal(user.id, client);
      throw new AppError('invalid_credentials');
    }
    await this.throttle.succeed('own-password', user.id, client);
  }

  /** Logs the failure, so that the owner can see a stolen session that tries to gain more rights. */
  private async noteRefusal(userId: string, origin: ClientContext): Promise<void> {
    const event = { action: 'account.confirm', outcome: 'invalid_credentials', resource: `user:${userId}` } as const;
    const at = this.clock.now();
    await this.audit.write(this.dataSource.manager, { ...event, actor: accountActor(userId), origin, at });
  }

  /** An over-long password is never right. It is checked against a decoy, so that its length costs nothing. */
  private matches(passwordHash: string | null, password: string): Promise<boolean> {
    const tooLong = password.length > PASSWORD_LENGTH.max * 2;
    return this.hasher.verify(tooLong ? null : passwordHash, tooLong ? '' : password);
  }
}
