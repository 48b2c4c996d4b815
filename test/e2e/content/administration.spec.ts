import { personWith } from '../../support/content-fixture.js';
import { createPerson, PASSWORD, signedIn, signIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('roles, permissions and accounts over the content API', () => {
  const world = useTestApp();
  let root: TestClient;
  let rootId: string;
  let counter = 0;
  const roleId = async (name: string) =>
    (await world.app.sql<{ id: string }>('SELECT id FROM roles WHERE name = $1', [name]))[0]?.id ?? '';

  beforeAll(async () => {
    const { token, person } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    rootId = person.id;
  });

  it('a role is created with its permissions, which apply to the next request', async () => {
    const { person, token } = await signedIn(world.app);
    const client = world.app.as(token);
    await client.get('/api/content/roles').expect(403);
    const permissions = [
      { resource: 'content.role.list', value: "record.name == 'reader'", fields: { read: ['name'] } },
    ];
    const made = await root
      .post('/api/content/roles?select=id,permissions.resource', { name: 'reader', permissions })
      .expect(201);
    expect(made.body.data.permissions).toEqual([{ resource: 'content.role.list' }]);
    await root.patch(`/api/content/users/${person.id}`, { roles: { $add: [made.body.data.id] } }).expect(200);
    const { body } = await client.get('/api/content/roles').expect(200);
    expect(body.data.items).toEqual([{ name: 'reader' }]);
    await root.delete(`/api/content/roles/${made.body.data.id}`).expect(200);
    await client.get('/api/content/roles').expect(403);
  });

  it('a permission is validated by every route that writes it', async () => {
    const wrong = { resource: 'content.user.list', value: "record.email.matches('x')" };
    const role = (await root.post('/api/content/roles', { name: 'validated' }).expect(201)).body.data.id;
    const good = await root.post('/api/content/permissions', { ...wrong, value: 'allow', role }).expect(201);
    const operations = [{ op: 'create', schema: 'permission', data: { ...wrong, role } }];
    for (const request of [
      () => root.post('/api/content/permissions', { ...wrong, role }),
      () => root.post('/api/content/permissions', [{ ...wrong, role }]),
      () => root.patch(`/api/content/permissions/${good.body.data.id}`, wrong),
      () => root.patch(`/api/content/permissions/${good.body.data.id}`, { value: wrong.value }),
      () => root.post('/api/content/roles', { name: 'nested', permissions: [wrong] }),
      () => root.patch(`/api/content/roles/${role}`, { permissions: { $add: [wrong] } }),
      () => root.post('/api/batch', { operations }),
      () => root.post('/api/content/permissions', { role, resource: 'content..x', value: 'allow' }),
      () => root.post('/api/content/permissions', { role, resource: 'x', value: 'allow', fields: { read: 'all' } }),
    ]) {
      expect((await request().expect(400)).body.data.error).toBe('field_invalid');
    }
    expect(await world.app.sql(`SELECT 1 FROM permissions WHERE value LIKE '%matches%'`)).toEqual([]);
  });

  it.each(['*', 'content', 'content.*', 'content.user.list', 'content.later.get', 'auth.me', 'acme.orders.*'])(
    'rejects a value other than allow, deny or a rule: %s',
    async (resource) => {
      const role = (await root.post('/api/content/roles', { name: `about${(counter += 1)}` }).expect(201)).body.data.id;
      const { body } = await root.post('/api/content/permissions', { role, resource, value: 'deny' }).expect(201);
      const path = `/api/content/permissions/${body.data.id}`;
      const values = [
        'Deny',
        'DENY',
        ' deny',
        'deny\n',
        'allow ',
        'perhaps not',
        'denied',
        'record.',
        '1',
        '"deny"',
        'now',
        '',
      ];
      for (const value of values) {
        const operations = [{ op: 'update', schema: 'permission', id: body.data.id, data: { value } }];
        for (const request of [
          () => root.post('/api/content/permissions', { role, resource, value }),
          () => root.patch(path, { value }),
          () => root.put(path, { role, resource, value }),
          () => root.post('/api/batch', { operations }),
        ]) {
          const refused = await request().expect(400);
          expect(refused.body.data).toMatchObject({ error: 'field_invalid' });
          expect(JSON.stringify(refused.body.data.errors)).toContain('value');
        }
      }
      const stored = await world.app.sql('SELECT resource, value FROM permissions WHERE role_id = $1', [role]);
      expect(stored).toEqual([{ resource, value: 'deny' }]);
    },
  );

  it('a change of one member is validated together with the others', async () => {
    const role = (await root.post('/api/content/roles', { name: 'whole' }).expect(201)).body.data.id;
    const rule = { role, resource: 'content.user.get', value: 'record.id == auth.id' };
    const { body } = await root.post('/api/content/permissions', rule).expect(201);
    const path = `/api/content/permissions/${body.data.id}`;
    await root.patch(path, { resource: 'auth.me' }).expect(400);
    await root.patch(path, { resource: 'content.role.get' }).expect(200);
    await root.patch(path, { value: 'record.email == auth.email' }).expect(400);
    await root.patch(path, { value: "record.name == 'user'" }).expect(200);
  });

  it('names the value that is taken', async () => {
    const taken = await root.post('/api/content/roles', { name: 'admin' }).expect(409);
    expect(taken.body.data.errors[0].field).toBe('name');
    const person = await createPerson(world.app, { username: 'ada' });
    for (const [body, field] of [
      [{ email: person.email.toUpperCase() }, 'email'],
      [{ email: 'new@example.com', username: 'ADA' }, 'username'],
    ] as const) {
      const refused = await root.post('/api/content/users', body).expect(409);
      expect(refused.body.data.errors).toEqual([{ field, code: 'unique_violation', message: expect.any(String) }]);
    }
  });

  it('built-in roles cannot be renamed', async () => {
    for (const name of ['admin', 'user', 'guest']) {
      const path = `/api/content/roles/${await roleId(name)}`;
      const { body } = await root.patch(path, { name: `${name}s` }).expect(400);
      expect(body.data.errors).toEqual([{ field: 'name', code: 'immutable', message: expect.any(String) }]);
      await root.patch(path, { name, description: 'changed' }).expect(200);
      await root.delete(path).expect(409);
    }
  });

  it.each([
    { email_key: 'x' },
    { username_key: 'x' },
    { password_hash: 'x' },
    { activated_at: 'now' },
    { sessions: [] },
    { sessions: { $add: [{ provider: 'x' }] } },
    { identities: [] },
  ])('root cannot write %j', async (fields) => {
    const { id } = await createPerson(world.app);
    await root.patch(`/api/content/users/${id}`, fields).expect(400);
    await root.post('/api/content/users', { email: 'x@example.com', ...fields }).expect(400);
  });

  it.each(['short', 'x'.repeat(257), 'password', '', 5, null, ['sturdy walnut 47'], { $ne: null }])(
    'rejects %j as a password',
    async (password) => {
      const { id, email } = await createPerson(world.app);
      await root.patch(`/api/content/users/${id}`, { password }).expect(400);
      await root.post('/api/content/users', { email: 'x@example.com', password }).expect(400);
      expect(await signIn(world.app, { email, password: PASSWORD })).toBeTruthy();
    },
  );

  it('a password is hashed by every write path and returned by none', async () => {
    const password = 'hashed walnut 50';
    const role = await roleId('user');
    const email = (at: number) => `path${at}@example.com`;
    const answers = [
      await root.post('/api/content/users', { email: email(1), password, activated: true }).expect(201),
      await root.post('/api/content/users', [{ email: email(2), password, activated: true }]).expect(201),
      await root
        .post('/api/batch', {
          operations: [{ op: 'create', schema: 'user', data: { email: email(3), password, activated: true } }],
        })
        .expect(200),
    ];
    const { id } = await createPerson(world.app, { email: email(4) });
    answers.push(
      await root
        .put(`/api/content/users/${id}`, { email: email(4), password, activated: true, roles: [role] })
        .expect(200),
    );
    const other = await createPerson(world.app, { email: email(5) });
    const filter = encodeURIComponent(JSON.stringify({ id: other.id }));
    answers.push(await root.patch(`/api/content/users?filter=${filter}`, { password }).expect(200));
    for (const at of [1, 2, 3, 4, 5]) expect(await signIn(world.app, { email: email(at), password })).toBeTruthy();
    const rows = await world.app.sql<{ password_hash: string }>(
      `SELECT password_hash FROM users WHERE email LIKE 'path%'`,
    );
    for (const { password_hash } of rows) expect(password_hash).toMatch(/^\$argon2id\$/);
    const output = JSON.stringify([answers.map(({ body }) => body as unknown), world.app.log]);
    expect(output).not.toContain(password);
    expect(output).not.toContain('argon2id');
  });

  it('one root account stays active when administrators deactivate each other at the same time', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => signedIn(world.app, { roles: ['admin'] })));
    const admins = [
      ...others.map(({ person, token }) => ({ id: person.id, client: world.app.as(token) })),
      { id: rootId, client: root },
    ];
    await Promise.all(
      admins.flatMap(({ client }, at) => {
        const next = admins[(at + 1) % admins.length];
        const path = `/api/content/users/${next?.id}`;
        return [client.patch(path, { activated: false }), client.delete(path), client.patch(path, { roles: [] })];
      }),
    );
    const left = await world.app.sql(
      'SELECT 1 FROM users u JOIN user_roles ur ON ur.user_id = u.id JOIN roles r ON r.id = ur.role_id WHERE r.root AND u.activated',
    );
    expect(left.length).toBeGreaterThan(0);
  });

  it('a caller cannot create an account with more rights than its own', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.user.*', value: 'allow', fields: { write: ['email', 'first_name'] } },
    ]);
    await client.post('/api/content/users', { email: 'plain@example.com', first_name: 'P' }).expect(201);
    for (const more of [{ activated: true }, { password: PASSWORD }, { roles: [] }, { provider: 'x' }])
      await client.post('/api/content/users', { email: 'more@example.com', ...more }).expect(400);
    expect(await world.app.sql(`SELECT 1 FROM users WHERE email = 'more@example.com'`)).toEqual([]);
  });
});
