import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimiter } from './rate-limit/rate-limiter.service.js';

/** What all routes share: the limiter of attempts and its guard, which runs before every other. */
@Global()
@Module({ providers: [RateLimiter, { provide: APP_GUARD, useClass: RateLimitGuard }], exports: [RateLimiter] })
export class HttpModule {}
