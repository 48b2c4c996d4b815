import { Controller, Get, HttpCode, Injectable, Module, Post } from '@nestjs/common';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import { Public } from '../../../src/identity/auth/access/access.decorators.js';
import { OneTimeSecrets } from '../../../src/identity/secrets/one-time-secrets.port.js';
import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';
import { Mailer } from '../../../src/platform/mail/mailer.port.js';
import { type RateLimitResult, RateLimitStore } from '../../../src/platform/http/rate-limit/rate-limit-store.port.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { createPerson } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

/** Error of a remote system. Each test sets the error that is thrown. */
const elsewhere: { fault: () => unknown } = { fault: () => null };
const SECRET = 'redis://:hunter2@10.0.0.7';

async function ask(): Promise<void> {
  const fault = elsewhere.fault();
  if (fault !== null) throw fault as Error;
}

@Injectable()
class RemoteStore extends RateLimitStore {
  async consume(): Promise<RateLimitResult> {
    await ask();
    return { isAllowed: true, msBeforeNext: 1_000 };
  }
  refund = ask;
  reset = ask;
}

@Injectable()
class RemoteSecrets extends OneTimeSecrets {
  issueToken = async () => ask().then(() => ({ id: 'x', secret: 'x', expiresAt: new Date() }));
  issueCode = this.issueToken;
  checkToken = async () => ask().then(() => 'invalid' as const);
  consumeToken = this.checkToken;
  tryCode = this.checkToken;
  revoke = ask;
  revokeNewer = ask;
}

@Injectable()
class RemoteHasher extends PasswordHasher {
  hash = async (password: string) => ask().then(() => `x${password}`);
  verify = async (hash: string | null, password: string) => ask().then(() => hash === `x${password}`);
  needsRehash(): boolean {
    return false;
  }
}

@Injectable()
class RemoteMailer extends Mailer {
  enqueue = ask;
}

@Controller('api/acme/tries')
class TriesController {
  @Post()
  @HttpCode(200)
  @Public()
  @RateLimit({ points: 1, durationSeconds: 60 })
  attempt(): object {
    return {};
  }

  @Get()
  @Public()
  plain(): object {
    return {};
  }
}

@Module({ controllers: [TriesController] })
class TriesModule {}

describe('a failing port of the team', () => {
  const world = useTestApp({
    modules: [TriesModule],
    env: { RATE_LIMIT_ENABLED: 'true', AUTH: '{"providers": {"local": {"activation_method": "email"}}}' },
    ports: {
      rateLimitStore: RemoteStore,
      oneTimeSecrets: RemoteSecrets,
      passwordHasher: RemoteHasher,
      mailer: RemoteMailer,
    },
  });
  const person = { login: 'ann@example.com', password: 'sturdy walnut 47' };
  beforeAll(() => createPerson(world.app, { email: person.login, password: person.password }));
  beforeEach(() => (elsewhere.fault = () => null));
  afterEach(() => (elsewhere.fault = () => null));

  it.each([
    ['an error', () => new Error(`${SECRET} is gone`)],
    ['a fault of its own code', () => new TypeError(`undefined is not a function at ${SECRET}`)],
    ['a text', () => SECRET],
    ['nothing', () => undefined],
  ])('allows nothing and returns 503: %s', async (_name, fault) => {
    elsewhere.fault = fault;
    const answer = await world.app.asGuest().post('/api/acme/tries', {}).expect(503);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.body).toEqual({
      code: '503',
      message: 'This is not available at the moment. Try again later.',
      data: { error: 'service_unavailable', request_id: answer.headers['x-request-id'] },
    });
    expect(world.app.log.at(-1)).toBeDefined();
    elsewhere.fault = () => null;
    await world.app.asGuest().post('/api/acme/tries', {}).expect(200);
  });

  it.each([
    ['/api/auth/local/login', person],
    ['/api/auth/local/recover/check', { token: 'x'.repeat(43) }],
    ['/api/auth/local/activate', { token: 'x'.repeat(43) }],
  ])('returns 503 without details for every failure: %s', async (path, body) => {
    elsewhere.fault = () => new Error(`${SECRET} is gone`);
    const answer = await world.app.asGuest().post(path, body).expect(503);
    expect(answer.body).toMatchObject({ data: { error: 'service_unavailable' } });
    expect(JSON.stringify(answer.body)).not.toContain('10.0.0.7');
  });

  it('is logged with its error', async () => {
    world.app.log.length = 0;
    elsewhere.fault = () => new Error('The store of tries is gone.');
    await world.app.asGuest().post('/api/acme/tries', {}).expect(503);
    const lines = world.app.log.filter((line) => line.includes('A request failed.'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('The store of tries is gone.');
  });

  it('may reject with its own error, and is not called where it is not needed', async () => {
    elsewhere.fault = () => new AppError('server_busy', { retryAfterSeconds: 7 });
    const answer = await world.app.asGuest().post('/api/acme/tries', {}).expect(503);
    expect(answer.body).toMatchObject({ data: { error: 'server_busy' } });
    expect(answer.headers['retry-after']).toBe('7');
    await world.app.asGuest().get('/api/acme/tries').expect(200);
  });
});
