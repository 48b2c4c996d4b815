import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { isFromForeignPage, isSameSiteRequest } from './cross-site.js';

/** Rejects forms of other origins on routes without a token. Forms need no CORS, so any page could sign its visitor in as another user. */
@Injectable()
export class ForeignPageGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (isFromForeignPage(request, this.config.appUrl, this.config.corsOrigins))
      throw new AppError('cross_site_request');
    return true;
  }
}

/** Requires a request from a page of Lintel, because a cookie alone authorizes it. Pages of `CORS_ORIGINS` are rejected. */
@Injectable()
export class OwnPageGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  canActivate(context: ExecutionContext): boolean {
    if (!isSameSiteRequest(context.switchToHttp().getRequest<FastifyRequest>(), this.config.appUrl))
      throw new AppError('cross_site_request');
    return true;
  }
}
