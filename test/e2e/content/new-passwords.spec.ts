import { randomUUID } from 'node:crypto';
import { relation, schema } from '../../support/schema-definitions.js';
import { signedIn, signIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';
import { ALLOW_LONG_STATEMENTS } from '../../../src/platform/database/connections/data-source.js';
import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';

const USERS = '/api/content/users';
const PASSWORD = 'a long enough passphrase';

describe('passwords of new accounts', () => {
  const world = useTestApp();
  let root: TestClient;
  let hashed: jest.SpyInstance;
  /** Transactions and locks that were open while a password was hashed. */
  const openDuringHash: unknown[] = [];
  let sent = 0;

  beforeAll(async () => {
    // Its transactions could be mistaken for those of the requests.
    await world.app.stopBackgroundWork();
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    const team = schema('team', [relation('people', 'user', 'team', 'o2m', { owner: true })]);
    const user = { name: 'user', fields: [relation('team', 'team', 'people', 'm2o')] };
    await root.post('/api/schema', { schemas: [team, user] }).expect(201);
    const hasher = world.app.get(PasswordHasher);
    const hash = hasher.hash.bind(hasher);
    hashed = jest.spyOn(hasher, 'hash').mockImplementation(async (password) => {
      openDuringHash.push(
        ...(await world.app.sql(
          `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'
             AND (backend_xid IS NOT NULL OR query = $1)
           UNION ALL SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND classid = 0 AND objid = 724150314
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
          [ALLOW_LONG_STATEMENTS],
        )),
      );
      return hash(password);
    });
  });

  beforeEach(() => {
    hashed.mockClear();
    openDuringHash.length = 0;
  });

  const account = (password = PASSWORD) => {
    sent += 1;
    return { email: `person${sent}@example.com`, activated: true, password };
  };
  const emails = async () =>
    (await world.app.sql<{ password_hash: string }>(`SELECT password_hash FROM users WHERE email LIKE 'person%'`)).map(
      (row) => row.password_hash,
    );

  it('are hashed before the transaction starts, at any depth and number', async () => {
    const { id } = (await root.post(USERS, account()).expect(201)).body.data;
    const other = (await root.post(USERS, account()).expect(201)).body.data.id as string;
    hashed.mockClear();
    const both = encodeURIComponent(JSON.stringify({ id: { $in: [id, other] } }));
    const writes: [number, () => PromiseLike<{ status: number }>][] = [
      [1, () => root.post(USERS, account())],
      [3, () => root.post(USERS, [account(), account(), account()])],
      [1, () => root.post(USERS, account()).set('idempotency-key', randomUUID())],
      [2, () => root.post('/api/content/team', { title: 't', people: [account(), account()] })],
      [1, () => root.post(USERS, { ...account(), password: undefined, team: { title: 't', people: [account()] } })],
      [1, () => root.patch(`${USERS}/${id}`, { password: PASSWORD })],
      [1, () => root.patch(`${USERS}/${id}`, { team: { title: 't', people: { $add: [account()] } } })],
      [1, () => root.patch(`${USERS}?filter=${both}`, { password: PASSWORD })],
      [
        3,
        () =>
          root.post('/api/batch', {
            operations: [
              { op: 'create', schema: 'team', data: { title: 't', people: { $set: [account()] } }, as: 'team' },
              { op: 'create', schema: 'user', data: { ...account(), team: { $ref: 'team.id' } } },
              { op: 'update', schema: 'users', id, data: { password: PASSWORD } },
            ],
          }),
      ],
    ];
    for (const [at, [count, write]] of writes.entries()) {
      const { status } = await write();
      expect([at, status < 300, hashed.mock.calls.length, openDuringHash]).toEqual([at, true, count, []]);
      hashed.mockClear();
    }
  });

  it('have different salts, even if they are equal', async () => {
    const before = new Set(await emails());
    await root.post(USERS, [account(), account()]).expect(201);
    await root.post('/api/content/team', { title: 't', people: [account(), account()] }).expect(201);
    const made = (await emails()).filter((hash) => !before.has(hash));
    expect([made.length, new Set(made).size]).toEqual([4, 4]);
  });

  it('work for signing in, for one and for many accounts', async () => {
    const people = [account('the first passphrase'), account('the second passphrase')];
    const made = await root.post(USERS, people).expect(201);
    for (const { email, password } of people) expect(await signIn(world.app, { email, password })).toBeTruthy();
    const ids = (made.body.data as { id: string }[]).map(({ id }) => id);
    const both = encodeURIComponent(JSON.stringify({ id: { $in: ids } }));
    await root.patch(`${USERS}?filter=${both}`, { password: 'one for both of them' }).expect(200);
    for (const { email } of people)
      expect(await signIn(world.app, { email, password: 'one for both of them' })).toBeTruthy();
  });

  it('are not hashed for callers who may not write them, nor in invalid requests', async () => {
    const { token } = await signedIn(world.app);
    hashed.mockClear();
    await world.app.as(token).post(USERS, account()).expect(403);
    await root.post(USERS, account('short')).expect(400);
    await root.post(USERS, [{ ...account(), password: 5 }]).expect(400);
    await root.post('/api/content/team', { title: 't', password: PASSWORD }).expect(400);
    expect(hashed).not.toHaveBeenCalled();
  });

  it('are not accepted as an earlier result of a batch', async () => {
    const operations = [
      { op: 'create', schema: 'team', data: { title: PASSWORD }, as: 'team' },
      { op: 'create', schema: 'user', data: { ...account(), password: { $ref: 'team.title' } } },
    ];
    const { body } = await root.post('/api/batch', { operations }).expect(400);
    expect(body.data).toMatchObject({ error: 'field_invalid', operation: 1, errors: [{ field: 'password' }] });
    expect(hashed).not.toHaveBeenCalled();
  });
});
