import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { ErrorCode } from '../../../kernel/errors/error-catalogue.js';
import { newId } from '../../../kernel/keys/random.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { prepared } from '../../../platform/database/database.public.js';
import { accountActor, auditStep, auditValues, factsOf } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import type { AuditEvent } from '../../../platform/audit/audit.types.js';
import { AccountLifecycle } from '../../lifecycle/account-lifecycle.service.js';
import { SERVICE_ACCOUNT } from '../../users/user.entity.js';
import { lockAccount } from '../../users/users.service.js';
import { SessionService } from '../sessions/session.service.js';
import { AccessTokens } from '../tokens/access-tokens.service.js';
import { TokenClaims } from '../tokens/token-claims.service.js';
import { type IssuedRefreshToken, type RefreshBearer, RefreshTokenService } from '../tokens/refresh-token.service.js';
import { amrOf, levelOf, REMEMBERED, SECOND_LEVEL } from '../access/assurance.public.js';
import { SecondFactor, type SignInBinding } from './second-factor.port.js';
import { type FailedProof, ProofRefused, type ProvenAccount } from './sign-in-method.port.js';

/** The body of every successful sign-in. */
export class TokenSet {
  @ApiProperty({ description: 'Access token (JWT).' }) readonly token: string;
  @ApiProperty({ format: 'date-time' }) readonly expires: string;
  @ApiPropertyOptional({ description: 'Present if refresh tokens are enabled.' }) readonly refresh_token?: string;
  @ApiPropertyOptional({ format: 'date-time' }) readonly refresh_token_expires?: string;
}

/** Proves an account by a sign-in method, or rejects with an AppError. */
export type Proof = () => ProvenAccount | Promise<ProvenAccount>;

/** A step of every sign-in. It may reject the sign-in with an AppError. */
export interface SignInStep {
  readonly name: string;
  readonly run: (signIn: SignIn) => void | Promise<void>;
}

/** A sign-in in progress. Each step stores its result for later steps. */
class SignIn {
  account: ProvenAccount;
  sessionId: string;
  refreshToken: IssuedRefreshToken | null;
  tokens: TokenSet;

  /** @param refusal error code if the account was changed meanwhile. */
  constructor(
    readonly prove: Proof,
    readonly refusal: ErrorCode,
    readonly binding: SignInBinding = {},
  ) {}
}

/**
 * Starts a session and its first refresh token, under the conditions of the steps before.
 *
 * The row lock orders this with a concurrent reset, deactivation, new factor or other revocation. They run either before and reject this
 * sign-in, or after and revoke its session.
 */
const START_SESSION = `WITH account AS (
     SELECT id FROM users WHERE id = $2 AND activated AND credentials_version = $8::integer
       AND provider <> '${SERVICE_ACCOUNT}' AND (NOT second_factor OR $13::smallint >= ${SECOND_LEVEL}) FOR SHARE
   ), session AS (
     INSERT INTO sessions (id, user_id, provider, device, address, created_at, last_used_at, expires_at, amr, level, level_at)
     SELECT $1::uuid, id, $3, $4, $5, $6::timestamptz, $6, $7::timestamptz, $12::varchar[], $13,
       CASE WHEN $13 >= ${SECOND_LEVEL} AND '${REMEMBERED}' <> ALL($12) THEN $6 END FROM account RETURNING id
   ), token AS (
     INSERT INTO refresh_tokens (id, session_id, token_hash, created_at, expires_at)
     SELECT $9::uuid, id, $10::text, $6, $11::timestamptz FROM session WHERE $10::text IS NOT NULL
   )`;
const START_TEXT = `${START_SESSION} SELECT id FROM session`;
const START = prepared<StartedSession>('start-session', START_TEXT);
/** The same, and writes the audit event in the same statement. */
const AUDITED_TEXT = `${START_SESSION}, event AS (${startStep(14)}) SELECT id FROM session`;
const START_AUDITED = prepared<StartedSession>('start-audited-session', AUDITED_TEXT);

/** Adds a branch of tokens to an active session, if the credentials are unchanged. Locks the session after its account. */
const JOIN = prepared<StartedSession>(
  'join-session',
  `WITH account AS (
     SELECT id FROM users WHERE id = $2 AND activated AND credentials_version = $3::integer FOR SHARE
   ), session AS (
     UPDATE sessions s SET last_used_at = $4::timestamptz, expires_at = GREATEST(s.expires_at, $5::timestamptz)
     FROM account WHERE s.id = $1::uuid AND s.user_id = account.id AND s.expires_at > $4 RETURNING s.id
   ), token AS (
     INSERT INTO refresh_tokens (id, session_id, token_hash, created_at, expires_at)
     SELECT $6::uuid, id, $7::text, $4, $8::timestamptz FROM session WHERE $7::text IS NOT NULL
   )
   SELECT id FROM session`,
);

