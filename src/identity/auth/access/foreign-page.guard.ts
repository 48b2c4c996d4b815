import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { isFromForeignPage, isSameSiteRequest } from './cross-site.js';

/**
 * Refuses what a page of another origin sends, for routes that take forms and no token: a form needs no CORS, so without
 * this any page could sign its visitor in to an app as somebody else.
 */
@Injectable()
export class ForeignPageGuard implements CanActivate {
  private readonly appOrigin: string;

  constructor(@Inject(CONFIG) private readonly config: Config) {
    this.appOrigin = new URL(config.appUrl).origin;
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (isFromForeignPage(request, this.appOrigin, this.config.corsOrigins)) throw new AppError('cross_site_request');
    return true;
  }
}

/**
 * Refuses what does not say that it comes from a page of ours, for routes that a cookie alone authorises. A page of
 * `CORS_ORIGINS` is no page of ours here, and what is no browser has no cookie.
 */
@Injectable()
export class OwnPageGuard implements CanActivate {
  private readonly appOrigin: string;

  constructor(@Inject(CONFIG) config: Config) {
    this.appOrigin = new URL(config.appUrl).origin;
  }

  canActivate(context: ExecutionContext): boolean {
    if (!isSameSiteRequest(context.switchToHttp().getRequest<FastifyRequest>(), this.appOrigin))
      throw new AppError('cross_site_request');
    return true;
  }
}
