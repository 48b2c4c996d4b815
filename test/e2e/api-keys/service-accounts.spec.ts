import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';
import { AccountService } from '../../../src/identity/auth/account.service.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { SignInService } from '../../../src/identity/auth/sign-in/sign-in.service.js';
import { makeKey, makeServiceKey, outcome, tally } from '../../support/api-keys.js';
import { useMailedApp } from '../../support/mailbox.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { PASSWORD, signedIn } from '../../support/people.js';

const ACCOUNTS = '/api/service-accounts';
const USERS = '/api/content/users';
const NOBODYS = '01900000-0000-7000-8000-000000000000';

describe('a service account', () => {
  const world = useMailedApp({ env: { AUTH_OTP_ENABLED: 'true' } });
  const administrator = () => signedIn(world.app, { roles: ['admin'] });

  it('has a name and roles, and authenticates by its keys', async () => {
    const { token } = await administrator();
    const root = world.app.as(token);
    const made = await root.post(ACCOUNTS, { name: 'reports', roles: ['user', 'admin'] }).expect(201);
    const { data } = made.body;
    expect(data).toEqual({
      id: expect.any(String),
      name: 'reports',
      roles: ['admin', 'user'],
      activated: true,
      created_at: expect.stringMatching(/Z$/),
    });
    expect((await root.get(ACCOUNTS).expect(200)).body.data).toContainEqual(data);
    const key = await root
      .post(`${ACCOUNTS}/${data.id}/keys`, { name: 'k', expires_in_days: null, current_password: PASSWORD })
      .expect(201);
    expect(key.body.data).toMatchObject({ key: expect.stringMatching(/^lin_svc_[0-9A-Za-z]{36}$/), expires_at: null });
    await world.app.as(key.body.data.key).get(USERS).expect(200);
    const { key: secret, ...listed } = key.body.data;
    expect((await root.get(`${ACCOUNTS}/${data.id}/keys`).expect(200)).body).toEqual({ data: [listed] });
    world.app.clock.advance(3_650 * 86_400);
    await world.app.as(secret).get(USERS).expect(200);
  });

  it('has the rights of its roles, and its key may have fewer', async () => {
    const { token } = await administrator();
    await world.app
      .get(RoleSeeder)
      .seed([{ name: 'reader', permissions: [{ resource: 'content.user.*', value: 'allow', fields: null }] }]);
    const { key } = await makeServiceKey(world.app, token, ['reader'], { scopes: [{ resource: 'content.user.list' }] });
    await world.app.as(key).get(USERS).expect(200);
    expect(outcome(await world.app.as(key).get(`${USERS}/${NOBODYS}`))).toEqual([403, 'permission_denied']);
    expect(outcome(await world.app.as(key).get('/api/content/roles'))).toEqual([403, 'permission_denied']);
  });

  it('accepts roles by their ids, too', async () => {
    const { token } = await administrator();
    const [role] = await world.app.sql<{ id: string }>(`SELECT id FROM roles WHERE name = 'user'`);
    const made = await world.app
      .as(token)
      .post(ACCOUNTS, { name: 'x', roles: [role!.id] })
      .expect(201);
    expect(made.body.data.roles).toEqual(['user']);
  });

  it.each([
    [{ roles: [] }, 'name', 'required'],
    [{ name: 'x' }, 'roles', 'required'],
    [{ name: 'x', roles: 'user' }, 'roles', 'type_invalid'],
    [{ name: 'x', roles: [{ id: NOBODYS }] }, 'roles', 'type_invalid'],
    [{ name: 'x', roles: ['user', 'no such'] }, 'roles.1', 'role_unknown'],
    [{ name: 'x', roles: [NOBODYS] }, 'roles.0', 'role_unknown'],
    [{ name: 'x', roles: ["'; DROP TABLE users; --"] }, 'roles.0', 'role_unknown'],
  ])('is not created with %j', async (body, field, code) => {
    const { token } = await administrator();
    const answer = await world.app.as(token).post(ACCOUNTS, body).expect(422);
    expect(answer.body.data.errors).toEqual([{ field, code, message: expect.any(String) }]);
  });

  it('cannot sign in: it has no address, password, code or session', async () => {
    const { token } = await administrator();
    const { accountId } = await makeServiceKey(world.app, token, ['admin']);
    const [row] = await world.app.sql<{ email: string; username: null; password_hash: null }>(
      'SELECT email, username, password_hash FROM users WHERE id = $1',
      [accountId],
    );
    expect(row).toMatchObject({ username: null, password_hash: null });
    const guest = world.app.asGuest();
    const before = world.mailbox.attempts.length;
    for (const email of [row!.email, `${row!.email}@example.com`, accountId]) {
      expect((await guest.post('/api/auth/local/login', { login: email, password: PASSWORD })).status).toBe(401);
      await guest.post('/api/auth/local/recover', { email });
      await guest.post('/api/auth/otp/request', { email });
      await guest.post('/api/auth/local/activate/send', { email });
    }
    await world.app.get(JobWorker).drain();
    expect(world.mailbox.attempts).toHaveLength(before);
  });

  it('starts no session even if the database has an address and a password for it', async () => {
    const { token } = await administrator();
    const { accountId } = await makeServiceKey(world.app, token, ['user']);
    const email = 'program@example.com';
    const body = { email, password: PASSWORD, email_verified_at: 'now' };
    expect(outcome(await world.app.as(token).patch(`${USERS}/${accountId}`, body))).toEqual([400, 'field_invalid']);
    const passwordHash = await world.app.get(PasswordHasher).hash(PASSWORD);
    await world.app.sql(
      'UPDATE users SET email = $2, email_key = $2, password_hash = $3, email_verified_at = now() WHERE id = $1',
      [accountId, email, passwordHash],
    );
    const login = await world.app.asGuest().post('/api/auth/local/login', { login: email, password: PASSWORD });
    expect(outcome(login)).toEqual([401, 'invalid_credentials']);
    const proven = { userId: accountId, provider: 'local', client: { address: '::1', device: null } };
    const [row] = await world.app.sql<{ credentials_version: number }>(
      'SELECT credentials_version FROM users WHERE id = $1',
      [accountId],
    );
    await expect(
      world.app
        .get(SignInService)
        .complete(() => ({ ...proven, credentialsVersion: row!.credentials_version, activated: true })),
    ).rejects.toMatchObject({ code: 'invalid_credentials' });
    expect(await world.app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [accountId])).toEqual([]);
  });

  it('does not count as the last administrator', async () => {
    const { token, person } = await administrator();
    await makeServiceKey(world.app, token, ['admin']);
    await world.app.sql(
      `DELETE FROM users u USING user_roles ur JOIN roles r ON r.id = ur.role_id
       WHERE ur.user_id = u.id AND r.root AND u.id <> $1 AND u.provider <> 'service'`,
      [person.id],
    );
    const shut = await world.app.as(token).patch(`${USERS}/${person.id}`, { activated: false });
    expect(outcome(shut)).toEqual([409, 'last_root_account']);
  });

  it('is deactivated like users, with its keys, immediately', async () => {
    const { token } = await administrator();
    const { key, accountId } = await makeServiceKey(world.app, token, ['admin']);
    await world.app.as(key).get(USERS).expect(200);
    await world.app.as(token).patch(`${USERS}/${accountId}`, { activated: false }).expect(200);
    expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_invalid']);
  });

  it('gets no password from the command line, and keeps its keys', async () => {
    const { token } = await administrator();
    const { key, accountId } = await makeServiceKey(world.app, token, ['admin']);
    const reset = world.app.get(AccountService).setPassword(accountId, PASSWORD);
    await expect(reset).rejects.toMatchObject({ code: 'not_a_local_account' });
    await world.app.as(key).get(USERS).expect(200);
  });

  it('is deleted with its keys', async () => {
    const { token } = await administrator();
    const { key, accountId } = await makeServiceKey(world.app, token, ['admin']);
    await world.app.as(key).get(USERS).expect(200);
    await world.app.as(token).delete(`${ACCOUNTS}/${accountId}`).expect(200);
    expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_invalid']);
    expect(await world.app.sql('SELECT 1 FROM api_keys WHERE user_id = $1', [accountId])).toEqual([]);
    expect(outcome(await world.app.as(token).delete(`${ACCOUNTS}/${accountId}`))).toEqual([
      404,
      'service_account_not_found',
    ]);
  });

  it('is not a user, and a user is not a service account', async () => {
    const { token, person } = await administrator();
    const root = world.app.as(token);
    for (const id of [person.id, NOBODYS, 'x', "x' OR 1=1 --"]) {
      const path = `${ACCOUNTS}/${encodeURIComponent(id)}`;
      for (const request of [
        root.delete(path),
        root.get(`${path}/keys`),
        root.post(`${path}/keys`, { name: 'x', current_password: PASSWORD }),
        root.post(`${path}/keys/${NOBODYS}/rotate`, { current_password: PASSWORD }),
        root.delete(`${path}/keys/${NOBODYS}`),
      ])
        expect(outcome(await request)).toEqual([404, 'service_account_not_found']);
    }
    await root.get('/api/auth/me').expect(200);
  });

  it('has keys that can be rotated and revoked', async () => {
    const { token } = await administrator();
    const root = world.app.as(token);
    const { key, id, accountId } = await makeServiceKey(world.app, token, ['admin']);
    const keys = `${ACCOUNTS}/${accountId}/keys`;
    await root.post('/api/auth/mfa/step-up', { method: 'password', password: PASSWORD }).expect(200);
    const rotations = await Promise.all(
      Array.from({ length: 16 }, () => root.post(`${keys}/${id}/rotate`, { overlap_hours: 1 })),
    );
    expect(tally(rotations)).toEqual({ '201': 1, '409 key_rotated': 15 });
    const next = rotations.find(({ status }) => status === 201)!.body.data as { id: string; key: string };
    for (const one of [key, next.key]) await world.app.as(one).get(USERS).expect(200);
    await root.delete(`${keys}/${next.id}`).expect(200);
    expect(outcome(await world.app.as(next.key).get(USERS))).toEqual([401, 'key_invalid']);
    expect(outcome(await root.delete(`${keys}/${next.id}`))).toEqual([404, 'key_not_found']);
    const own = await makeKey(world.app, token);
    expect(outcome(await root.delete(`${keys}/${own.id}`))).toEqual([404, 'key_not_found']);
    expect(outcome(await root.delete(`/api/auth/keys/${id}`))).toEqual([404, 'key_not_found']);
  });

  it('gets a key only after a fresh proof', async () => {
    const { token, person } = await administrator();
    const { accountId } = await makeServiceKey(world.app, token, ['user']);
    const ask = (body: object) => world.app.as(token).post(`${ACCOUNTS}/${accountId}/keys`, { name: 'x', ...body });
    expect(outcome(await ask({}))).toEqual([401, 'step_up_required']);
    await ask({ current_password: person.password }).expect(201);
  });

  describe('of a caller who is not root', () => {
    const manage = async () => {
      await world.app
        .get(RoleSeeder)
        .seed([{ name: 'keeper', permissions: [{ resource: 'service-accounts.*', value: 'allow', fields: null }] }]);
      return world.app.as((await signedIn(world.app, { roles: ['keeper'] })).token);
    };

    it('is created and changed with a permission', async () => {
      const keeper = await manage();
      const made = await keeper.post(ACCOUNTS, { name: 'x', roles: ['user'] }).expect(201);
      await keeper.post(`${ACCOUNTS}/${made.body.data.id}/keys`, { name: 'x', current_password: PASSWORD }).expect(201);
      await keeper.delete(`${ACCOUNTS}/${made.body.data.id}`).expect(200);
    });

    it('cannot be root, and gives no key to a root account', async () => {
      const keeper = await manage();
      const { token } = await administrator();
      const { accountId, id, key } = await makeServiceKey(world.app, token, ['admin']);
      const path = `${ACCOUNTS}/${accountId}`;
      for (const request of [
        keeper.post(ACCOUNTS, { name: 'x', roles: ['admin'] }),
        keeper.post(ACCOUNTS, { name: 'x', roles: ['user', 'admin'] }),
        keeper.post(`${path}/keys`, { name: 'x', current_password: PASSWORD }),
        keeper.post(`${path}/keys/${id}/rotate`, { current_password: PASSWORD }),
        keeper.delete(`${path}/keys/${id}`),
        keeper.delete(path),
      ])
        expect(outcome(await request)).toEqual([403, 'permission_denied']);
      await world.app.as(key).get(USERS).expect(200);
    });

    it('is rejected without a permission', async () => {
      const client = world.app.as((await signedIn(world.app)).token);
      for (const request of [client.get(ACCOUNTS), client.post(ACCOUNTS, { name: 'x', roles: [] })])
        expect(outcome(await request)).toEqual([403, 'permission_denied']);
      expect(outcome(await world.app.asGuest().get(ACCOUNTS))).toEqual([401, 'token_missing']);
    });
  });
});
