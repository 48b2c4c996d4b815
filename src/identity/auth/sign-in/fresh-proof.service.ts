import { Inject, Injectable, Optional } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, MoreThan } from 'typeorm';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { AppError } from '../../../kernel/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { UsersService } from '../../users/users.service.js';
import type { ClientContext } from '../access/client-context.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { Session } from '../sessions/session.entity.js';
import { PasswordLogin } from './sign-in-method.port.js';

/** For how long after its sign-in a session is a fresh proof by itself, in milliseconds. */
const FRESH_MS = 600_000;

/**
 * Asks a signed-in person once more who they are, before something that outlives the session: a stolen access token must
 * not become a way in for good.
 */
@Injectable()
export class FreshProof {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly clock: Clock,
    @Optional() private readonly passwords?: PasswordLogin,
  ) {}

  /**
   * Asks for the password if the account has one that is good for signing in; else the sign-in must be recent.
   *
   * @param password what was given as current password.
   * @throws AppError `validation_failed` if the password is missing, `invalid_credentials`, `rate_limited`;
   *   `step_up_required` if the sign-in is more than ten minutes ago.
   */
  async assert(account: AccountPrincipal, password: string | null | undefined, client: ClientContext): Promise<void> {
    const user = await this.users.findById(account.userId);
    if (user === null) throw new AppError('token_invalid');
    const { passwords } = this;
    if (user.passwordHash === null || passwords === undefined || this.config.auth.localLoginDisabled)
      return this.assertRecent(account.sessionId);
    if (password === undefined || password === null || password === '') {
      throw AppError.validation([{ field: 'current_password', code: 'required', message: 'is required' }]);
    }
    await passwords.confirm(user, password, client);
  }

  /**
   * Takes a recent sign-in, or else the password.
   *
   * @throws AppError `step_up_required` if there is neither; `invalid_credentials`, `rate_limited`.
   */
  async assertRecentOr(
    account: AccountPrincipal,
    password: string | null | undefined,
    client: ClientContext,
  ): Promise<void> {
    if (await this.isRecent(account.sessionId)) return;
    if (password === undefined || password === null || password === '') throw new AppError('step_up_required');
    await this.assert(account, password, client);
  }

  private async assertRecent(sessionId: string): Promise<void> {
    if (!(await this.isRecent(sessionId))) throw new AppError('step_up_required');
  }

  private isRecent(sessionId: string): Promise<boolean> {
    const since = new Date(this.clock.nowMs() - FRESH_MS);
    return this.dataSource.getRepository(Session).existsBy({ id: sessionId, createdAt: MoreThan(since) });
  }
}
