import type { Response } from 'supertest';
import { outcome, tally } from '../../support/api-keys.js';
import { personWith } from '../../support/content-fixture.js';
import { useMailedApp } from '../../support/mailbox.js';
import { PASSWORD, signedIn, signIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const USERS = '/api/content/users';
const ACCEPT = '/api/auth/invitations/accept';

describe('invitations', () => {
  const world = useMailedApp({ env: { AUTH: '{"providers":{"local":{"activation_method":"email"}}}' } });
  let root: TestClient;
  let counter = 0;

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
  });

  const address = (): string => `guest${(counter += 1)}@example.com`;
  const accept = (token: string, more: object = {}) =>
    world.app.asGuest().post(ACCEPT, { token, password: PASSWORD, password_confirmation: PASSWORD, ...more });
  const isValid = async (token: string): Promise<unknown> =>
    (await world.app.asGuest().post('/api/auth/invitations/check', { token }).expect(200)).body;
  const login = (email: string, password = PASSWORD) =>
    world.app.asGuest().post('/api/auth/local/login', { login: email, password });
  async function tokenIn(email: string): Promise<string> {
    const link = (await world.mailTo(email)).links.find((one) => one.includes('token='));
    expect(link).toContain('http://lintel.test/dash/invitation?token=');
    return new URL(link!).searchParams.get('token')!;
  }
  async function invite(email = address(), values: object = {}, client = root) {
    const { body } = await client.post(USERS, { email, invite: true, ...values }).expect(201);
    return { id: (body as { data: { id: string } }).data.id, email, token: await tokenIn(email) };
  }

  it('let the user choose the password, and sign in', async () => {
    const { id, email, token } = await invite(address(), { first_name: 'Gil' });
    const mail = await world.mailTo(email);
    expect(mail.subject).toBe('You are invited to Lintel');
    expect(mail.text).toContain('Hello Gil');
    expect(mail.text).toContain('7 days');
    expect(outcome(await login(email))).toEqual([401, 'invalid_credentials']);
    expect(await isValid(token)).toEqual({ valid: true });
    expect((await accept(token).expect(200)).body).toEqual({ data: true });
    const me = (await world.app.as(await signIn(world.app, { email, password: PASSWORD })).get('/api/auth/me')).body;
    expect(me).toMatchObject({ id, email, activated: true, roles: ['user'] });
    const [row] = await world.app.sql('SELECT email_verified_at, invited, activated_at FROM users WHERE id = $1', [id]);
    expect(row).toEqual({ email_verified_at: expect.any(Date), invited: false, activated_at: expect.any(Date) });
    const { body } = await root.get(`${USERS}/${id}`).expect(200);
    expect(Object.keys(body.data as object)).not.toEqual(expect.arrayContaining(['invite']));
  });

  it('are valid once, for one of 16 concurrent requests', async () => {
    const { token, email } = await invite();
    const passwords = Array.from({ length: 16 }, (_, at) => `sturdy walnut ${at}`);
    const answers = await Promise.all(
      passwords.map((one) => accept(token, { password: one, password_confirmation: one })),
    );
    expect(tally(answers as Response[])).toEqual({ '200': 1, '400 token_invalid': 15 });
    const won = passwords[answers.findIndex(({ status }) => status === 200)]!;
    await login(email, won).expect(200);
    expect(outcome(await accept(token))).toEqual([400, 'token_invalid']);
    expect(await isValid(token)).toEqual({ valid: false });
    await login(email, won).expect(200);
  });

  it('expire after seven days', async () => {
    const { token, email } = await invite();
    world.app.clock.advance(7 * 86_400 - 60);
    expect(await isValid(token)).toEqual({ valid: true });
    world.app.clock.advance(61);
    expect(await isValid(token)).toEqual({ valid: false });
    expect(outcome(await accept(token))).toEqual([400, 'token_expired']);
    expect(outcome(await login(email))).toEqual([401, 'invalid_credentials']);
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
  });

  it('can be sent again, which invalidates the previous link, and withdrawn', async () => {
    const { id, email, token } = await invite();
    await root.patch(`${USERS}/${id}`, { invite: true }).expect(200);
    const mails = world.mailbox.mailsTo(email).length;
    await world.mailTo(email);
    await world.mailbox.waitFor(email, Math.max(2, mails));
    const second = await tokenIn(email);
    expect(second).not.toBe(token);
    expect(outcome(await accept(token))).toEqual([400, 'token_invalid']);
    await root.patch(`${USERS}/${id}`, { invite: false }).expect(200);
    expect(outcome(await accept(second))).toEqual([400, 'token_invalid']);
  });

  it('are invalid once the account has another address or is deactivated or deleted', async () => {
    const moved = await invite();
    await root.patch(`${USERS}/${moved.id}`, { email: address() }).expect(200);
    expect(outcome(await accept(moved.token))).toEqual([400, 'token_invalid']);
    const gone = await invite();
    await root.delete(`${USERS}/${gone.id}`).expect(200);
    expect(outcome(await accept(gone.token))).toEqual([400, 'token_invalid']);
    const shut = await invite();
    await root.patch(`${USERS}/${shut.id}`, { activated: true }).expect(200);
    await root.patch(`${USERS}/${shut.id}`, { activated: false }).expect(200);
    expect(outcome(await accept(shut.token))).toEqual([400, 'token_invalid']);
  });

  it('are rejected for accounts that can sign in, and set no password there', async () => {
    const { person } = await signedIn(world.app);
    const faults = async (answer: PromiseLike<Response>) => {
      const { status, body } = await answer;
      const { error, errors } = (body as { data: { error: string; errors?: { field: string }[] } }).data;
      return [status, error, errors?.map(({ field }) => field)];
    };
    const refused = [400, 'field_invalid', ['invite']];
    expect(await faults(root.patch(`${USERS}/${person.id}`, { invite: true }))).toEqual(refused);
    expect(await faults(root.post(USERS, { email: address(), invite: true, password: PASSWORD }))).toEqual(refused);
    expect(await faults(root.post(USERS, { email: address(), invite: true, activated: true }))).toEqual(refused);
    expect(await faults(root.post(USERS, { email: address(), invite: 'yes' }))).toEqual(refused);
    expect((await root.post(USERS, { email: person.email, invite: true })).status).toBe(409);
    expect(world.mailbox.mailsTo(person.email)).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['no token', { token: '' }, ['token']],
    ['a list', { token: ['x'] }, ['token']],
    ['a short password', { password: 'short' }, ['password']],
    ['a common password', { password: 'password123' }, ['password']],
    [
      'nothing',
      { token: undefined, password: undefined, password_confirmation: undefined },
      ['password', 'password_confirmation', 'token'],
    ],
  ])('reject %s, and consume nothing', async (_what, more, fields) => {
    const { token } = await invite();
    const answer = await accept(token, more);
    expect(answer.status).toBe(422);
    expect((answer.body.data.errors as { field: string }[]).map(({ field }) => field)).toEqual(fields);
    expect(await isValid(token)).toEqual({ valid: true });
  });

  it('reject different passwords, links of other purposes, and invalid tokens', async () => {
    const { token, email } = await invite();
    expect(outcome(await accept(token, { password_confirmation: 'other walnut 47' }))).toEqual([
      400,
      'password_mismatch',
    ]);
    for (const junk of ['x', token.slice(0, -1), `${token}x`, token.toUpperCase()])
      expect(outcome(await accept(junk))).toEqual([400, 'token_invalid']);
    const body = { token, password: PASSWORD, password_confirmation: PASSWORD };
    await world.app.asGuest().post('/api/auth/local/recover/reset', body).expect(400);
    for (const path of ['activate', 'email/confirm', 'email/cancel'])
      await world.app.asGuest().post(`/api/auth/local/${path}`, { token }).expect(400);
    const { person } = await signedIn(world.app);
    await world.app.asGuest().post('/api/auth/local/recover', { email: person.email }).expect(200);
    const recovery = (await world.mailTo(person.email)).links.find((one) => one.includes('token='))!;
    expect(outcome(await accept(new URL(recovery).searchParams.get('token')!))).toEqual([400, 'token_invalid']);
    await accept(token).expect(200);
    await login(email).expect(200);
  });

  it('give only roles that the inviting user may give, and need the permission to write them', async () => {
    const roleIds = Object.fromEntries(
      (await world.app.sql<{ id: string; name: string }>('SELECT id, name FROM roles')).map(({ id, name }) => [
        name,
        id,
      ]),
    );
    const create = (write: string[]) =>
      personWith(world.app, [
        { resource: 'content.user.create', value: 'allow', fields: { write } },
        { resource: 'content.user.get', value: 'allow' },
        { resource: 'content.role.*', value: 'allow' },
      ]);
    const without = await create(['email']);
    const refused = await without.client.post(USERS, { email: address(), invite: true });
    expect([400, 403]).toContain(refused.status);
    const inviter = await create(['email', 'invite']);
    const email = address();
    for (const values of [{ roles: [{ id: roleIds['admin'] }] }, { email_verified_at: 'now' }, { activated: true }])
      expect([400, 403]).toContain((await inviter.client.post(USERS, { email, invite: true, ...values })).status);
    const withRoles = await create(['email', 'invite', 'roles']);
    expect([400, 403]).toContain(
      (await withRoles.client.post(USERS, { email, invite: true, roles: [{ id: roleIds['admin'] }] })).status,
    );
    expect(await world.app.sql('SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
    const invited = await inviter.client.post(USERS, { email, invite: true }).expect(201);
    await accept(await tokenIn(email)).expect(200);
    const me = await world.app.as(await signIn(world.app, { email, password: PASSWORD })).get('/api/auth/me');
    expect(me.body).toMatchObject({ id: invited.body.data.id, roles: ['user'] });
  });
});

describe('invitations in federated-only mode', () => {
  const world = useTestApp({
    env: {
      AUTH_DISABLE_LOCAL_LOGIN: 'true',
      AUTH: '{"enabled_providers":["google"],"providers":{"google":{"client_id":"a","client_secret":"b"}}}',
    },
  });

  it('are not available, because nobody could sign in with the password', async () => {
    const body = { token: 'x', password: PASSWORD, password_confirmation: PASSWORD };
    expect(outcome(await world.app.asGuest().post(ACCEPT, body))).toEqual([404, 'route_not_found']);
  });
});
