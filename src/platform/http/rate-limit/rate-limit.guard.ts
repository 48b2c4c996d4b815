import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { clientBlock } from '../client-address.js';
import { RATE_LIMIT } from './rate-limit.decorator.js';
import type { RateLimitName } from './rate-limit.policies.js';
import { RateLimiter } from './rate-limiter.service.js';

/** Counts a request against the limit that its route declares, before anything else is done for it. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiter,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const name = this.reflector.get<RateLimitName | 'by-account' | undefined>(RATE_LIMIT, context.getHandler());
    if (name === undefined || name === 'by-account') return true;
    return this.count(name, context.switchToHttp().getRequest<FastifyRequest>());
  }

  private async count(name: RateLimitName, request: FastifyRequest): Promise<boolean> {
    await this.limiter.consume(name, clientBlock(request.ip));
    return true;
  }
}
