import { personWith } from '../../support/content-fixture.js';
import { createPerson, PASSWORD, signedIn, signIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('accounts over the content API', () => {
  const world = useTestApp();
  let root: TestClient;
  let rootId: string;
  const login = (email: string, password: string) =>
    world.app.asGuest().post('/api/auth/local/login', { login: email, password });
  const roleId = async (name: string) => {
    const [row] = await world.app.sql<{ id: string }>('SELECT id FROM roles WHERE name = $1', [name]);
    return row?.id ?? '';
  };

  beforeAll(async () => {
    const { token, person } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    rootId = person.id;
  });

  it('an administrator creates an account with a hashed password, which can sign in', async () => {
    const { body } = await root
      .post('/api/content/users', {
        email: 'New@Example.com',
        username: 'New.One',
        password: PASSWORD,
        activated: true,
      })
      .expect(201);
    expect(JSON.stringify(body)).not.toMatch(/password|argon2/);
    const [row] = await world.app.sql<Record<string, string>>('SELECT * FROM users WHERE id = $1', [body.data.id]);
    expect(row?.['password_hash']).toMatch(/^\$argon2id\$/);
    await login('new@example.com', PASSWORD).expect(200);
    await login('new.one', PASSWORD).expect(200);
    const roles = await root.get(`/api/content/users/${body.data.id}?select=roles.name`).expect(200);
    expect(roles.body.data.roles).toEqual([{ name: 'user' }]);
    const taken = await root.post('/api/content/users', { email: 'new@EXAMPLE.com' }).expect(409);
    expect(taken.body.data).toMatchObject({ error: 'unique_violation', errors: [{ field: 'email' }] });
  });

  it.each([
    [{ email: 'not an address' }, 'email'],
    [{ email: 'a@example.com', password: 'short' }, 'password'],
    [{ email: 'a@example.com', password: 'password1' }, 'password'],
    [{ email: 'a@example.com', password: null }, 'password'],
    [{ email: 'a@example.com', username: 'b@example.com' }, 'username'],
    [{ email: 'a@example.com', password_hash: 'x' }, 'password_hash'],
    [{ email: 'a@example.com', email_key: 'x' }, 'email_key'],
  ])('rejects %j', async (body, field) => {
    const response = await root.post('/api/content/users', body).expect(400);
    expect(response.body.data.errors[0].field).toBe(field);
  });

  it('deactivation and activation apply immediately and revoke sessions', async () => {
    const { person, token } = await signedIn(world.app);
    const path = `/api/content/users/${person.id}`;
    await world.app.as(token).get('/api/auth/me').expect(200);
    await root.patch(path, { activated: false }).expect(200);
    await world.app.as(token).get('/api/auth/me').expect(401);
    await login(person.email, PASSWORD).expect(401);
    await root.patch(path, { activated: true }).expect(200);
    await login(person.email, PASSWORD).expect(200);
  });

  it('a new password revokes the sessions of the account', async () => {
    const { person, token } = await signedIn(world.app);
    await root.patch(`/api/content/users/${person.id}`, { password: 'another walnut 48' }).expect(200);
    await world.app.as(token).get('/api/auth/me').expect(401);
    await login(person.email, PASSWORD).expect(401);
    await login(person.email, 'another walnut 48').expect(200);
  });

  it('a change of roles applies to the next request', async () => {
    const { person, token } = await signedIn(world.app);
    const client = world.app.as(token);
    await client.get('/api/content/users').expect(403);
    await root.patch(`/api/content/users/${person.id}`, { roles: { $add: [await roleId('admin')] } }).expect(200);
    await client.get('/api/content/users').expect(200);
    await root.patch(`/api/content/users/${person.id}`, { roles: { $remove: [await roleId('admin')] } }).expect(200);
    await client.get('/api/content/users').expect(403);
  });

  it('a deletion removes the account and its sessions', async () => {
    const { person, token } = await signedIn(world.app);
    await root.delete(`/api/content/users/${person.id}`).expect(200);
    await world.app.as(token).get('/api/auth/me').expect(401);
    expect(await world.app.sql('SELECT 1 FROM users WHERE id = $1', [person.id])).toEqual([]);
  });

  it('the last root account cannot be deleted', async () => {
    const path = `/api/content/users/${rootId}`;
    const admin = await roleId('admin');
    const attempts = [
      root.patch(path, { activated: false }),
      root.patch(path, { roles: [] }),
      root.patch(path, { roles: { $remove: [admin] } }),
      root.delete(path),
      root.patch(`/api/content/roles/${admin}`, { root: false }),
    ];
    for (const attempt of attempts) {
      const { body } = await attempt.expect(409);
      expect(body.data.error).toBe('last_root_account');
    }
    await root.delete(`/api/content/roles/${admin}`).expect(409);
    await root.get('/api/auth/me').expect(200);
  });

  it('guests do not become root', async () => {
    await root.patch(`/api/content/roles/${await roleId('guest')}`, { root: true }).expect(400);
    await world.app.asGuest().get('/api/content/users').expect(401);
  });

  describe('for callers without the root role', () => {
    const all = [{ resource: 'content.*', value: 'allow' }];

    it('protected fields need a permission that names them', async () => {
      const { client, id } = await personWith(world.app, all);
      await client.patch(`/api/content/users/${id}`, { first_name: 'Me' }).expect(200);
      const attacks: Record<string, unknown>[] = [
        { roles: [await roleId('admin')] },
        { roles: { $add: [await roleId('admin')] } },
        { activated: true },
        { password: PASSWORD },
        { email: 'x@example.com' },
        { email_verified_at: 'now' },
        { provider: 'x' },
        { created_at: 'now' },
        { roles: [{ name: 'mine', root: true }] },
      ];
      for (const attack of attacks) await client.patch(`/api/content/users/${id}`, attack).expect(400);
      await client.patch(`/api/content/roles/${await roleId('user')}`, { root: true }).expect(403);
      await client
        .post('/api/content/permissions', { resource: '*', value: 'allow', role: await roleId('user') })
        .expect(403);
      await client.post('/api/content/sessions', {}).expect(403);
      await client.get('/api/content/users').expect(200);
    });

    it('a delegate cannot create or take over a root account', async () => {
      const named = { write: ['email', 'password', 'activated', 'roles', 'first_name'] };
      const { client, id } = await personWith(world.app, [
        ...all,
        { resource: 'content.user.*', value: 'allow', fields: named },
      ]);
      const other = await createPerson(world.app);
      await client.patch(`/api/content/users/${other.id}`, { password: 'another walnut 48' }).expect(200);
      const admin = await roleId('admin');
      await client.patch(`/api/content/users/${id}`, { roles: { $add: [admin] } }).expect(403);
      await client.post('/api/content/users', { email: 'evil@example.com', roles: [admin] }).expect(403);
      await client.patch(`/api/content/users/${rootId}`, { password: 'another walnut 48' }).expect(403);
      await client.patch(`/api/content/users/${rootId}`, { first_name: 'x' }).expect(403);
      await client.delete(`/api/content/users/${rootId}`).expect(403);
      expect(await signIn(world.app, { email: other.email, password: 'another walnut 48' })).toBeTruthy();
    });
  });

  it('permissions are checked when they are saved, and apply to the next request', async () => {
    const user = await roleId('user');
    const { token } = await signedIn(world.app);
    const wrong = await root
      .post('/api/content/permissions', {
        role: user,
        resource: 'content.user.list',
        value: "record.email.matches('x')",
      })
      .expect(400);
    expect(wrong.body.data.errors[0]).toMatchObject({ field: 'value' });
    await world.app.as(token).get('/api/content/users').expect(403);
    const made = await root
      .post('/api/content/permissions', { role: user, resource: 'content.user.list', value: 'record.id == auth.id' })
      .expect(201);
    const { body } = await world.app.as(token).get('/api/content/users').expect(200);
    expect(body.data.total).toBe(1);
    await root.delete(`/api/content/permissions/${made.body.data.id}`).expect(200);
    await world.app.as(token).get('/api/content/users').expect(403);
  });
});
