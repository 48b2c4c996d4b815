import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { ErrorCode } from '../../../kernel/errors/error-catalogue.js';
import { newId } from '../../../kernel/keys/random.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { prepared } from '../../../platform/database/database.public.js';
import { accountActor, auditStep, auditValues, factsOf } from '../../../platform/audit/audit.public.js';
import type { AuditEvent } from '../../../platform/audit/audit.types.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { SignInLife } from '../../life/sign-in-life.service.js';
import { SERVICE_ACCOUNT } from '../../users/user.entity.js';
import { REMEMBERED, RememberedDevices } from '../devices/remembered-devices.service.js';
import { SessionService } from '../sessions/session.service.js';
import { AccessTokens } from '../tokens/access-tokens.service.js';
import { TokenClaims } from '../tokens/token-claims.service.js';
import { type IssuedRefreshToken, type RefreshBearer, RefreshTokenService } from '../tokens/refresh-token.service.js';
import { amrOf, levelOf, SECOND_LEVEL } from '../sessions/factor-classes.public.js';
import { SecondFactor, type SignInBinding } from './second-factor.port.js';
import { type FailedProof, ProofRefused, type ProvenAccount } from './sign-in-method.port.js';

/** The body of every successful sign-in (specification, "Token set"). */
export class TokenSet {
  @ApiProperty({ description: 'Access token, a JWT.' }) readonly token: string;
  @ApiProperty({ format: 'date-time' }) readonly expires: string;
  @ApiPropertyOptional({ description: 'Where refresh tokens are switched on.' }) readonly refresh_token?: string;
  @ApiPropertyOptional({ format: 'date-time' }) readonly refresh_token_expires?: string;
}

/** Proves an account, by one of the sign-in methods; refuses by an AppError. */
export type Proof = () => ProvenAccount | Promise<ProvenAccount>;

/** A step of every sign-in: lets it pass, or ends it with an AppError. */
export interface SignInStep {
  readonly name: string;
  readonly run: (signIn: SignIn) => void | Promise<void>;
}

/** A sign-in on its way. What a step finds stands here for the steps that follow. */
class SignIn {
  account: ProvenAccount;
  sessionId: string;
  refreshToken: IssuedRefreshToken | null;
  tokens: TokenSet;

  /** @param refusal what a person is told whose account was changed meanwhile. */
  constructor(
    readonly prove: Proof,
    readonly refusal: ErrorCode,
    readonly binding: SignInBinding = {},
  ) {}
}

/**
 * Begins a session, with its first refresh token if it has one, only while the account is active and what opened it when
 * the sign-in was proven opens it still, and its second factor was proven if it has one; never for a service account. The row lock
 * makes a reset, a deactivation, a new factor or any other end of credentials that runs at the same time either come first, and
 * refuse this, or come after, and end it.
 */
