import { Body, Controller, Get, HttpCode, Injectable, Module, Post } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Authenticator } from '../../../src/identity/auth/access/authenticator.port.js';
import { CurrentAccount, Public, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import type { AccountPrincipal } from '../../../src/kernel/principal.types.js';
import { AuthModule } from '../../../src/identity/auth/auth.module.js';
import { Client, type ClientContext } from '../../../src/identity/auth/auth.public.js';
import {
  type OfferedMethods,
  type ProvenAccount,
  SignInMethod,
} from '../../../src/identity/auth/sign-in/sign-in-method.port.js';
import { SignInService, type TokenSet } from '../../../src/identity/auth/sign-in/sign-in.service.js';
import { UsersService } from '../../../src/identity/users/users.service.js';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { createPerson, type Person, signIn } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

/** The badge that opens the door of Acme. It is accepted without further proof. */
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

describe('a custom sign-in method', () => {
  const world = useTestApp({ modules: [BadgeModule] });
  const show = (badge: string) => world.app.asGuest().post('/api/acme/badge', { badge });

  it('is listed with the others', async () => {
    const { body } = await world.app.asGuest().get('/api/auth/methods').expect(200);
    expect(body).toEqual({ providers: [], local: true, otp: false, acme_badge: true });
  });

  it('starts sessions with the same steps', async () => {
    const person = await createPerson(world.app);
    const { body } = await show(person.email).expect(200);
    const token = (body as TokenSet).token;
    expect((await world.app.as(token).get('/api/auth/me').expect(200)).body.id).toBe(person.id);
    const { body: list } = await world.app.as(token).get('/api/auth/sessions').expect(200);
    expect(list.data).toMatchObject([{ provider: 'acme-badge' }]);
  });

  it('starts no session for an inactive account', async () => {
    const person = await createPerson(world.app, { activated: false });
    expect((await show(person.email).expect(401)).body.data).toEqual({ error: 'account_inactive' });
    expect(await world.app.sql('SELECT id FROM sessions WHERE user_id = $1', [person.id])).toEqual([]);
  });

  it('counts as a sign-in method: the last linked provider may be removed', async () => {
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

  it('stops the start with one message if its name is taken', async () => {
    @Injectable()
    class SecondPassword extends BadgeSignIn {
      override readonly names = ['local'];
    }
    @Module({ imports: [AuthModule], providers: [SecondPassword] })
    class TwiceModule {}
    await expect(TestApp.start({ modules: [TwiceModule] })).rejects.toThrow(
      /^Two sign-in methods have the name local\. Names must be unique\.$/,
    );
  });
});

const KEY = /^Bearer acme_(\w+)$/;

/** The key of a door represents the account that it was registered for. */
@Injectable()
class DoorKeys extends Authenticator<string> {
  readonly name: string = 'acme-door-key';
  readonly owners = new Map<string, AccountPrincipal>();
  asked = 0;

  find({ headers: { authorization } }: FastifyRequest): string | null {
    return KEY.exec(authorization ?? '')?.[1] ?? null;
  }

  authenticate(key: string): AccountPrincipal {
    this.asked += 1;
    const owner = this.owners.get(key);
    if (owner === undefined) throw new AppError('token_invalid');
    return owner;
  }
}

@Controller('api/acme/door')
class DoorController {
  @Get()
  @Resource('auth.acme.door')
  open(@CurrentAccount() account: AccountPrincipal): { who: string } {
    return { who: account.email };
  }
}

@Module({ controllers: [DoorController], providers: [DoorKeys] })
class DoorModule {}

describe('a custom authenticator', () => {
  const world = useTestApp({ modules: [DoorModule] });
  let person: Person;
  const open = (token: string) => world.app.as(token).get('/api/acme/door');

  beforeAll(async () => {
    person = await createPerson(world.app);
    const { id: userId, email } = person;
    const principal = { kind: 'account', userId, sessionId: userId, email, roleIds: [] } as const;
    world.app.get(DoorKeys).owners.set('seven', principal);
  });

  it('identifies the caller without a change of the guard', async () => {
    expect((await open('acme_seven').expect(200)).body).toEqual({ who: person.email });
  });

  it('decides about the credentials that it recognises', async () => {
    expect((await open('acme_eight').expect(401)).body.data).toEqual({ error: 'token_invalid' });
    expect((await open('acme_seven').set('cookie', 'token=x').expect(200)).body).toEqual({ who: person.email });
  });

  it('is not called for an access token, a guest or a public route', async () => {
    const { asked } = world.app.get(DoorKeys);
    await open(await signIn(world.app, person)).expect(200);
    await world.app.asGuest().get('/api/acme/door').expect(401);
    await world.app.as('acme_seven').get('/api/auth/methods').expect(200);
    expect(world.app.get(DoorKeys).asked).toBe(asked);
  });

  it('stops the start with one message if its name is taken', async () => {
    @Injectable()
    class SecondTokens extends DoorKeys {
      override readonly name = 'access-token';
    }
    @Module({ providers: [SecondTokens] })
    class TwiceModule {}
    await expect(TestApp.start({ modules: [TwiceModule] })).rejects.toThrow(
      /^Two authenticators have the name access-token\. Names must be unique\.$/,
    );
  });
});
