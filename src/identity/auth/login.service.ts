import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { AppError } from '../../kernel/app-error.js';
import type { ErrorCode } from '../../kernel/error-catalogue.js';
import { AccessTokenService } from './tokens/access-token.service.js';
import { type IssuedRefreshToken, RefreshTokenService } from './tokens/refresh-token.service.js';
import { type NewSession, SessionService } from './sessions/session.service.js';

/** The body of every successful sign-in (specification, "Token set"). */
export interface TokenSet {
  readonly token: string;
  readonly expires: string;
  readonly refresh_token?: string;
  readonly refresh_token_expires?: string;
}

/** What happens when a login completes, whichever way in it was. */
@Injectable()
export class LoginService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly sessions: SessionService,
    private readonly accessTokens: AccessTokenService,
    private readonly refreshTokens: RefreshTokenService,
  ) {}

  /**
   * Begins a session and makes its tokens.
   *
   * @param refusal what a sign-in is told whose account was changed meanwhile.
   * @throws AppError `refusal`.
   */
  async complete(session: NewSession, refusal: ErrorCode = 'invalid_credentials'): Promise<TokenSet> {
    const refreshToken = this.config.auth.refreshTokenEnabled ? this.refreshTokens.first() : null;
    const sessionId = await this.sessions.start(session, refreshToken);
    if (sessionId === null) throw new AppError(refusal);
    return this.tokenSet(session.userId, sessionId, refreshToken);
  }

  /**
   * A new token set for a refresh token.
   *
   * @throws AppError `refresh_token_invalid`, `refresh_token_expired`, `refresh_token_reused`.
   */
  async refresh(token: string): Promise<TokenSet> {
    const { userId, sessionId, refreshToken } = await this.refreshTokens.rotate(token);
    return this.tokenSet(userId, sessionId, refreshToken);
  }

  private tokenSet(userId: string, sessionId: string, refreshToken: IssuedRefreshToken | null): TokenSet {
    const { token, expiresAt } = this.accessTokens.issue(userId, sessionId);
    const set = { token, expires: expiresAt.toISOString() };
    if (refreshToken === null) return set;
    return { ...set, refresh_token: refreshToken.token, refresh_token_expires: refreshToken.expiresAt.toISOString() };
  }
}
