import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { clientBlock } from '../client/client-address.js';
import { type LimitOfRoute, rateLimitOf } from './rate-limit.decorator.js';
import { RateLimiter } from './rate-limiter.service.js';

/** Counts a request against the limit of its route, before any other work. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limiter: RateLimiter) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const limit = rateLimitOf(context.getHandler(), context.getClass());
    if (limit === undefined || limit === 'by-account') return true;
    const client = clientBlock(context.switchToHttp().getRequest<FastifyRequest>().ip);
    if (typeof limit === 'string') return this.count(limit, client);
    // By the handler: HEAD, and other paths of the same route, give no additional attempts.
    return this.count(limit, `${context.getClass().name}.${context.getHandler().name} ${client}`);
  }

  private async count(limit: Exclude<LimitOfRoute, 'by-account'>, key: string): Promise<boolean> {
    await this.limiter.consume(limit, key);
    return true;
  }
}
