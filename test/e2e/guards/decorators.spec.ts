import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { satisfies } from 'semver';
import {
  Authenticated,
  CurrentPrincipal,
  DeclaresResources,
  Public,
  RefusesKeys,
  Resource,
} from '../../../src/identity/auth/access/access.decorators.js';
import { TokenClaim } from '../../../src/identity/auth/tokens/token-claims.decorator.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import type { Principal } from '../../../src/kernel/principal.types.js';
import { makeKey, makeServiceKey, unknownKey } from '../../support/api-keys.js';
import { type Nest11Service, startNest11 } from '../../support/nest-11-service.js';
import { createPerson, signedIn, signIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

function seen(principal: Principal): object {
  if (principal.kind !== 'account') return { kind: principal.kind };
  const { kind, userId, sessionId, email, key, claims } = principal;
  return { kind, userId, sessionId, email, byKey: key !== undefined, claims };
}

/** The routes of test/nest-11, in the application of Lintel. */
@Controller('api/table')
class TableController {
  @Get('public')
  @Public()
  public(@CurrentPrincipal() principal: Principal): object {
    return seen(principal);
  }

  @Get('authenticated')
  @Authenticated()
  authenticated(@CurrentPrincipal() principal: Principal): object {
    return seen(principal);
  }

  @Get('own')
  @Resource('auth.orders')
  own(@CurrentPrincipal() principal: Principal): object {
    return seen(principal);
  }

  @Get('me')
  @Resource('auth.me')
  me(@CurrentPrincipal() principal: Principal): object {
    return seen(principal);
  }

  @Get('orders')
  @Resource('acme.orders.list')
  orders(@CurrentPrincipal() principal: Principal): object {
    return seen(principal);
  }

  @Get('people')
  @Resource('acme.people.list')
  people(@CurrentPrincipal() principal: Principal): object {
    return seen(principal);
  }
}

@Controller('api/orders')
@Resource('acme.orders.list')
class OrdersController {
  @Get('inherited')
  inherited(@CurrentPrincipal() principal: Principal): object {
    return seen(principal);
  }

  @Get('public')
  @Public()
  public(@CurrentPrincipal() principal: Principal): object {
    return seen(principal);
  }

  @Get('authenticated')
  @Authenticated()
  authenticated(@CurrentPrincipal() principal: Principal): object {
    return seen(principal);
  }
}

@Controller('api/signed-in')
@Authenticated()
class SignedInController {
  @Get('inherited')
  inherited(@CurrentPrincipal() principal: Principal): object {
    return seen(principal);
  }

  @Get('orders')
  @Resource('acme.orders.list')
  orders(@CurrentPrincipal() principal: Principal): object {
    return seen(principal);
  }
}

@Injectable()
class Departments {
  @TokenClaim('x_department' as never)
  department(): never {
    return 'kitchen' as never;
  }
}

@DeclaresResources('acme.orders.list', 'acme.people.list')
@RefusesKeys('acme.people.*')
@Module({ controllers: [TableController, OrdersController, SignedInController], providers: [Departments] })
class TableModule {}

const ROUTES = [
  'table/public',
  'table/authenticated',
  'table/own',
  'table/me',
  'table/orders',
  'table/people',
  'orders/inherited',
  'orders/public',
  'orders/authenticated',
  'signed-in/inherited',
  'signed-in/orders',
];

/** Refusals for which Lintel gives a reason that a guarded service does not know. */
const REASONS = new Set(['key_not_allowed', 'mfa_enrollment_required', 'step_up_required']);

interface Answer {
  readonly status: number;
  readonly error: string | undefined;
  readonly body: unknown;
}

describe('access decorators', () => {
  const world = useTestApp({ env: { AUTH_TOKEN_ALG: 'EdDSA' }, modules: [TableModule] });
  let service: Nest11Service;
  let root: string;

  beforeAll(async () => {
    root = (await signedIn(world.app, { roles: ['admin'] })).token;
    const row = (resource: string, value = 'allow') => ({ resource, value, fields: null });
    await world.app.get(RoleSeeder).seed([
      { name: 'gateway', permissions: [row('tokens.introspect')] },
      { name: 'clerk', permissions: [row('acme.*')] },
      { name: 'kept-out', permissions: [row('auth.*', 'deny'), row('acme.orders.list')] },
      { name: 'kept-out-of-me', permissions: [row('auth.me', 'deny')] },
      { name: 'shut', permissions: [row('*', 'deny')] },
      { name: 'ruled-in', permissions: [row('acme.orders.list', 'auth.email.endsWith("@example.com")')] },
      { name: 'ruled-out', permissions: [row('acme.orders.list', 'auth.email.endsWith("@example.org")')] },
      { name: 'careful', mfa: 'required', permissions: [row('acme.orders.list')] },
    ]);
    const { key } = await makeServiceKey(world.app, root, ['gateway'], { expires_in_days: null });
    const environment = { LINTEL_ISSUER: world.app.config.appUrl, LINTEL_URL: world.app.url, LINTEL_KEY: key };
    service = await startNest11(environment);
  });
  afterAll(() => service?.stop());

  const tokenWith = async (...roles: string[]): Promise<string> => (await signedIn(world.app, { roles })).token;
  const keyOf = async (token: string, body: object = {}): Promise<string> =>
    (await makeKey(world.app, token, body)).key;

  /** Returns the token of a session that started before the account got a role that requires a second factor. */
  const withoutFactor = async (role: string): Promise<string> => {
    const { token, person } = await signedIn(world.app, { roles: [role] });
    const rows = await world.app.sql<{ id: string }>('SELECT id FROM roles WHERE name IN ($1, $2)', [role, 'careful']);
    const roles = rows.map(({ id }) => id);
    await world.app.as(root).patch(`/api/content/users/${person.id}`, { roles }).expect(200);
    return token;
  };

  /** Callers, by the token that they send. Each is a new account. */
  const CALLERS: Readonly<Record<string, () => Promise<string | undefined>>> = {
    'a guest': async () => undefined,
    'a caller with a broken token': async () => 'nonsense',
    'a caller with an unknown key': async () => unknownKey(),
    'a user without roles': () => tokenWith(),
    'a user with the role user': () => tokenWith('user'),
    'a user with the permission': () => tokenWith('clerk'),
    'a user who is denied auth.*': () => tokenWith('kept-out'),
    'a user who is denied auth.me': () => tokenWith('clerk', 'kept-out-of-me'),
    'a user who is denied everything': () => tokenWith('clerk', 'shut'),
    'a user with a matching rule': () => tokenWith('ruled-in'),
    'a user without a matching rule': () => tokenWith('ruled-out'),
    'a root user': async () => root,
    'a root user who is denied everything': () => tokenWith('admin', 'shut'),
    'a user without the factor that a role demands': () => withoutFactor('user'),
    'a root user without the factor that a role demands': () => withoutFactor('admin'),
    'a user who signed out': async () => {
      const token = await tokenWith('clerk');
      await world.app.as(token).post('/api/auth/logout').expect(200);
      return token;
    },
    'a user who was deactivated': async () => {
      const person = await createPerson(world.app, { roles: ['clerk'] });
      const token = await signIn(world.app, person);
      await world.app.as(root).patch(`/api/content/users/${person.id}`, { activated: false }).expect(200);
      return token;
    },
    'a key of a user with the permission': async () => keyOf(await tokenWith('clerk')),
    'a key with the scope': async () => keyOf(await tokenWith('clerk'), { scopes: [{ resource: 'acme.orders.list' }] }),
    'a key with another scope': async () => keyOf(await tokenWith('clerk'), { scopes: [{ resource: 'acme.soups.*' }] }),
    'a key with the scope of all': async () => keyOf(await tokenWith('clerk'), { scopes: [{ resource: '*' }] }),
    'a key of a user without the permission': async () => keyOf(await tokenWith('user')),
    'a key of a root user': () => keyOf(root),
    'a key of a service account': async () => (await makeServiceKey(world.app, root, ['clerk'])).key,
  };

  const ask = async (url: string, token: string | undefined): Promise<Answer> => {
    const answer = await fetch(url, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
    const body = (await answer.json()) as { data?: { error?: string } };
    return { status: answer.status, error: body.data?.error, body: answer.ok ? body : null };
  };

  it('are those of the package, on Nest 11', () => {
    const manifest = readFileSync(join(__dirname, '../../../packages/guards/package.json'), 'utf8');
    const { dependencies, peerDependencies } = JSON.parse(manifest) as Record<string, Record<string, string>>;
    expect(service.version).toMatch(/^11\./);
    expect(Object.keys(dependencies!)).toEqual(['jose']);
    for (const name of ['@nestjs/common', '@nestjs/core'])
      expect(['10.4.0', '11.0.0', '12.5.1'].map((one) => satisfies(one, peerDependencies![name]!))).toEqual([
        false,
        true,
        true,
      ]);
  });

  it.each(Object.keys(CALLERS))('make the same decision in Lintel and in a service on Nest 11: %s', async (name) => {
    const token = await CALLERS[name]!();
    for (const route of ROUTES) {
      const own = await ask(`${world.app.url}/api/${route}`, token);
      const elsewhere = await ask(`${service.url}/${route}`, token);
      const expected = REASONS.has(own.error ?? '') && elsewhere.error !== own.error ? 'permission_denied' : own.error;
      expect({ route, ...elsewhere }).toEqual({ route, ...own, error: expected });
    }
  });

  it('open a route for any signed-in user, with any permissions', async () => {
    const status = async (route: string, caller: string): Promise<number> =>
      (await ask(`${service.url}/${route}`, await CALLERS[caller]!())).status;
    expect(await status('table/authenticated', 'a user without roles')).toBe(200);
    expect(await status('table/own', 'a user without roles')).toBe(200);
    expect(await status('table/authenticated', 'a user who is denied everything')).toBe(200);
    expect(await status('table/own', 'a user who is denied auth.*')).toBe(403);
    expect(await status('table/authenticated', 'a key of a root user')).toBe(403);
    expect(await status('table/authenticated', 'a user without the factor that a role demands')).toBe(403);
    expect(await status('table/me', 'a user without the factor that a role demands')).toBe(200);
  });
});
