import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { AppError } from '../../../kernel/app-error.js';
import { type AuthenticatedRequest, ROUTE_ACCESS, type RouteAccess } from './access.decorators.js';
import { isSameSiteRequest } from './cross-site.js';
import { JwtStrategy } from '../tokens/jwt.strategy.js';
import { type AccountPrincipal, GUEST, type Principal } from './principal.types.js';
import { AccountPrincipals } from './account-principals.service.js';
import { findToken } from '../tokens/token-extractor.js';
import { VerifiedTokens } from '../tokens/verified-tokens.js';

/** Who is it? Public routes pass; without a token the request is a guest's; a token must be good. */
@Injectable()
export class JwtAuthGuard extends AuthGuard() {
  private readonly appOrigin: string;

  constructor(
    private readonly reflector: Reflector,
    strategy: JwtStrategy,
    @Inject(CONFIG) config: Config,
    private readonly verified: VerifiedTokens,
    private readonly principals: AccountPrincipals,
  ) {
    super({ defaultStrategy: strategy.passportName });
    this.appOrigin = new URL(config.appUrl).origin;
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = this.reflector.get<RouteAccess | undefined>(ROUTE_ACCESS, context.getHandler());
    if (access?.public === true) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const presented = findToken(request);
    if (presented === null) {
      request.user = GUEST;
      return true;
    }
    if (presented.from === 'cookie' && !isSameSiteRequest(request, this.appOrigin))
      throw new AppError('cross_site_request');
    const claims = this.verified.find(presented.token);
    if (claims === undefined) return super.canActivate(context) as Promise<boolean>;
    return this.admit(request, this.principals.of(claims));
  }

  private admit(
    request: AuthenticatedRequest,
    found: AccountPrincipal | Promise<AccountPrincipal>,
  ): true | Promise<true> {
    if (found instanceof Promise) return found.then((principal) => this.admit(request, principal));
    request.user = found;
    return true;
  }

  /** Passport's ways of saying no, in our words. Our own errors and a missing database keep theirs. */
  override handleRequest<T = Principal>(error: unknown, principal: T | false, info: unknown): T {
    if (error !== null && error !== undefined) throw error;
    if (principal === false || principal === undefined || principal === null) {
      throw info instanceof AppError ? info : new AppError('token_invalid');
    }
    return principal;
  }
}
