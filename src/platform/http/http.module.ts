import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { NotFoundPage } from './not-found-page.service.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimiter } from './rate-limit/rate-limiter.service.js';
import { reserveTables } from '../../kernel/system-schema.js';

reserveTables('rate_limits');

/** What all routes share: the page for what is not there, and the limiter of attempts with its guard, which runs before every other. */
@Global()
@Module({
  providers: [NotFoundPage, RateLimiter, { provide: APP_GUARD, useClass: RateLimitGuard }],
  exports: [NotFoundPage, RateLimiter],
})
export class HttpModule {}
