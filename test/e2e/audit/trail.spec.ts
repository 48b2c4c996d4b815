import { AccountService } from '../../../src/identity/auth/account.service.js';
import { auditActions } from '../../../src/platform/audit/audit.public.js';
import { eventsOf, LOCAL } from '../../support/audit-log.js';
import { makeKey, makeServiceKey } from '../../support/api-keys.js';
import { createPerson, signedIn, signIn } from '../../support/people.js';
import { schema } from '../../support/schema-definitions.js';
import { readPage } from '../../support/shell-page.js';
import { useTestApp } from '../../support/test-app.js';

describe('the audit log', () => {
  const world = useTestApp({
    env: { AUTH_OTP_ENABLED: 'true', AUTH_ENABLE_REFRESH_TOKEN: 'true', RATE_LIMIT_ENABLED: 'true' },
  });
  const login = (body: object) => world.app.asGuest().post('/api/auth/local/login', body);

  it('contains a sign-in with user, address, request and session', async () => {
    const person = await createPerson(world.app);
    const answer = await login({ login: person.email, password: person.password }).expect(200);
    const [session] = await world.app.sql<{ id: string }>('SELECT id FROM sessions WHERE user_id = $1', [person.id]);
    expect(await eventsOf(world.app, 'actor = $1 AND action = $2', [`account:${person.id}`, 'session.begin'])).toEqual([
      {
        actor: `account:${person.id}`,
        action: 'session.begin',
        resource: `session:${session!.id}`,
        outcome: 'success',
        address: expect.stringMatching(LOCAL),
        request_id: answer.headers['x-request-id'],
        changes: { provider: { after: 'local' } },
      },
    ]);
  });

  it('contains failed sign-ins without the typed values', async () => {
    const person = await createPerson(world.app);
    const inactive = await createPerson(world.app, { activated: false });
    const wrong = await login({ login: person.email, password: 'not this one 47' }).expect(401);
    const unknown = await login({ login: 'typed.my.password.here', password: 'not this one 47' }).expect(401);
    await login({ login: inactive.email, password: inactive.password }).expect(401);
    await world.app.asGuest().post('/api/auth/otp/verify', { email: person.email, code: '000000' }).expect(401);
    const failed = await eventsOf(world.app, `outcome <> 'success'`);
    const common = { actor: 'guest', action: 'session.begin', address: expect.stringMatching(LOCAL) };
    const local = { provider: { after: 'local' } };
    expect(failed).toMatchObject([
      {
        ...common,
        resource: `user:${person.id}`,
        outcome: 'invalid_credentials',
        request_id: wrong.headers['x-request-id'],
        changes: local,
      },
      { ...common, resource: 'user', outcome: 'invalid_credentials', request_id: unknown.headers['x-request-id'] },
      { ...common, resource: `user:${inactive.id}`, outcome: 'account_inactive', changes: local },
      { ...common, resource: `user:${person.id}`, outcome: 'otp_invalid', changes: { provider: { after: 'otp' } } },
    ]);
    const [{ everything }] = (await world.app.sql(
      'SELECT string_agg(e::text, chr(10)) AS everything FROM audit_events e',
    )) as [{ everything: string }];
    for (const secret of ['typed.my.password', 'not this one', person.email, person.password])
      expect(everything).not.toContain(secret);
  });

  it('does not grow by rate-limited requests', async () => {
    const person = await createPerson(world.app);
    for (let tries = 0; tries < 14; tries += 1) await login({ login: person.email, password: 'wrong walnut 47' });
    const rows = await eventsOf(world.app, 'resource = $1 AND outcome <> $2', [`user:${person.id}`, 'success']);
    expect(rows.length).toBe(10);
    expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(['invalid_credentials']));
  });

  it('contains ended sessions with reason and request', async () => {
    const { person, token } = await signedIn(world.app);
    const other = await signIn(world.app, person);
    const out = await world.app.as(other).post('/api/auth/logout').expect(200);
    await signIn(world.app, person);
    await world.app.as(token).delete('/api/auth/sessions').expect(200);
    await world.app.get(AccountService).setPassword(person.id, 'another walnut 47');
    const rows = await eventsOf(world.app, `action = 'session.end' AND changes -> 'user' ->> 'after' = $1`, [
      person.id,
    ]);
    const owner = `account:${person.id}`;
    expect(rows.map(({ actor, changes, request_id }) => [actor, changes['reason'], request_id])).toEqual([
      [owner, { after: 'logout' }, out.headers['x-request-id']],
      [owner, { after: 'revoked' }, expect.any(String)],
      ['system', { after: 'credentials' }, null],
    ]);
  });

  it('contains created, deactivated and activated accounts, new passwords and names', async () => {
    const { person, token } = await signedIn(world.app);
    await world.app.as(token).patch('/api/auth/me', { first_name: 'Ann' }).expect(200);
    const next = 'another walnut 48';
    const password = { current_password: person.password, password: next, password_confirmation: next };
    await world.app.as(token).post('/api/auth/local/password', password).expect(200);
    await world.app.get(AccountService).deactivate(person.id);
    await world.app.get(AccountService).activate(person.id);
    const rows = await eventsOf(world.app, `resource = $1 AND action LIKE 'account.%'`, [`user:${person.id}`]);
    const owner = `account:${person.id}`;
    expect(rows.map(({ actor, action, changes }) => [actor, action, Object.keys(changes).sort()])).toEqual([
      [owner, 'account.create', ['activated', 'provider', 'roles']],
      [owner, 'account.update', ['first_name']],
      [owner, 'account.password', ['method']],
      ['operator', 'account.deactivate', []],
      ['operator', 'account.activate', []],
    ]);
  });

  it('contains written roles, permissions and accounts by field names', async () => {
    const { token, person } = await signedIn(world.app, { roles: ['admin'] });
    const root = world.app.as(token);
    const made = await root.post('/api/content/roles', { name: 'auditors' }).expect(201);
    const role = (made.body as { data: { id: string } }).data.id;
    await root.post('/api/content/permissions', { role, resource: 'audit.list', value: 'allow' }).expect(201);
    const body = { email: 'made@example.com', password: 'sturdy walnut 49', activated: true, roles: [role] };
    const account = (await root.post('/api/content/users', body).expect(201)).body as { data: { id: string } };
    await root.delete(`/api/content/roles/${role}`);
    const rows = await eventsOf(world.app, `actor = $1 AND action LIKE 'record.%'`, [`account:${person.id}`]);
    expect(rows.map(({ action, resource }) => [action, resource])).toEqual(
      expect.arrayContaining([
        ['record.create', `role:${role}`],
        ['record.create', expect.stringMatching(/^permission:/)],
        ['record.create', `user:${account.data.id}`],
      ]),
    );
    const user = rows.find(({ resource }) => resource === `user:${account.data.id}`);
    expect(user).toMatchObject({ request_id: expect.any(String), address: expect.stringMatching(LOCAL) });
    expect(user?.changes).toMatchObject({ email: {}, password: {}, roles: {} });
    expect(JSON.stringify(rows)).not.toContain('walnut');
    expect(JSON.stringify(rows)).not.toContain('made@example.com');
  });

  it('contains API keys and the key of a request, without secrets', async () => {
    const { person, token } = await signedIn(world.app, { roles: ['admin'] });
    const made = await makeKey(world.app, token);
    await world.app.as(made.key).post('/api/content/roles', { name: 'made by a key' }).expect(201);
    const service = await makeServiceKey(world.app, token, ['user']);
    await world.app.as(token).delete(`/api/auth/keys/${made.id}`).expect(200);
    const owner = `account:${person.id}`;
    const rows = await eventsOf(world.app, 'resource IN ($1, $2)', [`key:${made.id}`, `key:${service.id}`]);
    expect(rows.map(({ actor, action, resource }) => [actor, action, resource])).toEqual([
      [owner, 'key.create', `key:${made.id}`],
      [owner, 'key.create', `key:${service.id}`],
      [owner, 'key.end', `key:${made.id}`],
    ]);
    const byKey = await world.app.sql('SELECT actor, action FROM audit_events WHERE key_id = $1', [made.id]);
    expect(byKey).toEqual([{ actor: owner, action: 'record.create' }]);
    const everything = JSON.stringify(await world.app.sql('SELECT * FROM audit_events'));
    for (const secret of [made.key, service.key]) expect(everything).not.toContain(secret);
  });

  it('is written in the transaction of its action', async () => {
    const before = await eventsOf(world.app, 'true');
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const count = async (): Promise<number> => (await eventsOf(world.app, `action LIKE 'record.%'`)).length;
    const known = await count();
    const batch = [
      { op: 'create', schema: 'role', data: { name: 'fleeting' } },
      { op: 'create', schema: 'role', data: { name: 'fleeting' } },
    ];
    expect((await world.app.as(token).post('/api/batch', { operations: batch })).status).toBeGreaterThanOrEqual(400);
    expect(await count()).toBe(known);
    expect(before.length).toBeGreaterThan(0);
  });

  it('has one catalogue with every action and its meaning', async () => {
    const known = new Map(auditActions());
    const logged = await world.app.sql<{ action: string }>('SELECT DISTINCT action FROM audit_events');
    expect(logged.map(({ action }) => action).filter((action) => !known.has(action))).toEqual([]);
    for (const [name, meaning] of known) {
      expect(name).toMatch(/^[a-z]+\.[a-z]+$/);
      expect(meaning).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('is documented, action by action', () => {
    const page = readPage('reference/events.md');
    const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z]+)` +\| (.*?) *\|$/gm)].map(([, name, meaning]) => [
      name,
      meaning,
    ]);
    expect(rows).toEqual(auditActions());
  });

  it.each(['UPDATE audit_events SET actor = $$somebody else$$', 'DELETE FROM audit_events', 'TRUNCATE audit_events'])(
    'is append-only: the database rejects %s',
    async (statement) => {
      const before = await eventsOf(world.app, 'true');
      await expect(world.app.sql(statement)).rejects.toThrow('append-only');
      const partitions = await world.app.sql<{ name: string; rows: number }>(
        `SELECT c.relname AS name, 0 AS rows FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE inhparent = 'audit_events'::regclass`,
      );
      expect(partitions.length).toBeGreaterThanOrEqual(4);
      const today = partitions.find(({ name }) => name.endsWith(world.app.clock.now().toISOString().slice(0, 10)));
      await expect(world.app.sql(statement.replace('audit_events', `"${today!.name}"`))).rejects.toThrow('append-only');
      expect(await eventsOf(world.app, 'true')).toEqual(before);
    },
  );
});

describe('AUDIT_KEEP_DAYS=0', () => {
  const world = useTestApp({ env: { AUDIT_KEEP_DAYS: '0' } });

  it('writes nothing, and changes nothing else', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    await world.app
      .as(token)
      .post('/api/schema', schema('noted', [], { audit: 'values' }))
      .expect(201);
    await world.app.as(token).post('/api/content/noted', { title: 'x' }).expect(201);
    await world.app.as(token).get('/api/audit').expect(200);
    expect(await eventsOf(world.app, 'true')).toEqual([]);
  });
});
