import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../kernel/app-error.js';
import { AccessTokenService } from './access-token.service.js';
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
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sessions: SessionService,
    private readonly accessTokens: AccessTokenService,
  ) {}

  /**
   * Begins a session and makes its tokens.
   *
   * @throws AppError `invalid_credentials` where the account was changed while it signed in.
   */
  async complete(session: NewSession): Promise<TokenSet> {
    const sessionId = await this.sessions.start(this.dataSource.manager, session);
    if (sessionId === null) throw new AppError('invalid_credentials');
    const { token, expiresAt } = this.accessTokens.issue(session.userId, sessionId);
    return { token, expires: expiresAt.toISOString() };
  }
}
