import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { errors, jwtVerify, SignJWT } from 'jose';
import { boundedCache } from '../../../kernel/bounded-cache.js';
import { Clock } from '../../../kernel/clock.port.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { SessionDirectory } from '../sessions/session-directory.js';
import {
  type AccessTokenClaims,
  type AccessTokenHeader,
  deriveTokenKeyPair,
  hasAccessTokenHeader,
  type PublicTokenKey,
  readClaims,
  type TokenKeyPair,
} from './access-token.format.js';

/** Earlier than every expiry. The expiry is checked separately with the application's clock, and has its own error. */
const BEFORE_EXPIRY = new Date(0);
/** @internal */
const MAX_TOKENS = 20_000;

/** Signs and verifies access tokens with the configured algorithm only. */
@Injectable()
export class AccessTokens {
  private readonly header: AccessTokenHeader;
  private readonly keyPair: TokenKeyPair | null;
  /** Claims of verified tokens, for the life of the process (ADR 0009). */
  private readonly verified = boundedCache<AccessTokenClaims>(MAX_TOKENS);
  private readonly extended = new WeakMap<AccessTokenClaims, { of: AccountPrincipal; principal: AccountPrincipal }>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly jwt: JwtService,
    private readonly sessions: SessionDirectory,
    private readonly clock: Clock,
  ) {
    const { tokenAlgorithm: alg } = config.auth;
    this.keyPair = alg === 'EdDSA' ? deriveTokenKeyPair(config.appKey) : null;
    const typ = 'at+jwt';
    this.header = this.keyPair === null ? { alg, typ } : { alg, typ, kid: this.keyPair.published.kid };
  }

  /** Keys by which other services verify tokens; none for HS256. */
  get publicKeys(): readonly PublicTokenKey[] {
    return this.keyPair === null ? [] : [this.keyPair.published];
  }

  /** Issuer and audience are this service. */
  async sign(claims: Readonly<Record<string, unknown>>): Promise<string> {
    const { appUrl } = this.config;
    const payload = { ...claims, iss: appUrl, aud: appUrl };
    if (this.keyPair === null) return this.jwt.sign(payload, { header: { ...this.header } });
    return new SignJWT(payload).setProtectedHeader({ ...this.header }).sign(this.keyPair.privateKey);
  }

  /**
   * Checks header, signature, issuer, audience and the types of the claims. These never change, so the result is cached. Ignores the
   * expiry. Returns null for a token that this server did not sign, and no promise in the usual case.
   */
  verify(token: string): AccessTokenClaims | null | Promise<AccessTokenClaims | null> {
    // Tokens themselves are not kept in memory.
    const digest = hash('sha256', token, 'base64');
    const cached = this.verified.get(digest);
    if (cached !== undefined) return cached;
    if (!hasAccessTokenHeader(token, this.header)) return null;
    if (this.keyPair === null) return this.cache(digest, this.openOwn(token));
    return this.openPublic(token, this.keyPair).then((payload) => this.cache(digest, payload));
  }

  /** Returns no promise in the usual case. @throws AppError `token_expired`; `token_invalid` for null, and if the session has ended. */
  principalOf(claims: AccessTokenClaims | null): AccountPrincipal | Promise<AccountPrincipal> {
    if (claims === null) throw new AppError('token_invalid');
    if (claims.exp * 1_000 <= this.clock.nowMs()) throw new AppError('token_expired');
    const found = this.sessions.find(claims.sid, claims.sub);
    if (found instanceof Promise) return found.then((principal) => this.activePrincipal(principal, claims));
    return this.activePrincipal(found, claims);
  }

  private cache(digest: string, payload: unknown): AccessTokenClaims | null {
    const claims = readClaims(payload);
    if (claims !== null) this.verified.set(digest, claims);
    return claims;
  }

  private openOwn(token: string): unknown {
    const { appUrl } = this.config;
    const checks = { algorithms: ['HS256' as const], issuer: appUrl, audience: appUrl, ignoreExpiration: true };
    try {
      return this.jwt.verify<object>(token, checks);
    } catch {
      return null;
    }
  }

  private async openPublic(token: string, { publicKey }: TokenKeyPair): Promise<unknown> {
    const { appUrl: issuer } = this.config;
    const checks = { algorithms: ['EdDSA'], typ: 'at+jwt', issuer, audience: issuer, currentDate: BEFORE_EXPIRY };
    try {
      return (await jwtVerify(token, publicKey, checks)).payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  private activePrincipal(principal: AccountPrincipal | null, claims: AccessTokenClaims): AccountPrincipal {
    if (principal === null) throw new AppError('token_invalid');
    this.sessions.noteUse(principal.sessionId);
    return claims.own === undefined ? principal : this.withOwnClaims(principal, claims);
  }

  /** Returns the same object for all requests with a token while nothing changes, because caches use it as their key. */
  private withOwnClaims(principal: AccountPrincipal, claims: AccessTokenClaims): AccountPrincipal {
    const cached = this.extended.get(claims);
    if (cached?.of === principal) return cached.principal;
    const extended = Object.freeze({ ...principal, claims: claims.own });
    this.extended.set(claims, { of: principal, principal: extended });
    return extended;
  }
}
