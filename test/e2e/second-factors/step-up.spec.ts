import { Controller, Get, Module } from '@nestjs/common';
import { DeclaresResources, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import { StepUp } from '../../../src/identity/auth/step-up/step-up.decorator.js';
import { PASSWORD, signedIn, signIn, createPerson } from '../../support/people.js';
import { addAuthenticator, codeAt, stepNow } from '../../support/second-factors.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

@Controller('api/acme/vault')
class VaultController {
  @Get()
  @Resource('acme.vault')
  @StepUp({ maxAge: 120 })
  open(): { open: true } {
    return { open: true };
  }
}

@DeclaresResources('acme.*')
@Module({ controllers: [VaultController] })
class VaultModule {}

describe('a step-up', () => {
  const world = useTestApp({ modules: [VaultModule] });
  let peer: TestApp;
  beforeAll(async () => {
    peer = await world.app.secondInstance({ modules: [VaultModule] });
  });
  afterAll(() => peer?.stop());

  const vault = (token: string, app = world.app) => app.as(token).get('/api/acme/vault');
  const errorOf = ({ body }: { body: unknown }) => (body as { data?: { error?: string } }).data?.error ?? null;
  const raise = (token: string, body: object) => world.app.as(token).post('/api/auth/mfa/step-up', body);

  it('is required by a route of a team as in RFC 9470, and the same token is valid after it on all instances', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    await vault(token).expect(200);
    await vault(token, peer).expect(200);
    world.app.clock.advance(121);
    const refused = await vault(token);
    expect([refused.status, errorOf(refused)]).toEqual([401, 'step_up_required']);
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_user_authentication", acr_values="level1", max_age="120"',
    );
    expect((await vault(token, peer)).status).toBe(401);
    await raise(token, { method: 'password', password: PASSWORD }).expect(200);
    await vault(token).expect(200);
    await vault(token, peer).expect(200);
  });

  it('needs the second factor if the account has one', async () => {
    const person = await createPerson(world.app, { roles: ['admin'] });
    const token = await signIn(world.app, person);
    const { secret } = await addAuthenticator(world.app, await signIn(world.app, person));
    world.app.clock.advance(30);
    const refused = await vault(token);
    expect(refused.headers['www-authenticate']).toContain('acr_values="level2"');
    await raise(token, { method: 'totp', code: codeAt(secret, stepNow(world.app)) }).expect(200);
    await vault(token, peer).expect(200);
  });

  it('is required after the permission check, so that it reveals nothing', async () => {
    const { token } = await signedIn(world.app);
    world.app.clock.advance(121);
    expect(errorOf(await vault(token))).toBe('permission_denied');
    expect((await world.app.asGuest().get('/api/acme/vault')).status).toBe(401);
  });

  describe('of an administrator with a second factor', () => {
    async function early() {
      const person = await createPerson(world.app, { roles: ['admin'] });
      const token = await signIn(world.app, person);
      const { secret } = await addAuthenticator(world.app, await signIn(world.app, person));
      world.app.clock.advance(30);
      return {
        token,
        prove: () => raise(token, { method: 'totp', code: codeAt(secret, stepNow(world.app)) }).expect(200),
      };
    }
    const definition = {
      name: 'fleeting',
      namespace: 'fleetings',
      label_field: 'a',
      fields: [{ type: 'string', name: 'a' }],
    };

    it.each<[string, (app: TestApp, token: string) => PromiseLike<{ status: number; body: unknown }>]>([
      ['a role', (app, token) => app.as(token).post('/api/content/roles', { name: `r${Math.random()}` })],
      [
        'a role in a batch',
        (app, token) =>
          app.as(token).post('/api/batch', {
            operations: [{ op: 'create', schema: 'role', data: { name: `r${Math.random()}` } }],
          }),
      ],
      [
        'roles of a file',
        (app, token) =>
          app
            .as(token)
            .post('/api/content/roles/import')
            .set('content-type', 'text/csv')
            .send(`name\nr${Math.random()}\nr${Math.random()}\n`),
      ],
      [
        'the roles of an account',
        async (app, token) => {
          const { id } = await createPerson(app);
          return app.as(token).patch(`/api/content/users/${id}`, { roles: [] });
        },
      ],
      [
        'the session of another',
        async (app, token) => {
          const { person } = await signedIn(app);
          const [row] = await app.sql<{ id: string }>('SELECT id FROM sessions WHERE user_id = $1', [person.id]);
          return app.as(token).delete(`/api/content/sessions/${row!.id}`);
        },
      ],
      [
        'the own address',
        (app, token) =>
          app.as(token).post('/api/auth/local/email/change', {
            new_email: `${Math.random()}@example.com`,
            current_password: PASSWORD,
          }),
      ],
      [
        'the factors of another',
        async (app, token) => {
          const other = await createPerson(app);
          await addAuthenticator(app, await signIn(app, other));
          return app.as(token).delete(`/api/mfa/${other.id}`);
        },
      ],
    ])('is required before a change of %s', async (_, change) => {
      const { token, prove } = await early();
      const refused = await change(world.app, token);
      expect([refused.status, errorOf(refused)]).toEqual([401, 'step_up_required']);
      await prove();
      expect((await change(world.app, token)).status).toBeLessThan(300);
    });

    it('is required before data is lost, and not for other schema changes', async () => {
      const { token, prove } = await early();
      await world.app.as(token).post('/api/schema', definition).expect(201);
      const drop = () => world.app.as(token).delete('/api/schema/fleeting?allow_data_loss=true');
      expect(errorOf(await drop())).toBe('step_up_required');
      await prove();
      await drop().expect(200);
    });
  });

  it('is visible to rules of records and routes', async () => {
    const { token: root } = await signedIn(world.app, { roles: ['admin'] });
    const definition = { name: 'note', namespace: 'notes', label_field: 'a', fields: [{ type: 'string', name: 'a' }] };
    await world.app.as(root).post('/api/schema', definition).expect(201);
    await world.app.as(root).post('/api/content/notes', { a: 'x' }).expect(201);
    const permissions = [
      { resource: 'content.note.list', value: 'auth.level >= 2' },
      { resource: 'content.note.get', value: "'totp' in auth.amr" },
      { resource: 'acme.vault', value: 'auth.level == 2' },
    ];
    await world.app.as(root).post('/api/content/roles', { name: 'careful', permissions }).expect(201);
    const person = await createPerson(world.app, { roles: ['careful'] });
    const [low, high] = [await signIn(world.app, person), await signIn(world.app, person)];
    const seen = async (token: string): Promise<unknown[]> => {
      const { body } = await world.app.as(token).get('/api/content/notes');
      return [
        (body as { data?: { items?: unknown[] } }).data?.items?.length ?? errorOf({ body }),
        (await vault(token)).status,
      ];
    };
    expect(await seen(low)).toEqual(['permission_denied', 403]);
    await addAuthenticator(world.app, high);
    expect(await seen(high)).toEqual([1, 200]);
    expect(await seen(low)).toEqual(['permission_denied', 403]);
    expect(await seen(high)).toEqual([1, 200]);
  });
});
