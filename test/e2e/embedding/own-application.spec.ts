import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { CurrentAccount, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import type { AccountPrincipal } from '../../../src/kernel/principal.types.js';
import { Clock } from '../../../src/kernel/clock.port.js';
import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';
import { PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

@Controller('api/acme')
class GreetingController {
  @Get('greeting')
  @Resource('auth.acme.greeting')
  greet(@CurrentAccount() account: AccountPrincipal): { greeting: string } {
    return { greeting: `Hello, ${account.email}` };
  }
}

@Module({ controllers: [GreetingController] })
class AcmeModule {}

/** Not secure: it only shows that the port is used, and that it can inject providers of its module. */
@Injectable()
class ReversedHasher extends PasswordHasher {
  constructor(private readonly clock: Clock) {
    super();
  }

  hash(password: string): Promise<string> {
    return Promise.resolve(`reversed ${this.clock.now().getFullYear()} ${[...password].reverse().join('')}`);
  }

  async verify(hash: string | null, password: string): Promise<boolean> {
    return hash === (await this.hash(password));
  }

  needsRehash(): boolean {
    return false;
  }
}

describe('an application of a team', () => {
  const world = useTestApp({ modules: [AcmeModule], ports: { passwordHasher: ReversedHasher } });

  it('adds guarded routes and implements a port', async () => {
    const email = 'ann@example.com';
    const guest = world.app.asGuest();
    await guest
      .post('/api/auth/local/register', { email, password: PASSWORD, password_confirmation: PASSWORD })
      .expect(201);
    const [row] = await world.app.sql<{ password_hash: string }>('SELECT password_hash FROM users');
    expect(row?.password_hash).toMatch(/^reversed \d{4} 74 tunlaw ydruts$/);
    const { body } = await guest.post('/api/auth/local/login', { login: email, password: PASSWORD }).expect(200);
    expect(
      (
        await world.app
          .as(body.token as string)
          .get('/api/acme/greeting')
          .expect(200)
      ).body,
    ).toEqual({ greeting: `Hello, ${email}` });
    await guest.get('/api/acme/greeting').expect(401);
  });
});
