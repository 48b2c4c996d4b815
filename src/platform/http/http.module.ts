import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { providePort } from '../extension/ports.js';
import { ErrorPage } from './output/error-page.service.js';
import { ConnectionDrain } from './server/connection-drain.service.js';
import { Foreground } from './server/foreground.service.js';
import { DatabaseRateLimitStore } from './rate-limit/database-rate-limit-store.js';
import { RateLimitStore } from './rate-limit/rate-limit-store.port.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimiter } from './rate-limit/rate-limiter.service.js';
import { RateLimits1700000000020 } from './rate-limit/rate-limits.migration.js';
import { DeclaresVariables } from '../config/config.public.js';
import { HTTP_VARIABLES } from './http.variables.js';
import { Tables } from '../database/tables.decorator.js';

/** Shared parts of all routes: the 404 page, the rate limiter and its guard, which runs before all other guards. */
@Tables({ migrations: [RateLimits1700000000020], others: ['rate_limits'] })
@DeclaresVariables(HTTP_VARIABLES)
@Global()
@Module({
  providers: [
    ConnectionDrain,
    ErrorPage,
    providePort('rateLimitStore', RateLimitStore, DatabaseRateLimitStore, {
      consume: 'remote',
      refund: 'remote',
      reset: 'remote',
    }),
    RateLimiter,
    Foreground,
    { provide: APP_GUARD, useClass: RateLimitGuard },
  ],
  exports: [ConnectionDrain, ErrorPage, RateLimiter, Foreground],
})
export class HttpModule {}
