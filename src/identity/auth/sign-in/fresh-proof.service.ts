import { Inject, Injectable, Optional } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { accountActor, defineAuditActions } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { AppError } from '../../../kernel/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import type { ClientContext } from '../access/client-context.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { PasswordLogin } from './sign-in-method.port.js';

const ACTIONS = defineAuditActions('Step-up', {
  'session.prove': 'The person of a session proved once more who they are.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** For how long after its sign-in, or the last step-up, a session is a fresh proof by itself, in milliseconds. */
const FRESH_MS = 600_000;

const IS_RECENT = 'SELECT 1 FROM sessions WHERE id = $1 AND coalesce(proven_at, created_at) > $2';
/** Under the credentials that were proven: whatever ended them since has ended the session, or will. */
const RENEW = `UPDATE sessions s SET proven_at = $3 FROM users u
  WHERE s.id = $1 AND s.user_id = u.id AND u.id = $2 AND u.activated AND u.credentials_version = $4 RETURNING s.id`;

/** What a person is asked for before something that outlives the session. */
export const DUE_PROOFS = ['password', 'sign_in'] as const;
export type DueProof = (typeof DUE_PROOFS)[number];

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
    private readonly audit: AuditTrail,
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
    const { user, passwords } = await this.find(account);
    if (passwords === null) return this.assertRecent(account);
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
    if (await this.isRecent(account)) return;
    if (password === undefined || password === null || password === '') throw new AppError('step_up_required');
    await this.assert(account, password, client);
  }

  /** @throws AppError `step_up_required` if neither the sign-in nor a step-up was in the last ten minutes. */
  async assertRecent(account: AccountPrincipal): Promise<void> {
    if (!(await this.isRecent(account))) throw new AppError('step_up_required');
  }

  /** Returns what {@link assert} would ask for; null if it would pass. */
  async due(account: AccountPrincipal): Promise<DueProof | null> {
    const { passwords } = await this.find(account);
    if (passwords !== null) return 'password';
    return (await this.isRecent(account)) ? null : 'sign_in';
  }

  /**
   * Takes the password, and has the session count as one that has just begun.
   *
   * @throws AppError `invalid_credentials`, `rate_limited`; `step_up_required` if the account has no password to sign in with.
   */
  async renew(account: AccountPrincipal, password: string, client: ClientContext): Promise<void> {
    const { user, passwords } = await this.find(account);
    if (passwords === null) throw new AppError('step_up_required');
    await passwords.confirm(user, password, client);
    const { userId, sessionId } = account;
    const now = this.clock.now();
    const values = [sessionId, userId, now, user.credentialsVersion];
    const [renewed] = await this.dataSource.query<[unknown[], number]>(RENEW, values);
    if (renewed.length === 0) throw new AppError('token_invalid');
    const event = { action: 'session.prove', actor: accountActor(userId), resource: `session:${sessionId}` } as const;
    await this.audit.write(this.dataSource.manager, { ...event, origin: client, at: now });
  }

  /** The account, and what checks its password; null if it has none to sign in with. */
  private async find({ userId }: AccountPrincipal): Promise<{ user: User; passwords: PasswordLogin | null }> {
    const user = await this.users.findById(userId);
    if (user === null) throw new AppError('token_invalid');
    const isUsable = user.passwordHash !== null && !this.config.auth.localLoginDisabled;
    return { user, passwords: isUsable ? (this.passwords ?? null) : null };
  }

  private async isRecent({ sessionId }: AccountPrincipal): Promise<boolean> {
    const since = new Date(this.clock.nowMs() - FRESH_MS);
    return (await this.dataSource.query<unknown[]>(IS_RECENT, [sessionId, since])).length > 0;
  }
}
