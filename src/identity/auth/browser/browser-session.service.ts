import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { type CookieScope, cookieScope } from '../../../platform/http/http.public.js';
import { type BrowserContext, type ClientContext, originOf } from '../access/client-context.js';
import { isSameSiteRequest } from '../access/cross-site.js';
import { SessionService } from '../sessions/session.service.js';
import type { ProvenAccount } from '../sign-in/sign-in-method.port.js';
import { SignInService, type TokenSet } from '../sign-in/sign-in.service.js';
import type { AccessTokenClaims } from '../tokens/access-token.format.js';
import { AccessTokens } from '../tokens/access-tokens.service.js';
import { RefreshTokenService, type TokenSession } from '../tokens/refresh-token.service.js';

/** Access token of a session in cookies. */
export class BrowserToken {
  @ApiProperty({ description: 'Access token (JWT). Keep it in memory only.' })
  readonly token: string;
  @ApiProperty({ format: 'date-time' }) readonly expires: string;
}

/** The pages of Lintel send this header to request a session in cookies. */
export const SESSION_HEADER = 'Lintel-Session';

type SessionProof = Omit<ProvenAccount, 'client'>;

const PROVE = `SELECT u.id AS "userId", s.provider, u.activated, u.credentials_version AS "credentialsVersion",
  u.second_factor AS "secondFactor", s.amr
  FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND s.expires_at > $2`;

export interface BrowserProof {
  readonly account: ProvenAccount;
  readonly sessionId: string;
}

/** Name of the cookie with the access token. */
const TOKEN = 'token';
/** @internal */
const MAX_LENGTH = 4_096;

/**
 * Sessions in cookies: a reload, another tab and a typed address stay signed in (ADR 0033). A cookie contains the refresh token, or the
 * access token if refresh tokens are disabled. Scripts cannot read it, and pages of other sites do not send it with a POST (RFC 6265bis
 * §4.1.2).
 *
 * Over https the names are bound to this host, so that no sibling host can plant one. The name of the access token cookie is fixed, so
 * another cookie that is bound to the host identifies the session of this server.
 */