const BEGIN = `WITH account AS (
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
const START_TEXT = `${BEGIN} SELECT id FROM session`;
const START = prepared<StartedSession>('start-session', START_TEXT);
/** The same, and writes it down by the same statement. */
const AUDITED_TEXT = `${BEGIN}, event AS (${beginStep(14)}) SELECT id FROM session`;
const START_AUDITED = prepared<StartedSession>('start-audited-session', AUDITED_TEXT);
const LOCK_ACCOUNT = 'SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE';

/** Statement that adds a branch of tokens to a living session, under the same conditions; the session is locked after its account. */
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

/** The one place where a sign-in becomes a session, whichever method it came by (ADR 0025). */
@Injectable()
export class SignInService {
  /** Steps that must succeed before anything is given out, be it a session or a code for one. */
  readonly gate: readonly SignInStep[] = [
    { name: 'account', run: (signIn) => this.proveAccount(signIn) },
    { name: 'active', run: assertActive },
    { name: 'second factor', run: (signIn) => this.assertSecondFactor(signIn) },
  ];

  /** Every sign-in takes these steps, in this order. */
  readonly steps: readonly SignInStep[] = [
    ...this.gate,
    { name: 'session', run: (signIn) => this.beginSession(signIn) },
    { name: 'tokens', run: (signIn) => this.issueTokens(signIn) },
  ];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secondFactor: SecondFactor,
    private readonly sessions: SessionService,
    private readonly refreshTokens: RefreshTokenService,
    private readonly devices: RememberedDevices,
    private readonly life: SignInLife,
    private readonly audit: AuditTrail,
    private readonly claims: TokenClaims,
    private readonly accessTokens: AccessTokens,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes a sign-in through all steps.
   *
   * @param refusal what a person is told whose account was changed meanwhile.
   * @throws AppError `refusal`, `account_inactive`, and what the proof and the second factor refuse with.
   */
  async complete(prove: Proof, refusal: ErrorCode = 'invalid_credentials'): Promise<TokenSet> {
    return (await this.run(this.steps, new SignIn(prove, refusal))).tokens;
  }

  /**
   * Takes a sign-in through the steps before the session, for a code that is exchanged for one later. The exchange takes
   * all steps again.
   *
   * @param binding what the sign-in is to end in, for the factor that is due.
   * @throws AppError `account_inactive`, and what the proof and the second factor refuse with.
   */
  async allow(prove: Proof, binding?: SignInBinding): Promise<ProvenAccount> {
    return (await this.run(this.gate, new SignIn(prove, 'invalid_credentials', binding))).account;
  }

  /**
   * Returns a token set of a session that there is, for an app that signs in by it; whatever ends the session ends the app's
   * tokens (ADR 0048).
   *
   * @throws AppError `code_invalid` if the session is over, or its account was changed meanwhile.
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
   * Returns a new token set for a refresh token. The session goes on: the statement that takes the token asks whether it is
   * there still and its account active.
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

  /** Notes a refusal, except one for its number: whoever floods us would fill the log. */
  private async noteRefusal({ account }: Partial<SignIn>, error: unknown): Promise<void> {
    const attempt = account ?? (error instanceof ProofRefused ? error.attempt : null);
    if (attempt === null || !(error instanceof AppError) || error.status === 429 || error.status >= 500) return;
    await this.audit.write(this.dataSource.manager, refusedSignIn(attempt, error.code, this.clock.now()));
  }

  private async proveAccount(signIn: SignIn): Promise<void> {
    signIn.account = await signIn.prove();
  }

  /** Throws unless the second factor is proven. A remembered browser stands for it, but opens nothing that asks for a fresh proof. */
  private async assertSecondFactor(signIn: SignIn): Promise<void> {
    const { userId, secondFactor, client } = signIn.account;
    const amr = amrOf(signIn.account);
    if (secondFactor !== false && levelOf(amr) < SECOND_LEVEL && (await this.devices.recognize(userId, client)))
      signIn.account = { ...signIn.account, amr: [...amr, REMEMBERED] };
    const due = await this.secondFactor.due(signIn.account, signIn.binding);
    if (due !== null) throw due;
  }

  /** Begins a session: in one statement unless somebody hears of it; then in one transaction, in which a hook may refuse. */
  private async beginSession(signIn: SignIn): Promise<void> {
    if (!this.life.hears('beforeLogin', 'loggedIn'))
      return this.start(signIn, (parameters) => (this.audit.isOn ? START_AUDITED : START)(this.dataSource, parameters));
    const { userId, provider: method, client } = signIn.account;
    const text = this.audit.isOn ? AUDITED_TEXT : START_TEXT;
    await this.dataSource.transaction(async (manager) => {
      // Two sign-ins at once whose hooks change the account would wait for each other.
      await manager.query(LOCK_ACCOUNT, [userId]);
      await this.life.tell('beforeLogin', manager, userId, { method, client });
      await this.start(signIn, (parameters) => manager.query<StartedSession[]>(text, [...parameters]));
      await this.life.tell('loggedIn', manager, userId, { method, client, sessionId: signIn.sessionId });
    });
  }

  /** Begins the session by a statement that asks once more for all that the steps before it found. */
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
    const event = this.audit.isOn ? auditValues(begunSession(signIn.account, sessionId, now)) : [];
    const amr = amrOf(signIn.account);
    const [row] = await query([...session, ...lifetime, ...token, amr, levelOf(amr), ...event]);
    if (row === undefined) throw await this.refusalOf(signIn);
    signIn.sessionId = row.id;
    signIn.refreshToken = refreshToken;
  }

  /** Returns the refusal of a sign-in. The account may have got a factor since it was read; else it was changed, or is gone. */
  private async refusalOf({ account, binding, refusal }: SignIn): Promise<AppError> {
    return (await this.secondFactor.due({ ...account, secondFactor: true }, binding)) ?? new AppError(refusal);
  }

  private async issueTokens(signIn: SignIn): Promise<void> {
    const { account, sessionId, refreshToken } = signIn;
    const { userId } = account;
    try {
      signIn.tokens = await this.tokenSet(userId, sessionId, refreshToken);
    } catch (error) {
      // Nobody got a token of it.
      await this.sessions.endNow({ userId, id: sessionId, reason: 'revoked' });
      throw error;
    }
  }

  /** Issues a token set. The access token is a JWT with the header and the claims of CONTRACT §4 (RFC 9068). */
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

function begunSession({ userId, provider, client }: ProvenAccount, sessionId: string, at: Date): AuditEvent {
  const [actor, resource] = [accountActor(userId), `session:${sessionId}`];
  return { action: 'session.begin', actor, resource, origin: client, changes: factsOf({ provider }), at };
}

/** Returns the event of a refused sign-in. Nobody has proven to be the account: it is the one that something was done to, or was to be. */
function refusedSignIn({ userId, provider, client: origin }: FailedProof, outcome: string, at: Date): AuditEvent {
  const resource = userId === null ? 'user' : `user:${userId}`;
  return { action: 'session.begin', actor: 'guest', resource, outcome, origin, changes: factsOf({ provider }), at };
}

/** Returns the step of a statement that writes its session down. */
function beginStep(first: number): string {
  let place = first;
  return auditStep([], { from: 'session', parameter: (_value, sqlType) => `$${place++}::${sqlType}` });
}

function assertActive({ account }: SignIn): void {
  if (!account.activated) throw new AppError('account_inactive');
}
