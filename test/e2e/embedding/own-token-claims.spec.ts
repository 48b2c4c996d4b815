import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { decodeJwt, SignJWT } from 'jose';
import { CurrentAccount, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import {
  TOKEN_CLAIMS,
  TokenClaim,
  type TokenClaimContext,
} from '../../../src/identity/auth/tokens/token-claims.decorator.js';
import type { AccountPrincipal } from '../../../src/kernel/principal.types.js';
import { createPerson, PASSWORD, signedIn } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

declare module '../../../src/kernel/principal.types.js' {
  interface OwnClaims {
    x_tenant: { readonly name: string };
    x_plan: string;
    x_roles: readonly string[];
  }
}

/** Values that the claim methods return. */
const answers: { tenant: unknown; plan: unknown } = { tenant: undefined, plan: undefined };
let asked: TokenClaimContext[] = [];

@Injectable()
class Tenants {
  @TokenClaim('x_tenant')
  async tenant(context: TokenClaimContext): Promise<{ name: string } | undefined> {
    asked.push(context);
    await Promise.resolve();
    if (answers.tenant instanceof Error) throw answers.tenant;
    return answers.tenant as { name: string } | undefined;
  }

  @TokenClaim('x_plan')
  plan(): string | undefined {
    return answers.plan as string | undefined;
  }

  @TokenClaim('x_roles')
  roles(): readonly string[] {
    return ['admin'];
  }
}

@Controller('test/claims')
class ClaimsController {
  @Get()
  @Resource('auth.claims')
  claims(@CurrentAccount() account: AccountPrincipal): unknown {
    return { tenant: account.claims?.x_tenant?.name ?? null, claims: account.claims ?? null };
  }
}

@Module({ controllers: [ClaimsController], providers: [Tenants] })
class TenantsModule {}

describe('custom claims in access tokens', () => {
  const world = useTestApp({ modules: [TenantsModule], env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });

  beforeEach(() => {
    Object.assign(answers, { tenant: { name: 'soup' }, plan: 'gold' });
    asked = [];
  });

  const read = async (token: string) => (await world.app.as(token).get('/test/claims').expect(200)).body as unknown;
  const login = async (status = 200) => {
    const person = await createPerson(world.app);
    const body = { login: person.email, password: PASSWORD };
    const answer = await world.app.asGuest().post('/api/auth/local/login', body).expect(status);
    return { person, body: answer.body as { token: string; refresh_token: string } };
  };

  it('are created for the session and read from the principal for each request', async () => {
    const { person, body } = await login();
    const { sid } = decodeJwt(body.token);
    expect(asked).toEqual([{ userId: person.id, sessionId: sid }]);
    const claims = { x_tenant: { name: 'soup' }, x_plan: 'gold', x_roles: ['admin'] };
    for (let times = 0; times < 3; times += 1) expect(await read(body.token)).toEqual({ tenant: 'soup', claims });
  });

  it('are returned by token introspection', async () => {
    const { body } = await login();
    const answer = await world.app.as(body.token).post('/api/auth/introspect', { token: body.token }).expect(200);
    expect(answer.body).toMatchObject({ claims: { x_tenant: { name: 'soup' }, x_plan: 'gold' } });
  });

  it('are recreated by a refresh; a token keeps its claims', async () => {
    const { body } = await login();
    Object.assign(answers, { tenant: undefined, plan: 'lead' });
    const again = await world.app
      .asGuest()
      .post('/api/auth/token/refresh', { refresh_token: body.refresh_token })
      .expect(200);
    expect(await read(again.body.token as string)).toEqual({
      tenant: null,
      claims: { x_plan: 'lead', x_roles: ['admin'] },
    });
    expect(await read(body.token)).toMatchObject({ tenant: 'soup' });
  });

  it('do not affect the service, whatever their names', async () => {
    const { token } = await signedIn(world.app);
    expect(await read(token)).toMatchObject({ claims: { x_roles: ['admin'] } });
    await world.app.as(token).get('/api/content/user').expect(403);
    const { body } = await world.app.as(token).get('/api/auth/me').expect(200);
    expect(body.roles).toEqual(['user']);
  });

  it('of a token with another signature are not read', async () => {
    const { token } = await signedIn(world.app);
    const forged = await new SignJWT({ ...decodeJwt(token), x_plan: 'platinum' })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .sign(Buffer.from('a key of somebody else, long enough to be one'));
    await world.app.as(forged).get('/test/claims').expect(401);
  });

  it.each([
    ['too long together', { plan: 'x'.repeat(1_030) }],
    ['too long in bytes', { plan: '€'.repeat(350) }],
    ['no JSON', { plan: 10n }],
    ['an error', { tenant: new Error('no tenant today') }],
  ])('that are %s fail the sign-in without details, and leave no session', async (_what, given) => {
    Object.assign(answers, given);
    const { person, body } = await login(500);
    expect(JSON.stringify(body)).not.toMatch(/tenant|bytes|BigInt/);
    expect(await world.app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [person.id])).toEqual([]);
    expect(world.app.log.join('')).toMatch(/Tenants\.(tenant|plan) caused the error/);
  });
});

describe('an invalid claim', () => {
  it('stops the start if two methods provide it', async () => {
    @Injectable()
    class Rival {
      @TokenClaim('x_plan')
      plan(): string {
        return 'tin';
      }
    }
    @Module({ providers: [Rival] })
    class RivalModule {}
    await expect(TestApp.start({ modules: [TenantsModule, RivalModule] })).rejects.toThrow(
      /^Two methods return the claim x_plan\. Names must be unique\.$/,
    );
  });

  it.each([
    'sub',
    'roles',
    'scope',
    'tenant',
    'X_tenant',
    'x_',
    'x-tenant',
    'x_tenant ',
    'x_Tenant',
    `x_${'a'.repeat(41)}`,
  ])('has the name %j', (name) => {
    class Misnamed {
      @TokenClaim(name as 'x_plan')
      claim(): string {
        return '';
      }
    }
    const wrapper = { instance: new Misnamed(), isTransient: false, isDependencyTreeStatic: () => true };
    const discovery = { getProviders: () => [wrapper], getControllers: () => [] };
    expect(() => TOKEN_CLAIMS.collect(discovery as never)).toThrow(
      `Misnamed.claim returns a claim of the access token: the name ${JSON.stringify(name)} is not valid: use x_ and at most 40 lower-case letters, digits and underscores.`,
    );
  });
});
