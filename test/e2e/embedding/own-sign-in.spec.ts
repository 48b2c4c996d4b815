import { Body, Controller, HttpCode, Injectable, Module, Post } from '@nestjs/common';
import { AuthModule } from '../../../src/identity/auth/auth.module.js';
import { Public } from '../../../src/identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../../src/identity/auth/auth.public.js';
import {
  type OfferedMethods,
  type ProvenAccount,
  SignInMethod,
} from '../../../src/identity/auth/sign-in/sign-in-method.port.js';
import { SignInService, type TokenSet } from '../../../src/identity/auth/sign-in/sign-in.service.js';
import { UsersService } from '../../../src/identity/users/users.service.js';
import { AppError } from '../../../src/kernel/app-error.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { createPerson } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

/** The badge that opens the door of Acme: whoever shows it is believed. */
@Injectable()
class BadgeSignIn extends SignInMethod {
  readonly names: readonly string[] = ['acme-badge'];

  constructor(private readonly users: UsersService) {
    super();
  }

  offer(): Partial<OfferedMethods> {
    return { acme_badge: true };
  }

  listFor(): Promise<readonly string[]> {
    return Promise.resolve(this.names);
  }

  async read(badge: string, client: ClientContext): Promise<ProvenAccount> {
    const user = await this.users.findByEmail(badge);
    if (user === null) throw new AppError('invalid_credentials');
    const { id: userId, credentialsVersion, activated } = user;
    return { userId, provider: 'acme-badge', client, credentialsVersion, activated };
  }
}

@Controller('api/acme/badge')
class BadgeController {
  constructor(
    private readonly badges: BadgeSignIn,
    private readonly signIns: SignInService,
  ) {}

  @Post()
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  signIn(@Body() body: { badge: string }, @Client() client: ClientContext): Promise<TokenSet> {
    return this.signIns.complete(() => this.badges.read(body.badge, client));
  }
}

@Module({ imports: [AuthModule], controllers: [BadgeController], providers: [BadgeSignIn] })
class BadgeModule {}

describe('a sign-in method of a team', () => {
  const world = useTestApp({ modules: [BadgeModule] });
  const show = (badge: string) => world.app.asGuest().post('/api/acme/badge', { badge });

  it('is offered beside the others', async () => {
    const { body } = await world.app.asGuest().get('/api/auth/methods').expect(200);
    expect(body).toEqual({ providers: [], local: true, otp: false, acme_badge: true });
  });

  it('begins sessions by the same steps', async () => {
    const person = await createPerson(world.app);
    const { body } = await show(person.email).expect(200);
    const token = (body as TokenSet).token;
    expect((await world.app.as(token).get('/api/auth/me').expect(200)).body.id).toBe(person.id);
    const { body: list } = await world.app.as(token).get('/api/auth/sessions').expect(200);
    expect(list.data).toMatchObject([{ provider: 'acme-badge' }]);
  });

  it('begins none for an account that is not active', async () => {
    const person = await createPerson(world.app, { activated: false });
    expect((await show(person.email).expect(401)).body.data).toEqual({ error: 'account_inactive' });
    expect(await world.app.sql('SELECT id FROM sessions WHERE user_id = $1', [person.id])).toEqual([]);
  });

  it('counts as a way in: the last linked provider may go', async () => {
    const person = await createPerson(world.app, { passwordHash: null });
    const { body } = await show(person.email).expect(200);
    const [row] = await world.app.sql<{ id: string }>(
      `INSERT INTO identities (id, user_id, provider, issuer, subject, email_verified, created_at, last_used_at)
       VALUES (gen_random_uuid(), $1, 'acme', 'https://acme.example', 'x', false, now(), now()) RETURNING id`,
      [person.id],
    );
    const client = world.app.as((body as TokenSet).token);
    await client.delete(`/api/auth/identities/${row!.id}`).expect(200);
  });

  it('stops the start in one sentence if another has its name', async () => {
    @Injectable()
    class SecondPassword extends BadgeSignIn {
      override readonly names = ['local'];
    }
    @Module({ imports: [AuthModule], providers: [SecondPassword] })
    class TwiceModule {}
    await expect(TestApp.start({ modules: [TwiceModule] })).rejects.toThrow(
      /^Two sign-in methods are called local: one alone may\.$/,
    );
  });
});