@Injectable()
export class BrowserSessions {
  private readonly scope: CookieScope;
  private readonly refreshName: string;
  private readonly sessionName: string;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly signIns: SignInService,
    private readonly refreshTokens: RefreshTokenService,
    private readonly sessions: SessionService,
    private readonly tokens: AccessTokens,
    private readonly clock: Clock,
    private readonly dataSource: DataSource,
  ) {
    this.scope = cookieScope(config);
    this.refreshName = this.scope.nameOf('refresh_token');
    this.sessionName = this.scope.nameOf('session');
  }

  /** @throws AppError `cross_site_request` unless a page of Lintel sent it, `validation_failed` for another value of the header. */
  isRequested(request: FastifyRequest): boolean {
    const value = request.headers[SESSION_HEADER.toLowerCase()];
    if (value === undefined) return false;
    if (value !== 'cookie') {
      throw AppError.validation([{ field: SESSION_HEADER, code: 'value_invalid', message: 'must be cookie' }]);
    }
    this.assertOwnPage(request);
    return true;
  }

  /** Stores a new session in the browser, and revokes its previous session, unless it is the same one. */
  async store(browser: BrowserContext, set: TokenSet): Promise<BrowserToken> {
    const before = await this.find(browser.request);
    const sessionId = (await this.tokens.verify(set.token))?.sid;
    // An app that signed in by the session of this browser has tokens of the same session.
    if (before !== null && before.id !== sessionId)
      await this.sessions.endNow({ ...before, reason: 'replaced', origin: originOf(browser.request) });
    return this.respond(browser, set);
  }

  /** Rotates the refresh token, or returns the access token. @throws AppError `token_missing` if the browser has none. */
  async resume(browser: BrowserContext): Promise<BrowserToken> {
    this.assertOwnPage(browser.request);
    const { refreshToken, accessToken } = this.read(browser.request);
    if (!this.config.auth.refreshTokenEnabled) return this.resumeByAccessToken(browser, accessToken);
    if (refreshToken === null) throw new AppError('token_missing');
    return this.respond(browser, await this.signIns.refresh(refreshToken, { overtakesItself: true }));
  }

  /** For a user who signs in to an app from a page of Lintel. Revokes the previous session. Returns the id of the new one. */
  async start(browser: BrowserContext, account: ProvenAccount): Promise<string | undefined> {
    if (!isSameSiteRequest(browser.request, this.config.appUrl)) return undefined;
    const set = await this.signIns.complete(() => account);
    await this.store(browser, set);
    return (await this.tokens.verify(set.token))?.sid;
  }

  /** Rotates no token and sets no cookie. @throws AppError `cross_site_request`; `token_missing` if the browser has no active session. */
  async prove(request: FastifyRequest, client: ClientContext): Promise<BrowserProof> {
    this.assertOwnPage(request);
    const { refreshToken, accessToken } = this.read(request);
    const id = this.config.auth.refreshTokenEnabled
      ? refreshToken && (await this.usableSession(refreshToken))
      : this.idIfUsable(await this.claimsOf(request, accessToken));
    const [found] = id ? await this.dataSource.query<SessionProof[]>(PROVE, [id, this.clock.now()]) : [];
    if (!id || found === undefined) throw new AppError('token_missing');
    return { account: { ...found, client }, sessionId: id };
  }

  async end({ request, reply }: BrowserContext): Promise<void> {
    const found = await this.find(request);
    if (found !== null) await this.sessions.endNow({ ...found, reason: 'logout', origin: originOf(request) });
    this.clear(request, reply, [this.refreshName, TOKEN, this.sessionName]);
  }

  private async usableSession(refreshToken: string): Promise<string | null> {
    const session = await this.refreshTokens.findSession(refreshToken);
    return session?.isUsable === true ? session.id : null;
  }

  private idIfUsable(claims: AccessTokenClaims | null): string | null {
    return claims !== null && claims.exp * 1_000 > this.clock.nowMs() ? claims.sid : null;
  }

  /** Returns null for a session that another host created. */
  private async claimsOf(request: FastifyRequest, token: string | null): Promise<AccessTokenClaims | null> {
    const claims = token === null ? null : await this.tokens.verify(token);
    return claims !== null && this.isSetByThisServer(request, claims.sid) ? claims : null;
  }

  /** Deletes the cookies of an invalid token, because every request with them would fail. */
  private async resumeByAccessToken({ request, reply }: BrowserContext, token: string | null): Promise<BrowserToken> {
    const claims = await this.claimsOf(request, token);
    if (token === null || claims === null) throw new AppError('token_missing');
    try {
      await this.tokens.principalOf(claims);
    } catch (error) {
      this.clear(request, reply, [this.refreshName, TOKEN, this.sessionName]);
      throw error;
    }
    return { token, expires: new Date(claims.exp * 1_000).toISOString() };
  }

  /** Reads both kinds of cookies, because the setting for refresh tokens may have changed since they were set. */
  private async find(request: FastifyRequest): Promise<Pick<TokenSession, 'userId' | 'id'> | null> {
    const { refreshToken, accessToken } = this.read(request);
    if (refreshToken !== null) return this.refreshTokens.findSession(refreshToken);
    const claims = await this.claimsOf(request, accessToken);
    return claims && { userId: claims.sub, id: claims.sid };
  }

  private async respond({ request, reply }: BrowserContext, set: TokenSet): Promise<BrowserToken> {
    const { token, expires, refresh_token: refreshToken = null, refresh_token_expires: refreshExpires } = set;
    const claims = await this.tokens.verify(token);
    if (claims === null) throw new Error('A newly issued access token is not valid.');
    const until = Date.parse(refreshExpires ?? expires);
    const lifetimeSeconds = Math.max(0, Math.floor((until - this.clock.nowMs()) / 1_000));
    if (refreshToken !== null) {
      this.clear(request, reply, [TOKEN, this.sessionName]);
      this.set(reply, this.refreshName, refreshToken, lifetimeSeconds);
    } else {
      this.clear(request, reply, [this.refreshName]);
      this.set(reply, TOKEN, token, lifetimeSeconds);
      if (this.scope.secure) this.set(reply, this.sessionName, claims.sid, lifetimeSeconds);
    }
    return { token, expires };
  }

  private read(request: FastifyRequest) {
    return { refreshToken: only(request, this.refreshName), accessToken: only(request, TOKEN) };
  }

  /** Returns whether this server set the access token of this session, and not a sibling host. */
  private isSetByThisServer(request: FastifyRequest, sessionId: string): boolean {
    return !this.scope.secure || only(request, this.sessionName) === sessionId;
  }

  private clear(request: FastifyRequest, reply: FastifyReply, names: readonly string[]): void {
    for (const name of names) if (request.cookies[name] !== undefined) this.set(reply, name, '', 0);
  }

  private set(reply: FastifyReply, name: string, value: string, maxAge: number): void {
    this.scope.set(reply, name, value, maxAge);
  }

  private assertOwnPage(request: FastifyRequest): void {
    if (!isSameSiteRequest(request, this.config.appUrl)) throw new AppError('cross_site_request');
  }
}

/** Returns the value of a cookie that was sent once. If two cookies have one name, another host has set one of them. */
function only(request: FastifyRequest, name: string): string | null {
  const sent = (request.headers.cookie ?? '').split(';').filter((pair) => pair.split('=', 1)[0]?.trim() === name);
  const value = request.cookies[name];
  return sent.length === 1 && value !== undefined && value !== '' && value.length <= MAX_LENGTH ? value : null;
}
