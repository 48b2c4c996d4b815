import { setTimeout as delay } from 'node:timers/promises';
import type { PermissionDefinition } from '../../../src/identity/users/roles/permission-faults.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { makeKey, makeServiceKey, outcome, unknownKey } from '../../support/api-keys.js';
import { createPerson, PASSWORD, signedIn, signIn } from '../../support/people.js';
import { until } from '../../support/mailbox.js';
import { statementsOf } from '../../support/sent-statements.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const USERS = '/api/content/users?limit=1';

/** Returns the number of statements on keys while the work runs. */
async function lookups(work: () => Promise<unknown>): Promise<number> {
  return (await statementsOf(work)).filter(({ text }) => text.includes('api_keys')).length;
}

describe('an API key', () => {
  const world = useTestApp();
  const guest = () => world.app.asGuest();
  let key: string;
  let token: string;

  beforeAll(async () => {
    ({ token } = await signedIn(world.app, { roles: ['admin'] }));
    key = (await makeKey(world.app, token)).key;
  });

  it('is read from the Authorization header as a bearer token only', async () => {
    await guest().get(USERS).set('authorization', `bearer  ${key}`).expect(200);
    const ignored = [
      guest().get(`${USERS}&key=${key}&api_key=${key}&access_token=${key}&token=${key}`),
      guest().get(USERS).set('x-api-key', key),
      guest().get(USERS).set('authorization', key),
      guest().get(USERS).set('authorization', `Token ${key}`),
      guest().get(USERS).set('authorization', `ApiKey ${key}`),
      guest().get(USERS).set('authorization', `Bearer\t${key}`),
      guest()
        .get(USERS)
        .set('authorization', `Basic ${Buffer.from(`${key}:`).toString('base64')}`),
      guest()
        .get(USERS)
        .set('authorization', `Basic ${Buffer.from(`x:${key}`).toString('base64')}`),
      guest().get(USERS).set('proxy-authorization', `Bearer ${key}`),
      guest().get(USERS).set('cookie', `key=${key}; api_key=${key}; access_token=${key}`),
    ];
    for (const request of ignored) expect(outcome(await request)).toEqual([401, 'token_missing']);
    expect(outcome(await guest().get(USERS).set('cookie', `token=${key}`))).toEqual([401, 'token_invalid']);
  });

  it('is invalid with any addition', async () => {
    const spellings = [
      `${key} `.padEnd(60, 'x'),
      `${key},`,
      `"${key}"`,
      `${key}, ${key}`,
      `${key} ${token}`,
      `${key}.`,
      `${key}%20`,
      key.replace('lin_', 'lin__'),
      key.toLowerCase(),
      key.slice(0, -1),
      `lin_${key}`,
      'lin_',
      `lin_pat_${'é'.repeat(3)}`,
      `lin_pat_${'0'.repeat(36)}`,
      `lin_pat_${'a'.repeat(5_000)}`,
    ];
    for (const spelling of spellings) {
      const [status, error] = outcome(await guest().get(USERS).set('authorization', `Bearer ${spelling}`));
      expect([spelling, status]).toEqual([spelling, 401]);
      expect([spelling, error]).toEqual([spelling, expect.stringMatching(/^(key|token)_invalid$/)]);
    }
  });

  it('is rejected with any one character changed, at every position, without a query', async () => {
    const asked = await lookups(async () => {
      for (let at = 0; at < key.length; at += 1) {
        const changed = `${key.slice(0, at)}${key[at] === 'x' ? 'y' : 'x'}${key.slice(at + 1)}`;
        const answer = await guest().get(USERS).set('authorization', `Bearer ${changed}`);
        // A value without the prefix of a key is read as a session token.
        expect([at, ...outcome(answer)]).toEqual([at, 401, at < 4 ? 'token_invalid' : 'key_invalid']);
      }
    });
    expect(asked).toBe(0);
  });

  it('has precedence over a cookie and does not fall back to it', async () => {
    const { token: other } = await signedIn(world.app, { roles: ['admin'] });
    const bad = await guest().get(USERS).set('authorization', `Bearer ${unknownKey()}`).set('cookie', `token=${other}`);
    expect(outcome(bad)).toEqual([401, 'key_invalid']);
  });

  it('may write without the Lintel page, because browsers do not send it automatically', async () => {
    const person = await createPerson(world.app);
    await world.app
      .as(key)
      .patch(`/api/content/users/${person.id}`, { first_name: 'New' })
      .set('origin', 'https://elsewhere.example')
      .set('sec-fetch-site', 'cross-site')
      .expect(200);
  });

  it('costs one query on its first use, and none afterwards', async () => {
    const { key: fresh } = await makeKey(world.app, token);
    const use = () => world.app.as(fresh).get(USERS).expect(200);
    expect(await lookups(use)).toBe(1);
    expect(await lookups(async () => Promise.all(Array.from({ length: 20 }, use)))).toBe(0);
  });

  it('costs the same queries as a session, and writes nothing', async () => {
    // Principals are read again if change notices are late, for keys and sessions alike.
    const isLookup = /FROM (api_keys|sessions|roles) /;
    const person = await createPerson(world.app, { roles: ['admin'] });
    const session = await signIn(world.app, person);
    const { key: fresh } = await makeKey(world.app, session);
    const sent = async (bearer: string): Promise<readonly string[]> => {
      const client = world.app.as(bearer);
      await client.get(USERS).expect(200);
      return (
        await statementsOf(async () => {
          await client.get(USERS).expect(200);
          await client.get('/api/openapi.json').expect(200);
          await client.get(`/api/content/users/${person.id}`).expect(200);
        })
      )
        .map(({ text }) => text)
        .filter((text) => /\b(users|sessions|api_keys|permissions)\b/.test(text) && !isLookup.test(text));
    };
    const ofSession = await sent(session);
    expect(await sent(fresh)).toEqual(ofSession);
    expect(ofSession.filter((text) => /^\s*(INSERT|UPDATE|DELETE)/i.test(text))).toEqual([]);
  });

  it('costs one query for concurrent first requests', async () => {
    const { key: fresh } = await makeKey(world.app, token);
    const use = () => world.app.as(fresh).get(USERS).expect(200);
    expect(await lookups(() => Promise.all(Array.from({ length: 40 }, use)))).toBe(1);
  });

  it('that is malformed costs no query, a thousand times', async () => {
    const junk = async () => {
      for (let i = 0; i < 1_000; i += 1)
        await guest()
          .get(USERS)
          .set('authorization', `Bearer ${unknownKey().slice(0, -1)}_`)
          .expect(401);
    };
    expect(await lookups(junk)).toBe(0);
  });

  it('that is unknown costs one query', async () => {
    const nobodys = unknownKey();
    const use = () => world.app.as(nobodys).get(USERS).expect(401);
    expect(await lookups(use)).toBe(1);
    expect(await lookups(async () => Promise.all(Array.from({ length: 20 }, use)))).toBe(0);
  });
});

