import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { AppError } from '../kernel/app-error.js';
import { AccessTokenService } from './access-token.service.js';
import { type IssuedRefreshToken, RefreshTokenService } from './refresh-token.service.js';
import { type NewSession, SessionService } from './session.service.js';

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
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sessions: SessionService,
    private readonly accessTokens: AccessTokenService,
    private readonly refreshTokens: RefreshTokenService,
  ) {}

  /**
   * Begins a session and makes its tokens.
   *
   * @throws AppError `invalid_credentials` where the account was changed while it signed in.
   */
  async complete(session: NewSession): Promise<TokenSet> {
    if (!this.config.auth.refreshTokenEnabled) {
      return this.tokenSet(session.userId, await this.start(this.dataSource.manager, session));
    }
    return this.dataSource.transaction(async (manager) => {
      const sessionId = await this.start(manager, session);
      return this.tokenSet(session.userId, sessionId, await this.refreshTokens.issue(manager, sessionId));
    });
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

  private async start(manager: EntityManager, session: NewSession): Promise<string> {
    const sessionId = await this.sessions.start(manager, session);
    if (sessionId === null) throw new AppError('invalid_credentials');
    return sessionId;
  }

  private tokenSet(userId: string, sessionId: string, refreshToken?: IssuedRefreshToken): TokenSet {
    const { token, expiresAt } = this.accessTokens.issue(userId, sessionId);
    const set = { token, expires: expiresAt.toISOString() };
    if (refreshToken === undefined) return set;
    return { ...set, refresh_token: refreshToken.token, refresh_token_expires: refreshToken.expiresAt.toISOString() };
  }
}
