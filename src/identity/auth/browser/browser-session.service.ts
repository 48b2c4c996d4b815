import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { cookieScope } from '../../../platform/http/http.public.js';
import { type ClientContext, originOf } from '../access/client-context.js';
import { isSameSiteRequest } from '../access/cross-site.js';
import { SessionService } from '../sessions/session.service.js';
import type { ProvenAccount } from '../sign-in/sign-in-method.port.js';
import { SignInService, type TokenSet } from '../sign-in/sign-in.service.js';
import { AccountPrincipals } from '../tokens/account-principals.service.js';
import { AccessTokens } from '../tokens/access-tokens.service.js';
import { RefreshTokenService } from '../tokens/refresh-token.service.js';
import { BrowserCookies } from './browser-cookies.js';

/** Access token of a session in cookies. */
export class BrowserToken {
  @ApiProperty({ description: 'Access token, a JWT. It is meant for the memory of the page alone.' })
  readonly token: string;
  @ApiProperty({ format: 'date-time' }) readonly expires: string;
}

/** One of our pages sends this header to request a session in cookies. */
export const SESSION_HEADER = 'Lintel-Session';

type SessionProof = Omit<ProvenAccount, 'client'>;

const PROVE = `SELECT u.id AS "userId", s.provider, u.activated, u.credentials_version AS "credentialsVersion",
  u.second_factor AS "secondFactor", s.amr
  FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND s.expires_at > $2`;

export interface BrowserProof {
  readonly account: ProvenAccount;
  readonly sessionId: string;
}

interface FoundSession {
  readonly userId: string;
  readonly id: string;
}

/** Sessions in cookies: a reload, another tab and a typed address stay signed in (ADR 0033). */
@Injectable()
export class BrowserSessions {
  private readonly appOrigin: string;
  private readonly cookies: BrowserCookies;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly signIns: SignInService,
    private readonly refreshTokens: RefreshTokenService,
    private readonly sessions: SessionService,
    private readonly principals: AccountPrincipals,
    private readonly tokens: AccessTokens,
    private readonly clock: Clock,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {
    this.appOrigin = new URL(config.appUrl).origin;
    this.cookies = new BrowserCookies(cookieScope(config));
  }

  /** @throws AppError `cross_site_request` unless one of our own pages sent it, `validation_failed` for another value of the header. */
  isAskedFor(request: FastifyRequest): boolean {
    const value = request.headers[SESSION_HEADER.toLowerCase()];
    if (value === undefined) return false;
    if (value !== 'cookie') {
      throw AppError.validation([{ field: SESSION_HEADER, code: 'value_invalid', message: 'must be cookie' }]);
    }
    this.assertOwnPage(request);
    return true;
  }

  /** Stores a new session in the browser, and revokes its previous session, unless it is the same one. */
  async keep(request: FastifyRequest, reply: FastifyReply, set: TokenSet): Promise<BrowserToken> {
    const before = await this.find(request);
    const sessionId = (await this.tokens.verify(set.token))?.sid;
    // An app that signed in by the session of this browser has tokens of the same session.
    if (before !== null && before.id !== sessionId)
      await this.sessions.endNow({ ...before, reason: 'replaced', origin: originOf(request) });
    return this.give(request, reply, set);
  }

  /**
   * Resumes the session of the browser: rotates its refresh token, or returns its access token if refresh tokens are disabled.
   *
   * @throws AppError `cross_site_request`; `token_missing` if the browser has no token; the error of an invalid token.
   */
  async resume(request: FastifyRequest, reply: FastifyReply): Promise<BrowserToken> {
    this.assertOwnPage(request);
    const { refreshToken, accessToken } = this.cookies.read(request);
    if (!this.config.auth.refreshTokenEnabled) return this.resumeByAccessToken(request, reply, accessToken);
    if (refreshToken === null) throw new AppError('token_missing');
    return this.give(request, reply, await this.signIns.refresh(refreshToken, { overtakesItself: true }));
  }

  /**
   * Starts a session in cookies for a user who signs in to an app, if the request is from one of our own pages. Revokes the browser's
   * previous session. Returns the id of the new one.
   */
  async begin(request: FastifyRequest, reply: FastifyReply, account: ProvenAccount): Promise<string | undefined> {
    if (!isSameSiteRequest(request, this.appOrigin)) return undefined;
    const set = await this.signIns.complete(() => account);
    await this.keep(request, reply, set);
    return (await this.tokens.verify(set.token))?.sid;
  }

  /** Rotates no token and sets no cookie. @throws AppError `cross_site_request`; `token_missing` if the browser has no active session. */
  async prove(request: FastifyRequest, client: ClientContext): Promise<BrowserProof> {
    this.assertOwnPage(request);
    const { refreshToken, accessToken } = this.cookies.read(request);
    const id = this.config.auth.refreshTokenEnabled
      ? refreshToken && (await this.refreshTokens.findUsable(refreshToken))?.id
      : accessToken && (await this.usableSession(request, accessToken));
    const [found] = id ? await this.dataSource.query<SessionProof[]>(PROVE, [id, this.clock.now()]) : [];
    if (!id || found === undefined) throw new AppError('token_missing');
    return { account: { ...found, client }, sessionId: id };
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const found = await this.find(request);
    if (found !== null) await this.sessions.endNow({ ...found, reason: 'logout', origin: originOf(request) });
    this.cookies.take(request, reply);
  }

  private async usableSession(request: FastifyRequest, token: string): Promise<string | null> {
    const claims = await this.tokens.verify(token);
    const isUsable = claims !== null && claims.exp * 1_000 > this.clock.nowMs();
    return isUsable && this.cookies.isOurs(request, claims.sid) ? claims.sid : null;
  }

  /** Rejects a session that another host created. Deletes the cookies of an invalid token, because every request with them would fail. */
  private async resumeByAccessToken(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string | null,
  ): Promise<BrowserToken> {
    const claims = token === null ? null : await this.tokens.verify(token);
    if (token === null || claims === null || !this.cookies.isOurs(request, claims.sid)) {
      throw new AppError('token_missing');
    }
    try {
      await this.principals.of(claims);
    } catch (error) {
      this.cookies.take(request, reply);
      throw error;
    }
    return { token, expires: new Date(claims.exp * 1_000).toISOString() };
  }

  /** Reads both kinds of cookies, because the setting for refresh tokens may have changed since they were set. */
  private async find(request: FastifyRequest): Promise<FoundSession | null> {
    const { refreshToken, accessToken } = this.cookies.read(request);
    if (refreshToken !== null) return this.refreshTokens.findSession(refreshToken);
    const claims = accessToken === null ? null : await this.tokens.verify(accessToken);
    return claims === null || !this.cookies.isOurs(request, claims.sid) ? null : { userId: claims.sub, id: claims.sid };
  }

  private async give(request: FastifyRequest, reply: FastifyReply, set: TokenSet): Promise<BrowserToken> {
    const { token, expires, refresh_token: refreshToken = null, refresh_token_expires: refreshExpires } = set;
    const claims = await this.tokens.verify(token);
    if (claims === null) throw new Error('An access token of our own is not valid.');
    const until = Date.parse(refreshExpires ?? expires);
    const lifetimeSeconds = Math.max(0, Math.floor((until - this.clock.nowMs()) / 1_000));
    this.cookies.give(request, reply, { refreshToken, accessToken: token, sessionId: claims.sid, lifetimeSeconds });
    return { token, expires };
  }

  private assertOwnPage(request: FastifyRequest): void {
    if (!isSameSiteRequest(request, this.appOrigin)) throw new AppError('cross_site_request');
  }
}