describe('guesses of API keys', () => {
  let app: TestApp;
  let key: string;
  let token: string;

  beforeAll(async () => {
    app = await TestApp.start({ env: { RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: '1' } });
    const person = await createPerson(app, { roles: ['admin'] });
    token = await signIn(app, person);
    key = (await makeKey(app, token)).key;
  });
  afterAll(() => app?.stop());

  const from = (address: string, bearer: string) =>
    app.asGuest().get(USERS).set('x-forwarded-for', address).set('authorization', `Bearer ${bearer}`);

  it('cost an address 300 queries a minute, and then one shared query', async () => {
    await from('203.0.113.7', key).expect(200);
    const outcomes: string[] = [];
    const asked = await lookups(async () => {
      for (let round = 0; round < 16; round += 1) {
        const answers = await Promise.all(Array.from({ length: 25 }, () => from('203.0.113.7', unknownKey())));
        outcomes.push(...answers.map((answer) => String(outcome(answer)[1])));
      }
    });
    expect(asked).toBeGreaterThanOrEqual(304);
    expect(asked).toBeLessThan(330);
    expect(outcomes.filter((error) => error === 'key_invalid')).toHaveLength(300);
    expect(outcomes.filter((error) => error === 'rate_limited')).toHaveLength(100);
    const refused = await from('203.0.113.7', unknownKey());
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('block neither a key in use nor other addresses', async () => {
    await from('203.0.113.7', key).expect(200);
    expect(outcome(await from('203.0.113.8', unknownKey()))).toEqual([401, 'key_invalid']);
  });

  it('are counted by the /64 of an IPv6 address', async () => {
    const guess = (host: number) => from(`2001:db8:0:7::${host.toString(16)}`, unknownKey());
    for (let round = 0; round < 12; round += 1)
      await Promise.all(Array.from({ length: 25 }, (_, n) => guess(round * 25 + n + 1)));
    expect(outcome(await guest6('2001:db8:0:7::ffff'))).toEqual([429, 'rate_limited']);
    expect(outcome(await guest6('2001:db8:0:8::1'))).toEqual([401, 'key_invalid']);
    function guest6(address: string) {
      return from(address, unknownKey());
    }
  });
});

describe('API keys on two instances', () => {
  const world = useTestApp();
  let other: TestApp;
  let root: string;

  beforeAll(async () => {
    other = await world.app.secondInstance();
    root = (await signedIn(world.app, { roles: ['admin'] })).token;
  });
  afterAll(() => other?.stop());

  /** Uses a key on both instances and changes something on the first. Returns the response of the second within a second. */
  async function after(key: string, happens: () => Promise<unknown>): Promise<[number, string | undefined]> {
    await world.app.as(key).get(USERS).expect(200);
    // Behind a pooler, the second instance receives changes half a second later.
    await until(async () => (await other.as(key).get(USERS)).status === 200, 'the second instance to know the key');
    await happens();
    const end = performance.now() + 1_000;
    for (;;) {
      const found = outcome(await other.as(key).get(USERS));
      if (found[0] !== 200 || performance.now() > end) return found;
      await delay(20);
    }
  }

  it('are revoked on both within a second', async () => {
    const { key, id } = await makeKey(world.app, root);
    const ended = await after(key, () => world.app.as(root).delete(`/api/auth/keys/${id}`).expect(200));
    expect(ended).toEqual([401, 'key_invalid']);
  });

  it('are revoked on both when they are reported', async () => {
    const { key } = await makeKey(world.app, root);
    const ended = await after(key, () => world.app.asGuest().post('/api/auth/keys/report', { key }).expect(202));
    expect(ended).toEqual([401, 'key_invalid']);
  });

  it('are revoked on both when they are rotated without an overlap', async () => {
    const { key, id } = await makeKey(world.app, root);
    const rotate = () =>
      world.app
        .as(root)
        .post(`/api/auth/keys/${id}/rotate`, { overlap_hours: 0, current_password: PASSWORD })
        .expect(201);
    expect(await after(key, rotate)).toEqual([401, 'key_expired']);
  });

  it('have fewer rights on both once their owner loses a role or is deactivated', async () => {
    const { token, person } = await signedIn(world.app, { roles: ['admin'] });
    const { key } = await makeKey(world.app, token);
    const users = world.app.as(root);
    const path = `/api/content/users/${person.id}`;
    expect(await after(key, () => users.patch(path, { roles: [] }).expect(200))).toEqual([403, 'permission_denied']);
    const { token: second, person: shut } = await signedIn(world.app, { roles: ['admin'] });
    const { key: another } = await makeKey(world.app, second);
    const close = () => users.patch(`/api/content/users/${shut.id}`, { activated: false }).expect(200);
    expect(await after(another, close)).toEqual([401, 'key_invalid']);
  });

  it('are revoked on both with their owner: a user or a service account', async () => {
    const { token, person } = await signedIn(world.app, { roles: ['admin'] });
    const { key } = await makeKey(world.app, token);
    const remove = () => world.app.as(root).delete(`/api/content/users/${person.id}`).expect(200);
    expect(await after(key, remove)).toEqual([401, 'key_invalid']);
    const program = await makeServiceKey(world.app, root, ['admin']);
    const dismiss = () => world.app.as(root).delete(`/api/service-accounts/${program.accountId}`).expect(200);
    expect(await after(program.key, dismiss)).toEqual([401, 'key_invalid']);
  });

  it('have fewer rights on both once a role of their owner loses rights, whatever their scopes', async () => {
    const seeder = world.app.get(RoleSeeder);
    const seed = (...permissions: readonly PermissionDefinition[]) =>
      seeder.seed([{ name: 'shrinking', permissions: [...permissions] }]);
    await seed({ resource: 'content.user.*', value: 'allow', fields: null });
    const { token } = await signedIn(world.app, { roles: ['shrinking'] });
    const { key } = await makeKey(world.app, token, { scopes: [{ resource: '*' }, { resource: 'content.user.list' }] });
    const cut = await after(key, () => seed({ resource: 'content.role.list', value: 'allow', fields: null }));
    expect(cut).toEqual([403, 'permission_denied']);
  });

  it('are accepted by the other instance immediately', async () => {
    const { key } = await makeKey(world.app, root);
    await other.as(key).get(USERS).expect(200);
  });

  it('expire on both at the same moment', async () => {
    const { key } = await makeKey(world.app, root, { expires_in_days: 1 });
    const expire = () => Promise.resolve(world.app.clock.advance(86_400));
    expect(await after(key, expire)).toEqual([401, 'key_expired']);
    expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_expired']);
  });
});
