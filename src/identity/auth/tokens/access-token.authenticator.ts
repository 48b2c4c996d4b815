import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors/app-error.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import type { AuthenticatedRequest } from '../access/access.decorators.js';
import type { AccessTokenClaims } from './access-token.format.js';
import { AccessTokens } from './access-tokens.service.js';
import { AccountPrincipals } from './account-principals.service.js';
import { Authenticator, type BearerOfToken } from '../access/authenticator.port.js';
import { isSameSiteRequest } from '../access/cross-site.js';
import { GUEST, type Principal } from '../../../kernel/principal.types.js';
import { JwtStrategy } from './jwt.strategy.js';
import { findToken, type PresentedToken } from './token-extractor.js';
import { VerifiedTokens } from './verified-tokens.js';

@Injectable()
export class AccessTokenAuthenticator extends Authenticator<PresentedToken> {
  readonly name = 'access-token';
  override readonly order = 100;
  private readonly appOrigin: string;
  private readonly passport: PassportGuard;

  constructor(
    @Inject(CONFIG) config: Config,
    strategy: JwtStrategy,
    private readonly tokens: AccessTokens,
    private readonly verified: VerifiedTokens,
    private readonly principals: AccountPrincipals,
  ) {
    super();
    this.appOrigin = new URL(config.appUrl).origin;
    this.passport = new PassportGuard({ defaultStrategy: strategy.passportName });
  }

  find(request: FastifyRequest): PresentedToken | null {
    return findToken(request);
  }

  authenticate({ token, from }: PresentedToken, context: ExecutionContext): Principal | Promise<Principal> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (from === 'cookie' && !isSameSiteRequest(request, this.appOrigin)) throw new AppError('cross_site_request');
    const claims = this.verified.find(token);
    if (claims !== undefined) return this.principals.of(claims);
    // Passport's library does not support EdDSA.
    if (this.tokens.header.alg === 'EdDSA') return this.verify(token).then((read) => this.principals.of(read));
    return this.passport.canActivate(context).then(() => request.user ?? GUEST);
  }

  /** Accepts every token that no other authenticator accepts. */
  override async introspect(token: string): Promise<BearerOfToken> {
    const claims = this.verified.find(token) ?? (await this.verify(token));
    return { principal: await this.principals.of(claims), expiresAtMs: claims.exp * 1_000 };
  }

  private async verify(token: string): Promise<AccessTokenClaims> {
    const claims = await this.tokens.verify(token);
    if (claims === null) throw new AppError('token_invalid');
    this.verified.remember(token, claims);
    return claims;
  }
}

/** Maps rejections of passport to error codes of the service. */
class PassportGuard extends AuthGuard() {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    return super.canActivate(context) as Promise<boolean>;
  }

  /** Rethrows our own errors, and the error of an unavailable database. */
  override handleRequest<T = Principal>(error: unknown, principal: T | false, info: unknown): T {
    if (error !== null && error !== undefined) throw error;
    if (principal === false || principal === undefined || principal === null) {
      throw info instanceof AppError ? info : new AppError('token_invalid');
    }
    return principal;
  }
}
