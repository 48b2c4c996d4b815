import { Controller, Get, HttpCode, Module, Param, Post } from '@nestjs/common';
import { Public } from '../../../src/identity/auth/access/access.decorators.js';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import { defineErrors, type ErrorRow } from '../../../src/kernel/errors/error-catalogue.js';
import { defineRateLimits, type RateLimitPolicy } from '../../../src/platform/http/http.public.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { useTestApp } from '../../support/test-app.js';

const ERRORS = defineErrors('Acme', { acme_no_soup: { status: 409, message: 'There is no soup left.' } });
const LIMITS = defineRateLimits('Acme', { acmeSoup: { points: 2, durationSeconds: 600, meaning: 'soups' } });

declare module '../../../src/kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
declare module '../../../src/platform/http/rate-limit/rate-limit.policies.js' {
  interface KnownRateLimits extends Record<keyof typeof LIMITS, RateLimitPolicy> {}
}

@Controller('api/acme/soups')
class SoupController {
  @Get(':id')
  @Public()
  get(@Param('id') id: string): never {
    throw new AppError('acme_no_soup', { details: { id } });
  }

  @Post()
  @HttpCode(200)
  @Public()
  @RateLimit('acmeSoup')
  eat(): { eaten: true } {
    return { eaten: true };
  }
}

@Module({ controllers: [SoupController] })
class SoupModule {}

describe('a feature with its own tables', () => {
  const world = useTestApp({ modules: [SoupModule], env: { RATE_LIMIT_ENABLED: 'true' } });

  it('returns its own error, with status and text from its table', async () => {
    const { body } = await world.app.asGuest().get('/api/acme/soups/7').expect(409);
    expect(body).toEqual({
      code: '409',
      message: 'There is no soup left.',
      data: { error: 'acme_no_soup', id: '7' },
    });
  });

  it('counts requests against its own limit', async () => {
    const statuses: number[] = [];
    for (let tries = 0; tries < 3; tries += 1)
      statuses.push((await world.app.asGuest().post('/api/acme/soups', {})).status);
    expect(statuses).toEqual([200, 200, 429]);
  });
});
