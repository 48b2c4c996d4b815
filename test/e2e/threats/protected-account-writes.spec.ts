import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { makeKey, makeServiceKey, outcome } from '../../support/api-keys.js';
import { createPerson, PASSWORD, signedIn, signIn } from '../../support/people.js';
import { addAuthenticator, codeAt, secured, stepNow } from '../../support/second-factors.js';
import { useTestApp } from '../../support/test-app.js';

const USERS = '/api/content/users';
const ACCOUNTS = '/api/service-accounts';
const NEW = 'mellow pecan 12';
const DAY = 86_400;

describe('an unscoped key of a root account', () => {
  const world = useTestApp();

  async function rootKey() {
    const { person, token } = await signedIn(world.app, { roles: ['admin'] });
    const { key } = await makeKey(world.app, token);
    const [role] = await world.app.sql<{ id: string }>(`SELECT id::text FROM roles WHERE name = 'admin'`);
    return { person, client: world.app.as(key), role: role!.id };
  }

  it('cannot set a password or address, by any route that writes accounts', async () => {
    const { person, client } = await rootKey();
    const { person: other } = await signedIn(world.app);
    const batch = (data: object) => ({ operations: [{ method: 'update', schema: 'user', id: person.id, data }] });
    const email = `taken${Math.random()}@example.com`;
    for (const request of [
      client.patch(`${USERS}/${person.id}`, { password: NEW }),
      client.patch(`${USERS}/${other.id}`, { password: NEW }),
      client.patch(`${USERS}/${person.id}`, { email }),
      client.patch(`${USERS}/${person.id}`, { first_name: 'Ann', password: NEW }),
      client.post(USERS, { email, password: NEW, activated: true }),
      client.post(USERS, [{ email, password: NEW, activated: true }]),
    ])
      expect(outcome(await request)).toEqual([403, 'permission_denied']);
    const batched = await client.post('/api/content/batch', batch({ password: NEW }));
    expect(batched.status).toBeGreaterThanOrEqual(400);
    const login = { login: person.email, password: NEW };
    await world.app.asGuest().post('/api/auth/local/login', login).expect(401);
    await signIn(world.app, person);
    expect(await world.app.sql('SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
  });

  it('cannot create or promote a root account', async () => {
    const { client, role } = await rootKey();
    const { person: other } = await signedIn(world.app);
    const email = `root${Math.random()}@example.com`;
    const roles = [{ id: role }];
    expect(outcome(await client.post(USERS, { email, activated: true, roles }))).toEqual([403, 'permission_denied']);
    expect(outcome(await client.patch(`${USERS}/${other.id}`, { roles }))).toEqual([403, 'permission_denied']);
    expect(await world.app.sql('SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
  });

  it('can create and change other accounts', async () => {
    const { client } = await rootKey();
    const email = `plain${Math.random()}@example.com`;
    const made = await client.post(USERS, { email, activated: true }).expect(201);
    const { id } = (made.body as { data: { id: string } }).data;
    await client.patch(`${USERS}/${id}`, { first_name: 'Ann', email: email.toUpperCase() }).expect(200);
  });
});

describe('a service account', () => {
  const world = useTestApp();

  it.each([
    { password: PASSWORD },
    { email: 'program@example.com' },
    { username: 'program' },
    { invite: true },
    { email_verified_at: '2026-01-01T00:00:00Z' },
  ])('rejects %j', async (body) => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const { accountId } = await makeServiceKey(world.app, token, []);
    const before = await world.app.sql('SELECT * FROM users WHERE id = $1', [accountId]);
    const answer = await world.app.as(token).patch(`${USERS}/${accountId}`, body);
    expect(answer.status).toBe(400);
    expect((answer.body as { data: { errors: object[] } }).data.errors).toMatchObject([
      { field: Object.keys(body)[0] },
    ]);
    expect(await world.app.sql('SELECT * FROM users WHERE id = $1', [accountId])).toEqual(before);
  });

  it('cannot be created as a record', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const body = { email: 'program@example.com', provider: 'service', password: PASSWORD, activated: true };
    expect((await world.app.as(token).post(USERS, body)).status).toBe(400);
  });

  it('gets only roles that the caller has, unless the caller may assign any', async () => {
    const fields = null;
    const allow = (resource: string) => ({ resource, value: 'allow', fields });
    const keeping = ['create', 'list', 'delete', 'keys.create'].map((name) => allow(`service-accounts.${name}`));
    await world.app.get(RoleSeeder).seed([
      { name: 'narrow', permissions: [...keeping, allow('content.user.update'), allow('content.user.get')] },
      { name: 'wide', permissions: [...keeping, allow('service-accounts.assign-any-role')] },
      { name: 'strong', permissions: [allow('content.user.list')] },
    ]);
    const as = async (...roles: string[]) => world.app.as((await signedIn(world.app, { roles })).token);
    const narrow = await as('narrow');
    const make = (roles: string[]) => ({ name: 'x', roles });
    expect(outcome(await narrow.post(ACCOUNTS, make(['strong'])))).toEqual([403, 'permission_denied']);
    expect(outcome(await narrow.post(ACCOUNTS, make(['narrow', 'strong'])))).toEqual([403, 'permission_denied']);
    await narrow.post(ACCOUNTS, make(['narrow'])).expect(201);
    await (await as('narrow', 'strong')).post(ACCOUNTS, make(['strong'])).expect(201);
    const made = await (await as('wide')).post(ACCOUNTS, make(['strong'])).expect(201);
    const { id } = (made.body as { data: { id: string } }).data;
    const key = { name: 'x', current_password: PASSWORD };
    expect(outcome(await narrow.post(`${ACCOUNTS}/${id}/keys`, key))).toEqual([403, 'permission_denied']);
  });
});

describe('an administrator with a second factor', () => {
  const world = useTestApp();

  it.each([
    [
      'deactivates an account',
      async (target: string) => ['patch', `${USERS}/${target}`, { activated: false }] as const,
    ],
    ['deletes an account', async (target: string) => ['delete', `${USERS}/${target}`, undefined] as const],
    [
      'changes a username',
      async (target: string) => ['patch', `${USERS}/${target}`, { username: 'somebody' }] as const,
    ],
    ['creates a service account with roles', async () => ['post', ACCOUNTS, { name: 'x', roles: ['user'] }] as const],
  ])('%s only after a step-up', async (_, request) => {
    const admin = await createPerson(world.app, { roles: ['admin'] });
    const token = await signIn(world.app, admin);
    const { secret } = await addAuthenticator(world.app, token);
    const target = await createPerson(world.app);
    world.app.clock.advance(601);
    const client = world.app.as(token);
    const [method, path, body] = await request(target.id);
    const ask = () => (method === 'delete' ? client.delete(path) : client[method](path, body));
    expect(outcome(await ask())).toEqual([401, 'step_up_required']);
    const code = codeAt(secret, stepNow(world.app));
    await client.post('/api/auth/mfa/step-up', { method: 'totp', code }).expect(200);
    expect((await ask()).status).toBeLessThan(300);
  });
});

describe('a scheduled removal of second factors', () => {
  const world = useTestApp({ env: { AUTH_MFA_RESET_DELAY: String(DAY) } });

  it.each([
    ['was deactivated', (id: string) => world.app.sql('UPDATE users SET activated = false WHERE id = $1', [id])],
    ['lost the role', (id: string) => world.app.sql('DELETE FROM user_roles WHERE user_id = $1', [id])],
    ['was deleted', (id: string) => world.app.sql('DELETE FROM users WHERE id = $1', [id])],
  ])('does not run if the administrator %s', async (_, happens) => {
    const { person } = await secured(world.app);
    const admin = await signedIn(world.app, { roles: ['admin'] });
    await world.app.as(admin.token).delete(`/api/mfa/${person.id}`).expect(200);
    await happens(admin.person.id);
    world.app.clock.advance(DAY + 1);
    await world.app.get(JobWorker).drain();
    expect(await world.app.sql('SELECT 1 FROM totp_factors WHERE user_id = $1', [person.id])).toHaveLength(1);
  });
});