interface StartedSession {
  readonly id: string;
}

/** Turns the sign-ins of all methods into sessions (ADR 0025). */
@Injectable()
export class SignInService {
  /** Steps that must pass before a session, or a code for one, is issued. */
  readonly gate: readonly SignInStep[] = [
    { name: 'account', run: (signIn) => this.proveAccount(signIn) },
    { name: 'active', run: assertActive },
    { name: 'second factor', run: (signIn) => this.assertSecondFactor(signIn) },
  ];

  /** All steps of a sign-in, in order. */
  readonly steps: readonly SignInStep[] = [
    ...this.gate,
    { name: 'session', run: (signIn) => this.startSession(signIn) },
    { name: 'tokens', run: (signIn) => this.issueTokens(signIn) },
  ];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly secondFactor: SecondFactor,
    private readonly sessions: SessionService,
    private readonly refreshTokens: RefreshTokenService,
    private readonly lifecycle: AccountLifecycle,
    private readonly audit: AuditTrail,
    private readonly claims: TokenClaims,
    private readonly accessTokens: AccessTokens,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs all steps of a sign-in.
   *
   * @param refusal error code if the account was changed meanwhile.
   * @throws AppError `refusal`, `account_inactive`, and the errors of the proof and the second factor.
   */
  async complete(prove: Proof, refusal: ErrorCode = 'invalid_credentials'): Promise<TokenSet> {
    return (await this.run(this.steps, new SignIn(prove, refusal))).tokens;
  }

  /**
   * Runs the steps before the session, for a code that is exchanged later. The exchange runs all steps again.
   *
   * @param binding target of the sign-in, for a required second factor.
   * @throws AppError `account_inactive`, and the errors of the proof and the second factor.
   */
  async allow(prove: Proof, binding?: SignInBinding): Promise<ProvenAccount> {
    return (await this.run(this.gate, new SignIn(prove, 'invalid_credentials', binding))).account;
  }

  /**
   * Issues a token set of an existing session, for an app that signs in with it. Revoking the session also revokes the tokens of the app
   * (ADR 0048).
   *
   * @throws AppError `code_invalid` if the session has ended, or its account was changed meanwhile.
   */
  async join({ userId, credentialsVersion }: ProvenAccount, sessionId: string): Promise<TokenSet> {
    const refreshToken = this.config.auth.refreshTokenEnabled ? this.refreshTokens.first() : null;
    const now = this.clock.now();
    const session = [sessionId, userId, credentialsVersion, now, this.sessions.expiryFrom(now)];
    const token = [newId(), refreshToken?.tokenHash ?? null, refreshToken?.expiresAt ?? null];
    const [row] = await JOIN(this.dataSource, [...session, ...token]);
    if (row === undefined) throw new AppError('code_invalid');
    return this.tokenSet(userId, sessionId, refreshToken);
  }

  /**
   * Issues a new token set for a refresh token. The statement that uses the token also checks that the session exists and its account is
   * active.
   *
   * @throws AppError `refresh_token_invalid`, `refresh_token_expired`, `refresh_token_reused`.
   */
  async refresh(token: string, bearer?: RefreshBearer): Promise<TokenSet> {
    const { userId, sessionId, refreshToken } = await this.refreshTokens.rotate(token, bearer);
    return this.tokenSet(userId, sessionId, refreshToken);
  }

  private async run(steps: readonly SignInStep[], signIn: SignIn): Promise<SignIn> {
    try {
      for (const step of steps) await step.run(signIn);
      return signIn;
    } catch (error) {
      await this.noteRefusal(signIn, error);
      throw error;
    }
  }

  /** Records a refusal, except by a rate limit, because a flood of requests would fill the log. */
  private async noteRefusal({ account }: Partial<SignIn>, error: unknown): Promise<void> {
    const attempt = account ?? (error instanceof ProofRefused ? error.attempt : null);
    if (attempt === null || !(error instanceof AppError) || error.status === 429 || error.status >= 500) return;
    await this.audit.write(this.dataSource.manager, refusedSignIn(attempt, error.code, this.clock.now()));
  }

  private async proveAccount(signIn: SignIn): Promise<void> {
    signIn.account = await signIn.prove();
  }

  private async assertSecondFactor(signIn: SignIn): Promise<void> {
    const due = await this.secondFactor.due(signIn.account, signIn.binding);
    if (due instanceof AppError) throw due;
    if (due !== null) signIn.account = due;
  }

