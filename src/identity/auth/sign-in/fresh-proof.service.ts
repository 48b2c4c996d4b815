import { Inject, Injectable, Optional } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { accountActor, defineAuditActions, factsOf } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import type { ClientContext } from '../access/client-context.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { SESSION_TOPIC } from '../sessions/session-directory.js';
import { amrOf, levelOf, SECOND_LEVEL } from '../sessions/factor-classes.public.js';
import { type BroughtFactor, FactorProofs } from './factor-proofs.service.js';
import { PasswordLogin } from './sign-in-method.port.js';
import { SignInMethods } from './sign-in-methods.service.js';

const ACTIONS = defineAuditActions('Step-up', {
  'session.prove': 'The person of a session proved once more who they are.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

/** A session is a fresh proof for this time after its sign-in or its last step-up. */
const FRESH_MS = 600_000;

/** For an account with a second factor, the factor must be recent. */
const IS_RECENT = `SELECT 1 FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = $1 AND CASE WHEN u.second_factor THEN s.level_at ELSE coalesce(s.proven_at, s.created_at) END > $2`;
/** A step-up since the sign-in. A sign-in by a recovery code counts, because it can only replace the lost factor. */
const IS_STEPPED_UP = `SELECT 1 FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = $1 AND (s.level_at > $2 OR NOT u.second_factor) AND (s.proven_at > $2 OR 'recovery_code' = ANY(s.amr))`;
/** Requires the credentials version of the proof. A later revocation has ended the session, or will end it. */
const RENEW = `UPDATE sessions s SET proven_at = $3 FROM users u
  WHERE s.id = $1 AND s.user_id = u.id AND u.id = $2 AND u.activated AND u.credentials_version = $4 RETURNING s.id`;
const FIND_PROOFS = `SELECT s.provider, s.amr, u.credentials_version AS "credentialsVersion"
  FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND u.id = $2`;
const RAISE = `UPDATE sessions s SET proven_at = $3::timestamptz, amr = $5::varchar[], level = $6::smallint,
    level_at = CASE WHEN $6 >= ${SECOND_LEVEL} THEN $3 ELSE s.level_at END
  FROM users u WHERE s.id = $1 AND s.user_id = u.id AND u.id = $2 AND u.activated AND u.credentials_version = $4 RETURNING s.id`;

interface StepUp {
  readonly method: string;
  readonly password?: string | null | undefined;
  readonly code?: string | null | undefined;
  readonly credential?: unknown;
}

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
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly factors: FactorProofs,
    private readonly methods: SignInMethods,
    private readonly changes: ChangeNotifier,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    @Optional() private readonly passwords?: PasswordLogin,
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
    await passwords.confirm(user, given('current_password', password), client);
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
    if (await this.isProven(IS_STEPPED_UP, account)) return;
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

  /**
   * Checks a proof, and renews the proof time of the session.
   *
   * @throws AppError `validation_failed` for an unknown method or a missing value; the errors of {@link renew} and {@link raise}.
   */
  async stepUp(account: AccountPrincipal, brought: StepUp, client: ClientContext): Promise<void> {
    const { method, password, code, credential } = brought;
    if (method === 'password') return this.renew(account, given('password', password), client);
    if (!this.factors.knows(method))
      throw AppError.validation([{ field: 'method', code: 'value_invalid', message: 'is not known' }]);
    const answer = credential === undefined || credential === null ? { code: given('code', code) } : { credential };
    await this.raise(account, { method, ...answer }, client);
  }

  /**
   * Checks the password, and renews the proof time of the session.
   *
   * @throws AppError `invalid_credentials`, `rate_limited`; `step_up_required` if the account cannot sign in with a password, or must prove
   * its second factor instead.
   */
  private async renew(account: AccountPrincipal, password: string, client: ClientContext): Promise<void> {
    const { user, passwords } = await this.find(account);
    if (passwords === null || user.secondFactor) throw new AppError('step_up_required');
    await passwords.confirm(user, password, client);
    const { userId, sessionId } = account;
    const now = this.clock.now();
    const values = [sessionId, userId, now, user.credentialsVersion];
    const [renewed] = await this.dataSource.query<[unknown[], number]>(RENEW, values);
    if (renewed.length === 0) throw new AppError('token_invalid');
    await this.audit.write(this.dataSource.manager, this.event(account, client, now));
  }

  /**
   * Asserts that the account has to prove itself at a provider. With a password or a second factor, it must prove that instead.
   *
   * @throws AppError `step_up_required`
   */
  async assertWithoutOwnProof(account: AccountPrincipal): Promise<void> {
    const { user, passwords } = await this.find(account);
    if (passwords !== null || user.secondFactor) throw new AppError('step_up_required');
  }

  /**
   * Renews the proof of a session after a step-up at a provider. Runs in the caller's transaction, which has locked the account.
   *
   * @throws AppError `token_invalid` if the session has ended.
   */
  async renewBy(
    manager: EntityManager,
    { userId, sessionId }: Pick<AccountPrincipal, 'userId' | 'sessionId'>,
    provider: string,
    origin: RequestOrigin,
  ): Promise<void> {
    const [session] = await manager.query<SessionProofs[]>(FIND_PROOFS, [sessionId, userId]);
    if (session === undefined) throw new AppError('token_invalid');
    const now = this.clock.now();
    const [renewed] = await manager.query<[unknown[], number]>(RENEW, [
      sessionId,
      userId,
      now,
      session.credentialsVersion,
    ]);
    if (renewed.length === 0) throw new AppError('token_invalid');
    await this.audit.write(manager, this.event({ userId, sessionId }, origin, now, provider));
  }

  /**
   * Checks a second factor, adds it to the session, and renews the proof time.
   *
   * @throws AppError `mfa_invalid`, `rate_limited`; `token_invalid` if the account was changed meanwhile.
   */
  private async raise(account: AccountPrincipal, brought: BroughtFactor, client: ClientContext): Promise<void> {
    const { userId, sessionId } = account;
    const [session] = await this.dataSource.query<SessionProofs[]>(FIND_PROOFS, [sessionId, userId]);
    if (session === undefined) throw new AppError('token_invalid');
    const { provider, credentialsVersion } = session;
    const proven = await this.factors.prove(userId, { ...brought, credentialsVersion }, client, provider);
    await this.changes.transaction(async (manager, notify) => {
      await this.raiseBy(manager, account, session, proven);
      notify(SESSION_TOPIC, sessionId);
      await this.audit.write(manager, this.event(account, client, this.clock.now(), proven));
    });
  }

  /** Adds a factor that was just proven to the session, such as a new one, in the caller's transaction. */
  async raiseTo(manager: EntityManager, notify: Notify, account: AccountPrincipal, proven: string): Promise<void> {
    const { userId, sessionId } = account;
    const [session] = await manager.query<SessionProofs[]>(FIND_PROOFS, [sessionId, userId]);
    if (session === undefined) throw new AppError('token_invalid');
    await this.raiseBy(manager, account, session, proven);
    notify(SESSION_TOPIC, sessionId);
  }

  private async raiseBy(
    manager: EntityManager,
    { userId, sessionId }: AccountPrincipal,
    session: SessionProofs,
    proven: string,
  ): Promise<void> {
    const amr = [...new Set([...amrOf(session), proven])];
    const values = [sessionId, userId, this.clock.now(), session.credentialsVersion, amr, levelOf(amr)];
    const [raised] = await manager.query<[unknown[], number]>(RAISE, values);
    if (raised.length === 0) throw new AppError('token_invalid');
  }

  private event(
    { userId, sessionId }: Pick<AccountPrincipal, 'userId' | 'sessionId'>,
    origin: RequestOrigin,
    at: Date,
    method = 'password',
  ) {
    const event = { action: 'session.prove', actor: accountActor(userId), resource: `session:${sessionId}` } as const;
    return { ...event, origin, at, changes: factsOf({ method }) };
  }

  /** `passwords` is null if the account cannot sign in with a password. */
  private async find({ userId }: AccountPrincipal): Promise<{ user: User; passwords: PasswordLogin | null }> {
    const user = await this.users.findById(userId);
    if (user === null) throw new AppError('token_invalid');
    const isUsable = user.passwordHash !== null && !this.config.auth.localLoginDisabled;
    return { user, passwords: isUsable ? (this.passwords ?? null) : null };
  }

  private isRecent(account: AccountPrincipal): Promise<boolean> {
    return this.isProven(IS_RECENT, account);
  }

  private async isProven(text: string, { sessionId }: AccountPrincipal): Promise<boolean> {
    const since = new Date(this.clock.nowMs() - FRESH_MS);
    return (await this.dataSource.query<unknown[]>(text, [sessionId, since])).length > 0;
  }
}

function given(field: string, value: string | null | undefined): string {
  if (value !== undefined && value !== null && value !== '') return value;
  throw AppError.validation([{ field, code: 'required', message: 'is required' }]);
}
