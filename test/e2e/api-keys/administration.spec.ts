import { makeKey, makeServiceKey, outcome, tally } from '../../support/api-keys.js';
import { eventsOf, LOCAL } from '../../support/audit-log.js';
import { personWith } from '../../support/content-fixture.js';
import { createPerson, signedIn, signIn } from '../../support/people.js';
import type { TestClient } from '../../support/test-client.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

const KEYS = '/api/keys';
const USERS = '/api/content/users?limit=1';
const NOBODYS = '01900000-0000-7000-8000-000000000000';

interface Page {
  readonly items: readonly { readonly id: string; readonly prefix: string; readonly owner: { readonly id: string } }[];
  readonly next_cursor: string | null;
}

describe('GET /api/keys and DELETE /api/keys/{id}', () => {
  const world = useTestApp();
  let other: TestApp;
  let root: TestClient;
  let keeper: TestClient;

  beforeAll(async () => {
    other = await world.app.secondInstance();
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    keeper = (await personWith(world.app, [{ resource: 'keys.*', value: 'allow' }])).client;
  });
  afterAll(() => other?.stop());

  const list = async (query = ''): Promise<Page> =>
    ((await keeper.get(`${KEYS}${query}`).expect(200)).body as { data: Page }).data;
  const idsOf = async (query: string): Promise<string[]> => (await list(query)).items.map(({ id }) => id);

  it('lists the keys of all accounts with their owners, without secrets', async () => {
    const { token, person } = await signedIn(world.app);
    const own = await makeKey(world.app, token, { scopes: [{ resource: 'content.*' }], addresses: ['192.0.2.7'] });
    const program = await makeServiceKey(world.app, root.token!, ['user'], { expires_in_days: null });
    const { key, ...listed } = own;
    const [newest, next] = (await list()).items;
    expect(next).toEqual({ ...listed, owner: { id: person.id, kind: 'person', name: person.email, activated: true } });
    expect(newest).toMatchObject({
      id: program.id,
      expires_at: null,
      owner: { id: program.accountId, kind: 'service', name: 'a program', activated: true },
    });
    const everything = (await keeper.get(KEYS)).text;
    for (const secret of [key, program.key]) {
      expect(everything).not.toContain(secret.slice(12));
      const [row] = await world.app.sql<{ key_hash: string }>('SELECT key_hash FROM api_keys WHERE prefix = $1', [
        secret.slice(0, 12),
      ]);
      expect(everything).not.toContain(row!.key_hash);
    }
  });

  it('finds them by owner, kind, state and prefix', async () => {
    const { token, person } = await signedIn(world.app);
    const lasting = await makeKey(world.app, token);
    const short = await makeKey(world.app, token, { expires_in_days: 1 });
    const program = await makeServiceKey(world.app, root.token!, ['user'], { expires_in_days: null });
    await world.app.sql('UPDATE api_keys SET expires_at = $2 WHERE id = $1', [short.id, world.app.clock.now()]);
    const of = `?owner=${person.id}`;
    expect(await idsOf(of)).toEqual([short.id, lasting.id]);
    expect(await idsOf(`${of}&state=active`)).toEqual([lasting.id]);
    expect(await idsOf(`${of}&state=expired`)).toEqual([short.id]);
    expect(await idsOf(`${of}&kind=service`)).toEqual([]);
    expect(await idsOf(`?kind=service&prefix=${program.prefix}`)).toEqual([program.id]);
    expect(await idsOf(`?prefix=${lasting.prefix}`)).toEqual([lasting.id]);
    expect(await idsOf(`?owner=${NOBODYS}`)).toEqual([]);
  });

  it('pages through all of them by cursor', async () => {
    const person = await createPerson(world.app);
    await world.app.sql(
      `INSERT INTO api_keys (id, user_id, name, prefix, key_hash, schema_version, created_at)
       SELECT gen_random_uuid(), $1::uuid, 'x', 'x', $1::text || n, 0, now() FROM generate_series(1, 120) n`,
      [person.id],
    );
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await list(`?owner=${person.id}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.items.length).toBeLessThanOrEqual(50);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([120, 120]);
    await world.app.sql('DELETE FROM users WHERE id = $1', [person.id]);
  });

  it.each([
    'owner=x',
    'owner=',
    'kind=robot',
    'kind=',
    'state=rotated',
    'cursor=1',
    "cursor=';--",
    'prefix=lin_',
    'prefix=lin_pat_____',
    `prefix=lin_pat_${'a'.repeat(36)}`,
    'kind=person&kind=service',
  ])('rejects ?%s', async (query) => {
    expect(outcome(await keeper.get(`${KEYS}?${query}`))).toEqual([422, 'validation_failed']);
  });

  it('revokes one within a second on every instance, and audits user and address', async () => {
    const { token, person } = await signedIn(world.app, { roles: ['user'] });
    const { key, id } = await makeKey(world.app, token);
    const path = `/api/content/users/${person.id}`;
    for (const app of [world.app, other]) await app.as(key).get(path).expect(200);
    const answer = await keeper.delete(`${KEYS}/${id}`).expect(200);
    expect(outcome(await world.app.as(key).get(path))).toEqual([401, 'key_invalid']);
    const end = performance.now() + 1_000;
    while (outcome(await other.as(key).get(path))[0] === 200) expect(performance.now()).toBeLessThan(end);
    expect(await eventsOf(world.app, `resource = $1 AND action = 'key.end'`, [`key:${id}`])).toEqual([
      {
        actor: expect.stringMatching(/^account:/),
        action: 'key.end',
        resource: `key:${id}`,
        outcome: 'success',
        address: expect.stringMatching(LOCAL),
        request_id: answer.headers['x-request-id'],
        changes: { user: { after: person.id } },
      },
    ]);
    expect(outcome(await keeper.delete(`${KEYS}/${id}`))).toEqual([404, 'key_not_found']);
  });

  it('revokes it once for sixteen concurrent requests', async () => {
    const { token } = await signedIn(world.app);
    const { id } = await makeKey(world.app, token);
    const answers = await Promise.all(Array.from({ length: 16 }, () => keeper.delete(`${KEYS}/${id}`)));
    expect(tally(answers)).toEqual({ '200': 1, '404 key_not_found': 15 });
    expect(await eventsOf(world.app, `resource = $1 AND action = 'key.end'`, [`key:${id}`])).toHaveLength(1);
  });

  it('leaves keys of root accounts to root accounts', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const own = await makeKey(world.app, token);
    const program = await makeServiceKey(world.app, token, ['admin']);
    for (const { id, key } of [own, program]) {
      expect(outcome(await keeper.delete(`${KEYS}/${id}`))).toEqual([403, 'permission_denied']);
      await world.app.as(key).get(USERS).expect(200);
      await root.delete(`${KEYS}/${id}`).expect(200);
      expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_invalid']);
    }
  });

  it('finds a key only by its id', async () => {
    const { token } = await signedIn(world.app);
    const { key, prefix } = await makeKey(world.app, token);
    for (const id of [NOBODYS, 'x', prefix, key, "x' OR 1=1 --"])
      expect(outcome(await keeper.delete(`${KEYS}/${encodeURIComponent(id)}`))).toEqual([404, 'key_not_found']);
  });

  it('needs the permission, and is not available to API keys', async () => {
    const person = await createPerson(world.app, { roles: ['admin'] });
    const token = await signIn(world.app, person);
    const { id } = await makeKey(world.app, token);
    const all = world.app.as((await makeKey(world.app, token)).key);
    const scoped = world.app.as((await makeKey(world.app, token, { scopes: [{ resource: 'keys.*' }] })).key);
    const anybody = world.app.as((await signedIn(world.app)).token);
    const reader = (await personWith(world.app, [{ resource: 'keys.list', value: 'allow' }])).client;
    await reader.get(KEYS).expect(200);
    for (const [client, expected] of [
      [all, [403, 'key_not_allowed']],
      [scoped, [403, 'key_not_allowed']],
      [anybody, [403, 'permission_denied']],
      [world.app.asGuest(), [401, 'token_missing']],
    ] as const) {
      expect(outcome(await client.get(KEYS))).toEqual(expected);
      expect(outcome(await client.delete(`${KEYS}/${id}`))).toEqual(expected);
    }
    expect(outcome(await reader.delete(`${KEYS}/${id}`))).toEqual([403, 'permission_denied']);
  });
});

describe('service accounts in the audit log', () => {
  const world = useTestApp();

  it('record the administrator who created or deleted them', async () => {
    const { token, person } = await signedIn(world.app, { roles: ['admin'] });
    const root = world.app.as(token);
    const { accountId, id } = await makeServiceKey(world.app, token, ['user']);
    const ended = await root.delete(`/api/service-accounts/${accountId}/keys/${id}`).expect(200);
    const gone = await root.delete(`/api/service-accounts/${accountId}`).expect(200);
    const actor = `account:${person.id}`;
    const events = await eventsOf(world.app, `resource IN ($1, $2) AND action NOT LIKE 'record.%'`, [
      `user:${accountId}`,
      `key:${id}`,
    ]);
    expect(events.map((event) => [event.actor, event.action])).toEqual([
      [actor, 'account.create'],
      [actor, 'key.create'],
      [actor, 'key.end'],
      [actor, 'account.remove'],
    ]);
    expect(events.slice(2).map((event) => event.request_id)).toEqual(
      [ended, gone].map(({ headers }) => headers['x-request-id']),
    );
    for (const event of events) expect(event.address).toMatch(LOCAL);
  });
});