  /**
   * Starts a session in one statement. If the application has hooks for it, a transaction is used, in which a hook may reject the sign-in.
   */
  private async startSession(signIn: SignIn): Promise<void> {
    if (!this.lifecycle.hasHooks('beforeLogin', 'loggedIn'))
      return this.start(signIn, (parameters) => (this.audit.isOn ? START_AUDITED : START)(this.dataSource, parameters));
    const { userId, provider: method, client } = signIn.account;
    const text = this.audit.isOn ? AUDITED_TEXT : START_TEXT;
    await this.dataSource.transaction(async (manager) => {
      // Without this lock, two concurrent sign-ins whose hooks change the account would deadlock.
      await lockAccount(manager, userId);
      await this.lifecycle.runHooks('beforeLogin', manager, userId, { method, client });
      await this.start(signIn, (parameters) => manager.query<StartedSession[]>(text, [...parameters]));
      await this.lifecycle.runHooks('loggedIn', manager, userId, { method, client, sessionId: signIn.sessionId });
    });
  }

  /** The statement checks the results of the previous steps again. */
  private async start(
    signIn: SignIn,
    query: (parameters: readonly unknown[]) => Promise<readonly StartedSession[]>,
  ): Promise<void> {
    const { userId, provider, client, credentialsVersion } = signIn.account;
    const refreshToken = this.config.auth.refreshTokenEnabled ? this.refreshTokens.first() : null;
    const now = this.clock.now();
    const sessionId = newId();
    const session = [sessionId, userId, provider, client.device, client.address, now];
    const lifetime = [this.sessions.expiryFrom(now), credentialsVersion];
    const token = [newId(), refreshToken?.tokenHash ?? null, refreshToken?.expiresAt ?? null];
    const event = this.audit.isOn ? auditValues(sessionStarted(signIn.account, sessionId, now)) : [];
    const amr = amrOf(signIn.account);
    const [row] = await query([...session, ...lifetime, ...token, amr, levelOf(amr), ...event]);
    if (row === undefined) throw await this.refusalOf(signIn);
    signIn.sessionId = row.id;
    signIn.refreshToken = refreshToken;
  }

  /** The account may have got a second factor since it was read. Otherwise it was changed or deleted. */
  private async refusalOf({ account, binding, refusal }: SignIn): Promise<AppError> {
    const due = await this.secondFactor.due({ ...account, secondFactor: true }, binding);
    return due instanceof AppError ? due : new AppError(refusal);
  }

  private async issueTokens(signIn: SignIn): Promise<void> {
    const { account, sessionId, refreshToken } = signIn;
    const { userId } = account;
    try {
      signIn.tokens = await this.tokenSet(userId, sessionId, refreshToken);
    } catch (error) {
      // No client has received a token of this session.
      await this.sessions.endNow({ userId, id: sessionId, reason: 'revoked' });
      throw error;
    }
  }

  /** The access token is a JWT with the header and the claims of RFC 9068. */
  private async tokenSet(
    userId: string,
    sessionId: string,
    refreshToken: IssuedRefreshToken | null,
  ): Promise<TokenSet> {
    const { auth } = this.config;
    const own = await this.claims.of({ userId, sessionId });
    const issuedAt = Math.floor(this.clock.nowMs() / 1_000);
    const exp = issuedAt + auth.accessTokenLifetimeSeconds;
    const claims = { ...own, sub: userId, sid: sessionId, iat: issuedAt, exp, jti: newId() };
    const token = await this.accessTokens.sign(claims);
    const set = { token, expires: new Date(exp * 1_000).toISOString() };
    if (refreshToken === null) return set;
    return { ...set, refresh_token: refreshToken.token, refresh_token_expires: refreshToken.expiresAt.toISOString() };
  }
}

function sessionStarted({ userId, provider, client }: ProvenAccount, sessionId: string, at: Date): AuditEvent {
  const [actor, resource] = [accountActor(userId), `session:${sessionId}`];
  return { action: 'session.begin', actor, resource, origin: client, changes: factsOf({ provider }), at };
}

/** The actor is a guest, because the account is not proven. The account is the resource. */
function refusedSignIn({ userId, provider, client: origin }: FailedProof, outcome: string, at: Date): AuditEvent {
  const resource = userId === null ? 'user' : `user:${userId}`;
  return { action: 'session.begin', actor: 'guest', resource, outcome, origin, changes: factsOf({ provider }), at };
}

function startStep(first: number): string {
  let parameterNumber = first;
  return auditStep([], { from: 'session', parameter: (_value, sqlType) => `$${parameterNumber++}::${sqlType}` });
}

function assertActive({ account }: SignIn): void {
  if (!account.activated) throw new AppError('account_inactive');
}
