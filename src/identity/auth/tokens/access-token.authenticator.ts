import {
  type ExecutionContext,
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { Authenticator, type BearerOfToken } from '../access/authenticator.port.js';
import { isSameSiteRequest } from '../access/cross-site.js';
import { AccessTokens } from './access-tokens.service.js';
import { JwtStrategy } from './jwt.strategy.js';
import { findToken, type PresentedToken } from './access-token.format.js';

@Injectable()
export class AccessTokenAuthenticator
  extends Authenticator<PresentedToken>
  implements OnModuleInit, OnApplicationShutdown
{
  readonly name = 'access-token';
  override readonly order = 100;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly tokens: AccessTokens,
    private readonly http: HttpAdapterHost,
  ) {
    super();
  }

  onModuleInit(): void {
    const { httpAdapter } = this.http;
    // Commands have no server.
    if (httpAdapter) JwtStrategy.serve(httpAdapter.getInstance(), (token, request) => this.principalOf(token, request));
  }

  onApplicationShutdown(): void {
    JwtStrategy.release(this.http.httpAdapter?.getInstance());
  }

  find(request: FastifyRequest): PresentedToken | null {
    return findToken(request);
  }

  authenticate(presented: PresentedToken, context: ExecutionContext): AccountPrincipal | Promise<AccountPrincipal> {
    return this.principalOf(presented, context.switchToHttp().getRequest<FastifyRequest>());
  }

  /** Accepts every token that no other authenticator accepts. */
  override async introspect(token: string): Promise<BearerOfToken> {
    const claims = await this.tokens.verify(token);
    if (claims === null) throw new AppError('token_invalid');
    return { principal: await this.tokens.principalOf(claims), expiresAtMs: claims.exp * 1_000 };
  }

  private principalOf(
    { token, from }: PresentedToken,
    request: FastifyRequest,
  ): AccountPrincipal | Promise<AccountPrincipal> {
    if (from === 'cookie' && !isSameSiteRequest(request, this.config.appUrl)) throw new AppError('cross_site_request');
    const claims = this.tokens.verify(token);
    if (claims instanceof Promise) return claims.then((verified) => this.tokens.principalOf(verified));
    return this.tokens.principalOf(claims);
  }
}
