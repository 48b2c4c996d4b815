import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { deriveKey } from '../../../kernel/keys/key-derivation.js';
import { newId } from '../../../kernel/keys/random.js';
import { ACCESS_TOKEN_KEY, hasAccessTokenHeader, readClaims } from './access-token.format.js';
import { AccessTokens } from './access-tokens.service.js';
import { AccountPrincipals } from './account-principals.service.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { findToken } from './token-extractor.js';
import { VerifiedTokens } from './verified-tokens.js';

/**
 * Turns an access token that is signed with HS256 into its principal. `jose` checks the exact header. passport-jwt checks signature, issuer
 * and audience against a derived key. Our clock checks the expiry, and the session must be active.
 */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) implements OnApplicationShutdown {
  /** Passport keeps one list of strategies by name in each process, so each application of the process needs a unique name. */
  readonly passportName = `jwt ${newId()}`;

  constructor(
    @Inject(CONFIG) config: Config,
    tokens: AccessTokens,
    private readonly principals: AccountPrincipals,
    private readonly verified: VerifiedTokens,
  ) {
    const key = deriveKey(config.appKey, ACCESS_TOKEN_KEY);
    super({
      jwtFromRequest: (request: FastifyRequest) => findToken(request)?.token ?? null,
      secretOrKeyProvider: (_request: unknown, token: string, done: (error: unknown, key?: never) => void) => {
        if (hasAccessTokenHeader(token, tokens.header)) done(null, key as never);
        else done(new AppError('token_invalid'));
      },
      algorithms: ['HS256'],
      issuer: config.appUrl,
      audience: config.appUrl,
      ignoreExpiration: true,
      passReqToCallback: true,
    });
    passport.use(this.passportName, this);
  }

  /** Prevents the framework from registering the strategy as `jwt` too: that name belongs to the application. */
  getPassportInstance(): Pick<typeof passport, 'use'> {
    return { use: () => passport };
  }

  /** Removes the strategy from the list of the process, which would keep the closed application in memory. */
  onApplicationShutdown(): void {
    passport.unuse(this.passportName);
  }

  /**
   * Called by passport with a payload whose signature is valid.
   *
   * @throws AppError `token_expired`, or `token_invalid` if a claim is missing or the session has ended.
   */
  async validate(request: FastifyRequest, payload: unknown): Promise<AccountPrincipal> {
    const claims = readClaims(payload);
    if (claims === null) throw new AppError('token_invalid');
    const token = findToken(request)?.token;
    if (token !== undefined) this.verified.remember(token, claims);
    return this.principals.of(claims);
  }
}
