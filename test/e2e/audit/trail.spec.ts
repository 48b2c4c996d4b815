import { auditActions } from '../../../src/platform/audit/audit.public.js';
import { AccountService } from '../../../src/identity/auth/account.service.js';
import { OnLoggedIn } from '../../../src/lintel.js';
import { Injectable, Module } from '@nestjs/common';
import { Content } from '../../../src/data/content/content.service.js';
import { personWith } from '../../support/content-world.js';
import { createPerson, signedIn, signIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { readPage } from '../../support/shell-page.js';
import { TestApp, useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

interface Row {
  readonly actor: string;
  readonly action: string;
  readonly resource: string;
  readonly outcome: string;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly changes: Record<string, unknown>;
}

/** The events of some actions, oldest first, without what differs each time. */
function eventsOf(app: TestApp, condition: string, parameters: unknown[] = []): Promise<Row[]> {
  return app.sql<Row>(
    `SELECT actor, action, resource, outcome, address, request_id, changes FROM audit_events WHERE ${condition} ORDER BY at, id`,
    parameters,
  );
}

const LOCAL = expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/);

describe('the audit log', () => {
  const world = useTestApp({ env: { AUTH_OTP_ENABLED: 'true', AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
  const login = (body: object) => world.app.asGuest().post('/api/auth/local/login', body);

  it('tells of a sign-in: who, from where, by which request, and of which session', async () => {
    const person = await createPerson(world.app);
    const answer = await login({ login: person.email, password: person.password }).expect(200);
    const [session] = await world.app.sql<{ id: string }>('SELECT id FROM sessions WHERE user_id = $1', [person.id]);
    expect(await eventsOf(world.app, 'actor = $1 AND action = $2', [`account:${person.id}`, 'session.begin'])).toEqual([
      {
        actor: `account:${person.id}`,
        action: 'session.begin',
        resource: `session:${session!.id}`,
        outcome: 'success',
        address: LOCAL,
        request_id: answer.headers['x-request-id'],
        changes: { provider: { after: 'local' } },
      },
    ]);
  });

  it('tells of sign-ins that failed, by whoever it was, without what was typed', async () => {
    const person = await createPerson(world.app);
    const inactive = await createPerson(world.app, { activated: false });
    const wrong = await login({ login: person.email, password: 'not this one 47' }).expect(401);
    const unknown = await login({ login: 'typed.my.password.here', password: 'not this one 47' }).expect(401);
    await login({ login: inactive.email, password: inactive.password }).expect(403);
    await world.app.asGuest().post('/api/auth/otp/verify', { email: person.email, code: '000000' }).expect(401);
    const failed = await eventsOf(world.app, `outcome <> 'success'`);
    const common = { actor: 'guest', action: 'session.begin', address: LOCAL };
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
    const [{ everything }] = (await world.app.sql('SELECT string_agg(e::text, chr(10)) AS everything FROM audit_events e')) as [
      { everything: string },
    ];
    for (const secret of ['typed.my.password', 'not this one', person.email, person.password])
      expect(everything).not.toContain(secret);
  });

  it('does not grow by what is refused for its number', async () => {
    const person = await createPerson(world.app);
    for (let tries = 0; tries < 14; tries += 1) await login({ login: person.email, password: 'wrong walnut 47' });
    const rows = await eventsOf(world.app, 'resource = $1 AND outcome <> $2', [`user:${person.id}`, 'success']);
    expect(rows.length).toBe(10);
    expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(['invalid_credentials']));
  });

  it('tells of sessions that end, why, and by which request', async () => {
    const { person, token } = await signedIn(world.app);
    const other = await signIn(world.app, person);
    const out = await world.app.as(other).post('/api/auth/logout').expect(200);
    await signIn(world.app, person);
    await world.app.as(token).delete('/api/auth/sessions').expect(200);
    await world.app.get(AccountService).setPassword(person.id, 'another walnut 47');
    const rows = await eventsOf(world.app, `action = 'session.end' AND changes -> 'user' ->> 'after' = $1`, [person.id]);
    const owner = `account:${person.id}`;
    expect(rows.map(({ actor, changes, request_id }) => [actor, changes['reason'], request_id])).toEqual([
      [owner, { after: 'logout' }, out.headers['x-request-id']],
      [owner, { after: 'revoked' }, expect.any(String)],
      ['system', { after: 'credentials' }, null],
    ]);
  });

  it('tells of accounts: made, shut, opened, another password, another name', async () => {
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

  it('tells of roles, permissions and accounts that are written as records, by the names of their fields', async () => {
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
    expect(user).toMatchObject({ request_id: expect.any(String), address: LOCAL });
    expect(user?.changes).toMatchObject({ email: {}, password: {}, roles: {} });
    expect(JSON.stringify(rows)).not.toContain('walnut');
    expect(JSON.stringify(rows)).not.toContain('made@example.com');
  });

  it('is written with what it tells of, or not at all', async () => {
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

  it('has one catalogue: every action that is told of is in it, with what it means', async () => {
    const known = new Map(auditActions());
    const told = await world.app.sql<{ action: string }>('SELECT DISTINCT action FROM audit_events');
    expect(told.map(({ action }) => action).filter((action) => !known.has(action))).toEqual([]);
    for (const [name, meaning] of known) {
      expect(name).toMatch(/^[a-z]+\.[a-z]+$/);
      expect(meaning).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('stands in the docs, action by action', () => {
    const page = readPage('operating.md').split('\n## Audit log\n')[1]!.split('\n## ')[0]!;
    const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z]+)` +\| (.*?) *\|$/gm)].map(([, name, meaning]) => [name, meaning]);
    expect(rows).toEqual(auditActions());
  });

  it.each(['UPDATE audit_events SET actor = $$somebody else$$', 'DELETE FROM audit_events', 'TRUNCATE audit_events'])(
    'is append-only: the database refuses %s',
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

describe('records of schemas that ask for it', () => {
  const world = useTestApp();
  let root: TestClient;
  let rootId: string;

  beforeAll(async () => {
    const { token, person } = await signedIn(world.app, { roles: ['admin'] });
    [root, rootId] = [world.app.as(token), person.id];
    const schemas = [
      schema('plain'),
      schema('noted', [field('int', 'views', { default: 0 }), relation('kept', 'kept', 'noted', 'm2o')], { audit: true }),
      schema('counted', [field('int', 'number')], { audit: true, primary_field: 'number' }),
      schema('kept', [field('json', 'meta', { optional: true }), relation('noted', 'noted', 'kept', 'o2m', { owner: true })], {
        audit: 'values',
      }),
    ];
    await root.post('/api/schema', { schemas }).expect(201);
  });

  const told = (resource: string): Promise<Row[]> => eventsOf(world.app, 'resource = $1', [resource]);
  const create = async (name: string, body: object): Promise<string> => {
    const answer = await root.post(`/api/content/${name}`, body).expect(201);
    return String((answer.body as { data: { id?: unknown; number?: unknown } }).data.id ?? (answer.body as { data: { number: number } }).data.number);
  };

  it('tells of schemas that change, one by one', async () => {
    const rows = await eventsOf(world.app, `action = 'schema.change' AND actor = $1`, [`account:${rootId}`]);
    expect(rows.map(({ resource }) => resource).sort()).toEqual(['schema:counted', 'schema:kept', 'schema:noted', 'schema:plain']);
    expect(rows[0]).toMatchObject({ request_id: expect.any(String), address: LOCAL, changes: { origin: { after: 'api' } } });
  });

  it('tells the names of fields where a schema says true, by one statement, and of no other schema', async () => {
    const id = await create('noted', { title: 'a secret title', views: 3 });
    await root.patch(`/api/content/noted/${id}`, { views: 4 }).expect(200);
    await root.delete(`/api/content/noted/${id}`).expect(200);
    await root.post(`/api/content/noted/${id}/restore`).expect(200);
    const rows = await told(`noted:${id}`);
    expect(rows.map(({ actor, action, changes }) => [actor, action, changes])).toEqual([
      [`account:${rootId}`, 'record.create', { title: {}, views: {} }],
      [`account:${rootId}`, 'record.update', { views: {} }],
      [`account:${rootId}`, 'record.delete', {}],
      [`account:${rootId}`, 'record.restore', {}],
    ]);
    expect(rows.every(({ request_id, address }) => request_id !== null && address !== null)).toBe(true);
    const plain = await create('plain', { title: 'untold' });
    expect(await told(`plain:${plain}`)).toEqual([]);
  });

  it('names a record whose key the statement itself makes', async () => {
    const number = await create('counted', { title: 'x' });
    expect(await told(`counted:${number}`)).toMatchObject([{ action: 'record.create' }]);
  });

  it('tells values of before and after where a schema asks for them', async () => {
    const id = await create('kept', { title: 'one', meta: { a: 1 } });
    await root.patch(`/api/content/kept/${id}`, { title: 'two', meta: { a: 1 } }).expect(200);
    await root.delete(`/api/content/kept/${id}`).expect(200);
    expect((await told(`kept:${id}`)).map(({ changes }) => changes)).toEqual([
      { title: { after: 'one' }, meta: { after: { a: 1 } } },
      { title: { before: 'one', after: 'two' }, meta: {} },
      { title: { before: 'two' }, meta: { before: { a: 1 } } },
    ]);
    const long = await create('kept', { title: 'long', meta: 'x'.repeat(5_000) });
    expect((await told(`kept:${long}`))[0]?.changes).toEqual({ title: { after: 'long' }, meta: {} });
  });

  it('tells of every way in which records are written', async () => {
    const ways: readonly [string, () => Promise<unknown>, number][] = [
      ['a list', () => root.post('/api/content/noted', [{ title: 'l1' }, { title: 'l2' }]).expect(201), 2],
      ['nested', () => root.post('/api/content/kept', { title: 'n', noted: [{ title: 'n1' }] }).expect(201), 2],
      [
        'a batch',
        () =>
          root
            .post('/api/batch', {
              operations: [
                { op: 'create', schema: 'noted', data: { title: 'b1' } },
                { op: 'create', schema: 'noted', data: { title: 'b2' } },
                { op: 'create', schema: 'plain', data: { title: 'b3' } },
              ],
            })
            .expect(200),
        2,
      ],
      ['a key', () => root.post('/api/content/noted', { title: 'k' }).set('idempotency-key', 'audit-1').expect(201), 1],
      ['a key again', () => root.post('/api/content/noted', { title: 'k' }).set('idempotency-key', 'audit-1').expect(201), 0],
      ['a bulk change', () => root.patch('/api/content/noted?filter={"title":{"$in":["l1","l2"]}}', { views: 9 }).expect(200), 2],
      ['a bulk deletion', () => root.delete('/api/content/noted?filter={"title":{"$in":["l1","l2"]}}').expect(200), 2],
      ['code', () => world.app.get(Content).as('system').schema('noted').create({ title: 'c' } as never), 1],
      ['a replacement', async () => root.put(`/api/content/noted/${await create('noted', { title: 'r' })}`, { title: 'r2' }).expect(200), 2],
      ['a refusal', () => root.post('/api/content/noted', { title: 'x', views: 'many' }).expect(422), 0],
    ];
    for (const [way, write, expected] of ways) {
      const before = (await eventsOf(world.app, `action LIKE 'record.%'`)).length;
      await write();
      expect([way, (await eventsOf(world.app, `action LIKE 'record.%'`)).length - before]).toEqual([way, expected]);
    }
    const byCode = await eventsOf(world.app, `actor = 'system' AND action = 'record.create'`);
    expect(byCode).toMatchObject([{ address: null, request_id: null, changes: { title: {} } }]);
  });

  it('tells of 64 who write at once, each once', async () => {
    const before = (await eventsOf(world.app, `action = 'record.create' AND resource LIKE 'noted:%'`)).length;
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) => root.post('/api/content/noted', { title: `at once ${at}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(64);
    expect((await eventsOf(world.app, `action = 'record.create' AND resource LIKE 'noted:%'`)).length - before).toBe(64);
  });

  it('says of a rule that does not hold nothing', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.noted.create', value: 'allow' },
      { resource: 'content.noted.update', value: 'record.views > 5' },
      { resource: 'content.noted.get', value: 'allow' },
    ]);
    const id = await create('noted', { title: 'small', views: 1 });
    await client.patch(`/api/content/noted/${id}`, { views: 2 }).expect(404);
    expect((await told(`noted:${id}`)).map(({ action }) => action)).toEqual(['record.create']);
  });

  it.each([
    ['everything', 'schema.audit.invalid'],
    [1, 'schema.audit.invalid'],
    [{ values: true }, 'schema.audit.invalid'],
  ])('refuses "audit": %j', async (audit, code) => {
    const { body } = await root.post('/api/schema', schema('wrong', [], { audit })).expect(422);
    expect(body.data.errors).toMatchObject([{ schema: 'wrong', code, path: '/audit' }]);
  });

  it('takes up and lets go of a schema as its definition changes', async () => {
    await root.post('/api/schema', schema('turning', [], { audit: true })).expect(201);
    const id = await create('turning', { title: 'a' });
    await root.put('/api/schema/turning', schema('turning')).expect(200);
    await root.patch(`/api/content/turning/${id}`, { title: 'b' }).expect(200);
    expect((await told(`turning:${id}`)).map(({ action }) => action)).toEqual(['record.create']);
    expect((await root.get('/api/schema/turning').expect(200)).body.data.audit).toBeUndefined();
  });
});

describe('an application whose hooks hear of sign-ins', () => {
  const heard: string[] = [];

  @Injectable()
  class Listener {
    @OnLoggedIn()
    loggedIn({ account }: { account: { email: string } }): void {
      if (account.email.startsWith('refused')) throw new Error('not today');
      heard.push(account.email);
    }
  }

  @Module({ providers: [Listener] })
  class ListeningModule {}

  const world = useTestApp({ modules: [ListeningModule] });

  it('has the sign-in in the log once, and none that a hook undid', async () => {
    const { person } = await signedIn(world.app);
    expect(heard).toEqual([person.email]);
    const refused = await createPerson(world.app, { email: 'refused@example.com' });
    const body = { login: refused.email, password: refused.password };
    await world.app.asGuest().post('/api/auth/local/login', body).expect(500);
    const rows = await eventsOf(world.app, `action = 'session.begin'`);
    expect(rows.map(({ actor, outcome }) => [actor, outcome])).toEqual([[`account:${person.id}`, 'success']]);
  });
});

describe('AUDIT_KEEP_DAYS=0', () => {
  const world = useTestApp({ env: { AUDIT_KEEP_DAYS: '0' } });

  it('writes nothing down, and everything else is as it was', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    await world.app.as(token).post('/api/schema', schema('noted', [], { audit: 'values' })).expect(201);
    await world.app.as(token).post('/api/content/noted', { title: 'x' }).expect(201);
    await world.app.as(token).get('/api/audit').expect(200);
    expect(await eventsOf(world.app, 'true')).toEqual([]);
  });
});
