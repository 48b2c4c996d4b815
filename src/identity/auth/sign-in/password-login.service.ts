import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { LoginThrottle } from '../login-throttle.service.js';
import type { ClientContext } from '../access/client-context.js';
import { type OfferedMethods, ProofRefused, type ProvenAccount, SignInMethod } from './sign-in-method.port.js';
import { isLocalLoginDisabled } from '../access/disabled-when.decorator.js';
import { User } from '../../users/user.entity.js';
import { defineAuditActions } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { PASSWORD_LENGTH } from '../../users/users.public.js';
import { PasswordHasher } from '../../users/passwords/password-hasher.port.js';
import { type Credentials, loginKey, UsersService } from '../../users/users.service.js';

const ACTIONS = defineAuditActions('Passwords', {
  'account.confirm': 'A signed-in user entered a wrong password to confirm an action.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const LOCK_UNCHANGED = 'SELECT 1 FROM users WHERE id = $1 AND activated AND credentials_version = $2 FOR NO KEY UPDATE';

/** Sign-in by login and password. */
@Injectable()
export class PasswordLogin extends SignInMethod {
  readonly names = ['local'];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly users: UsersService,
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly audit: AuditTrail,
    private readonly dataSource: DataSource,
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

  /** An unknown login, an account without a password and a wrong password take the same time and return the same error. */
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

  /** Confirms the password of a signed-in user and returns the account. @throws AppError `not_a_local_account` without one. */
  async confirmOwner(userId: string, password: string, client: ClientContext): Promise<User> {
    const user = await this.users.findById(userId);
    if (user === null) throw new AppError('token_invalid');
    if (user.passwordHash === null) throw new AppError('not_a_local_account');
    await this.confirm(user, password, client);
    return user;
  }

  /** Locks the account. Fails if its credentials changed or it was deactivated since the password was confirmed. */
  async lockUnchanged(manager: EntityManager, { id, credentialsVersion }: User): Promise<void> {
    const unchanged = await manager.query<unknown[]>(LOCK_UNCHANGED, [id, credentialsVersion]);
    if (unchanged.length === 0) throw new AppError('invalid_credentials');
  }

  /** Checks the password of a signed-in user again. It has a separate budget, which other clients cannot use up. */
  async confirm(
    user: Pick<Credentials, 'id' | 'passwordHash'>,
    password: string,
    client: ClientContext,
  ): Promise<void> {
    await this.throttle.consume('own-password', user.id, client);
    if (!(await this.matches(user.passwordHash, password))) {
      // The owner can see a stolen session that tries to gain more rights.
      const refusal = { outcome: 'invalid_credentials', origin: client };
      await this.audit.writeFor(this.dataSource.manager, user.id, 'account.confirm', refusal);
      throw new AppError('invalid_credentials');
    }
    await this.throttle.succeed('own-password', user.id, client);
  }

  /** An over-long password is never right. It is checked against a decoy, so that its length costs nothing. */
  private matches(passwordHash: string | null, password: string): Promise<boolean> {
    const tooLong = password.length > PASSWORD_LENGTH.max * 2;
    return this.hasher.verify(tooLong ? null : passwordHash, tooLong ? '' : password);
  }
}
