import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { defineAuditActions } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { amrOf, isFresh, levelOf, SECOND_LEVEL } from '../../auth/access/assurance.public.js';
import { type ClientContext, SESSION_TOPIC, SessionDirectory } from '../../auth/auth.public.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { type FactorFields, FactorProofs, type PresentedFactor } from '../factor-proofs.service.js';
import { PasswordLogin } from '../../auth/sign-in/password-login.service.js';
import { SignInMethods } from '../../auth/sign-in/sign-in-methods.service.js';

const ACTIONS = defineAuditActions('Step-up', {
  'session.prove': 'A signed-in user confirmed their identity again (step-up).',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const FRESH_MS = 600_000;

/** A step-up since the sign-in. A sign-in by a recovery code counts, because it can only replace the lost factor. */
const IS_STEPPED_UP = `SELECT 1 FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = $1 AND (s.level_at > $2 OR NOT u.second_factor) AND (s.proven_at > $2 OR 'recovery_code' = ANY(s.amr))`;
const FIND_PROOFS = `SELECT s.provider, s.amr, u.credentials_version AS "credentialsVersion"
  FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND u.id = $2`;
/** With `amr` also renews the proofs. Requires the credentials version of the proof: a later revocation has ended the session, or will. */
const RENEW = `UPDATE sessions s SET proven_at = $3::timestamptz, amr = coalesce($5::varchar[], s.amr),
    level = coalesce($6::smallint, s.level), level_at = CASE WHEN $6 >= ${SECOND_LEVEL} THEN $3 ELSE s.level_at END
  FROM users u WHERE s.id = $1 AND s.user_id = u.id AND u.id = $2 AND u.activated AND u.credentials_version = $4 RETURNING s.id`;

type SessionOfUser = Pick<AccountPrincipal, 'userId' | 'sessionId'>;

/** The proofs of a session, with the current credentials version. */
interface SessionProofs {
  readonly provider: string;
  readonly amr: readonly string[];
  readonly credentialsVersion: number;
}

/** Proofs that a user must give before an action that outlives the session. */
export const DUE_PROOFS = ['password', 'sign_in'] as const;
export type DueProof = (typeof DUE_PROOFS)[number];

/** Protects actions that outlive the session: a stolen access token must not become permanent access. */
@Injectable()
export class FreshProof {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly factors: FactorProofs,
    private readonly methods: SignInMethods,
    private readonly sessions: SessionDirectory,
    private readonly changes: ChangeNotifier,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    private readonly passwords: PasswordLogin,
  ) {}

  /**
   * Requires the password if the account can sign in with one, else a recent sign-in. If the account has a second factor, it must have been
   * proven recently too.
   *
   * @param password current password in the request.
   * @throws AppError `validation_failed` if the password is missing, `invalid_credentials`, `rate_limited`; `step_up_required` if the
   * sign-in is more than ten minutes ago.
   */
  async assert(account: AccountPrincipal, password: string | null | undefined, client: ClientContext): Promise<void> {
    const { user, passwords } = await this.find(account);
    if (passwords === null || user.secondFactor) await this.assertRecent(account);
    if (passwords === null) return;
    await passwords.confirm(user, requireField('current_password', password), client);
  }

  /**
   * Requires the current password or a step-up of the last ten minutes before a credential is created. A recent sign-in is not enough,
   * because a stolen access token must not become a lasting credential.
   *
   * With a second factor, the step-up must have proven it. An account without a password and a second factor needs a step-up at its
   * provider. If its provider offers none, a recent sign-in is its only proof.
   *
   * @throws AppError `step_up_required` if there is neither; `invalid_credentials`, `rate_limited`.
   */
  async assertForCredential(
    account: AccountPrincipal,
    password: string | null | undefined,
    client: ClientContext,
  ): Promise<void> {
    const values = [account.sessionId, new Date(this.clock.nowMs() - FRESH_MS)];
    if ((await this.dataSource.query<unknown[]>(IS_STEPPED_UP, values)).length > 0) return;
    const { user, passwords } = await this.find(account);
    if (!user.secondFactor && passwords === null && (await this.methods.offersStepUp(this.dataSource.manager, user.id)))
      throw new AppError('step_up_required');
    if (user.secondFactor || passwords === null) await this.assertRecent(account);
    if (passwords === null) return;
    if (password === undefined || password === null || password === '') throw new AppError('step_up_required');
    await passwords.confirm(user, password, client);
  }

  /** @throws AppError `step_up_required` if neither the sign-in nor a step-up was in the last ten minutes. */
  async assertRecent(account: AccountPrincipal): Promise<void> {
    if (!(await this.isRecent(account))) throw new AppError('step_up_required');
  }

  /** Returns the proof that {@link assert} would require; null if it would pass. */
  async due(account: AccountPrincipal): Promise<DueProof | null> {
    const { user, passwords } = await this.find(account);
    if (user.secondFactor && !(await this.isRecent(account))) return 'sign_in';
    if (passwords !== null) return 'password';
    return (await this.isRecent(account)) ? null : 'sign_in';
  }

  /** Renews the proof time of the session. @throws AppError `validation_failed` for an unknown method or a missing value. */
  async stepUp(account: AccountPrincipal, proof: FactorFields, client: ClientContext): Promise<void> {
    const { method, password, code, credential } = proof;
    if (method === 'password') return this.renew(account, requireField('password', password), client);
    if (!this.factors.isFactor(method))
      throw AppError.validation([{ field: 'method', code: 'value_invalid', message: 'is not known' }]);
    const answer =
      credential === undefined || credential === null ? { code: requireField('code', code) } : { credential };
    await this.raise(account, { method, ...answer }, client);
  }

  /** @throws AppError `step_up_required` if the account cannot sign in with a password, or must prove its second factor instead. */
  private async renew(account: AccountPrincipal, password: string, client: ClientContext): Promise<void> {
    const { user, passwords } = await this.find(account);
    if (passwords === null || user.secondFactor) throw new AppError('step_up_required');
    await passwords.confirm(user, password, client);
    const { manager } = this.dataSource;
    await this.update(manager, account, user.credentialsVersion);
    await this.record(manager, account, client, 'password');
  }

  /** Asserts that the account has to prove itself at a provider. With a password or a second factor, it must prove that instead. */
  async assertWithoutOwnProof(account: AccountPrincipal): Promise<void> {
    const { user, passwords } = await this.find(account);
    if (passwords !== null || user.secondFactor) throw new AppError('step_up_required');
  }

  /** After a step-up at a provider, in the caller's transaction, which has locked the account. */
  async renewBy(
    manager: EntityManager,
    session: SessionOfUser,
    provider: string,
    origin: RequestOrigin,
  ): Promise<void> {
    const { credentialsVersion } = await findProofs(manager, session);
    await this.update(manager, session, credentialsVersion);
    await this.record(manager, session, origin, provider);
  }

  /** Adds a second factor to the session. @throws AppError `token_invalid` if the account was changed meanwhile. */
  private async raise(account: AccountPrincipal, factor: PresentedFactor, client: ClientContext): Promise<void> {
    const session = await findProofs(this.dataSource.manager, account);
    const { provider, credentialsVersion } = session;
    const proven = await this.factors.prove(account.userId, { ...factor, credentialsVersion }, client, provider);
    await this.changes.transaction(async (manager, notify) => {
      await this.update(manager, account, credentialsVersion, withProof(session, proven));
      notify(SESSION_TOPIC, account.sessionId);
      await this.record(manager, account, client, proven);
    });
  }

  /** Adds a factor that was just proven to the session, such as a new one, in the caller's transaction. */
  async raiseTo(manager: EntityManager, notify: Notify, account: AccountPrincipal, proven: string): Promise<void> {
    const session = await findProofs(manager, account);
    await this.update(manager, account, session.credentialsVersion, withProof(session, proven));
    notify(SESSION_TOPIC, account.sessionId);
  }

  private async update(
    manager: EntityManager,
    { userId, sessionId }: SessionOfUser,
    credentialsVersion: number,
    amr: readonly string[] | null = null,
  ): Promise<void> {
    const values = [sessionId, userId, this.clock.now(), credentialsVersion, amr, amr && levelOf(amr)];
    const [renewed] = await manager.query<[unknown[], number]>(RENEW, values);
    if (renewed.length === 0) throw new AppError('token_invalid');
  }

  private async record(
    manager: EntityManager,
    { userId, sessionId }: SessionOfUser,
    origin: RequestOrigin,
    method: string,
  ): Promise<void> {
    const event = { resource: `session:${sessionId}`, origin, facts: { method } };
    await this.audit.writeFor(manager, userId, 'session.prove', event);
  }

  /** `passwords` is null if the account cannot sign in with a password. */
  private async find({ userId }: AccountPrincipal): Promise<{ user: User; passwords: PasswordLogin | null }> {
    const user = await this.users.findById(userId);
    if (user === null) throw new AppError('token_invalid');
    const isUsable = user.passwordHash !== null && !this.config.auth.localLoginDisabled;
    return { user, passwords: isUsable ? this.passwords : null };
  }

  /** For an account with a second factor, the factor must be recent. Reads the database, because the proof may be on another instance. */
  private async isRecent({ sessionId, userId }: AccountPrincipal): Promise<boolean> {
    const assurance = (await this.sessions.findNow(sessionId, userId))?.assurance;
    return assurance !== undefined && isFresh(assurance, this.clock.nowMs());
  }
}

/** @throws AppError `token_invalid` if the session has ended. */
async function findProofs(manager: EntityManager, { userId, sessionId }: SessionOfUser): Promise<SessionProofs> {
  const [session] = await manager.query<SessionProofs[]>(FIND_PROOFS, [sessionId, userId]);
  if (session === undefined) throw new AppError('token_invalid');
  return session;
}

function withProof(session: SessionProofs, proven: string): readonly string[] {
  return [...new Set([...amrOf(session), proven])];
}

function requireField(field: string, value: string | null | undefined): string {
  if (value !== undefined && value !== null && value !== '') return value;
  throw AppError.validation([{ field, code: 'required', message: 'is required' }]);
}
