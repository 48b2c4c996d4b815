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

/** The access token of a browser's session. What keeps the session going stands in a cookie. */
export class BrowserToken {
  @ApiProperty({ description: 'Access token, a JWT. It is meant for the memory of the page alone.' })
  readonly token: string;
  @ApiProperty({ format: 'date-time' }) readonly expires: string;
}

/** The header by which a page of ours asks for a session that stays in its browser. */
export const SESSION_HEADER = 'Lintel-Session';

type SessionProof = Omit<ProvenAccount, 'client'>;

const PROVE = `SELECT u.id AS "userId", s.provider, u.activated, u.credentials_version AS "credentialsVersion",
  u.second_factor AS "secondFactor", s.amr
  FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND s.expires_at > $2`;

/** An account that is signed in at a browser, and the session by which it is. */
export interface BrowserProof {
  readonly account: ProvenAccount;
  readonly sessionId: string;
}

interface FoundSession {
  readonly userId: string;
  readonly id: string;
}

/** Sessions that stay in a browser: a reload, another tab and a typed address are signed in (ADR 0033). */
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

  /**
   * Returns whether the request asks for a session that stays in its browser.
   *
   * @throws AppError `cross_site_request` if it does not say that it comes from a page of ours, `validation_failed` for
   *   another value of the header.
   */
  isAskedFor(request: FastifyRequest): boolean {
    const asked = request.headers[SESSION_HEADER.toLowerCase()];
    if (asked === undefined) return false;
    if (asked !== 'cookie') {
      throw AppError.validation([{ field: SESSION_HEADER, code: 'value_invalid', message: 'must be cookie' }]);
    }
    this.assertOwnPage(request);
    return true;
  }

  /** Leaves a session that has just begun in its browser, and ends the one that the browser had, unless it is the same one. */
  async keep(request: FastifyRequest, reply: FastifyReply, set: TokenSet): Promise<BrowserToken> {
    const before = await this.find(request);
    const sessionId = (await this.tokens.verify(set.token))?.sid;
    // An app that signed in by the session of this browser has tokens of the same session.
    if (before !== null && before.id !== sessionId)
      await this.sessions.endNow({ ...before, reason: 'replaced', origin: originOf(request) });
    return this.give(request, reply, set);
  }

  /**
   * Goes on with the session of the browser: rotates its refresh token, or answers its access token where those are off.
   *
   * @throws AppError `cross_site_request`, `token_missing` if the browser has none, and what its token is refused with.
   */
  async resume(request: FastifyRequest, reply: FastifyReply): Promise<BrowserToken> {
    this.assertOwnPage(request);
    const { refreshToken, accessToken } = this.cookies.read(request);
    if (!this.config.auth.refreshTokenEnabled) return this.resumeByAccessToken(request, reply, accessToken);
    if (refreshToken === null) throw new AppError('token_missing');
    return this.give(request, reply, await this.signIns.refresh(refreshToken, { overtakesItself: true }));
  }

  /**
   * Begins a session that stays in the browser for somebody who signs in to an app, where the request says that it comes from
   * a page of ours, and returns its id. The browser's former session ends.
   */
  async begin(request: FastifyRequest, reply: FastifyReply, account: ProvenAccount): Promise<string | undefined> {
    if (!isSameSiteRequest(request, this.appOrigin)) return undefined;
    const set = await this.signIns.complete(() => account);
    await this.keep(request, reply, set);
    return (await this.tokens.verify(set.token))?.sid;
  }

  /**
   * Returns the account of the browser's session, and the session. It goes on as it is: nothing is rotated and no cookie given.
   *
   * @throws AppError `cross_site_request`, `token_missing` if the browser has no session, or has one that is over.
   */
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

  /** Ends the session of the browser, and takes its cookies. */
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

  /**
   * Resumes a session by its access token. A session of another host's making is not ours to go on with; what is refused would be
   * refused at every request.
   */
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

  /** Returns the session that the browser's cookies are of, whatever refresh tokens were set to when they were given. */
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
