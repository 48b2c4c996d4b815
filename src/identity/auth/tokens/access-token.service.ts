import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { Clock } from '../../../kernel/clock.port.js';
import { newId } from '../../../kernel/random.js';
import { ACCESS_TOKEN } from './access-token.format.js';

/** An access token and the moment from which it is refused. */
export interface AccessToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Issues access tokens: JWT with the header and the claims of CONTRACT §4 (RFC 9068). */
@Injectable()
export class AccessTokenService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly jwt: JwtService,
    private readonly clock: Clock,
  ) {}

  /** A token for one session of an account. */
  issue(userId: string, sessionId: string): AccessToken {
    const issuedAt = Math.floor(this.clock.nowMs() / 1_000);
    const expires = issuedAt + this.config.auth.accessTokenLifetimeSeconds;
    const { appUrl } = this.config;
    const token = this.jwt.sign(
      { iss: appUrl, aud: appUrl, sub: userId, sid: sessionId, iat: issuedAt, exp: expires, jti: newId() },
      { header: { alg: ACCESS_TOKEN.algorithm, typ: ACCESS_TOKEN.type } },
    );
    return { token, expiresAt: new Date(expires * 1_000) };
  }
}
