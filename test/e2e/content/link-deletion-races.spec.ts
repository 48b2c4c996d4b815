import { until } from '../../support/mailbox.js';
import { signedIn } from '../../support/people.js';
import {
  all,
  band,
  batch,
  deadlocks,
  deleteAll,
  fan,
  linkSchemas,
  person,
  race,
  type Request,
  threeOf,
  topic,
} from '../../support/link-races.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const kinds: [string, Record<string, unknown>][] = [
  ['deletions', {}],
  ['permanent deletions', { disable_timestamp: true }],
];

describe.each(kinds)('16 %s and concurrent link writes', (_kind, more) => {
  const world = useTestApp();
  let root: TestClient;
  let [a, b, c, x, y, z]: string[] = [];
  let [f, g, h]: string[] = [];
  let [t, u, v]: string[] = [];

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    await root.post('/api/schema', { schemas: linkSchemas(more) }).expect(201);
  });

  beforeEach(async () => {
    [a, b, c] = await threeOf(root, 'band');
    [f, g, h] = await threeOf(root, 'fan');
    [x, y, z] = await threeOf(root, 'person');
    [t, u, v] = await threeOf(root, 'topic');
  });

  const deleting: [string, () => readonly Request[]][] = [
    [
      'of several records beside links to itself',
      () => [
        person(y, { friends: [x], boss: x }),
        deleteAll('person', [z, y, x]),
        person(x, { friends: [y, z], reports: { $add: [y] } }),
        ['post', '/api/content/person', { title: 'n', boss: z, friends: [x, y] }],
      ],
    ],
    [
      'of several records beside links of both sides',
      () => [
        deleteAll('fan', [h, g, f]),
        band(b, { fans: [g, f] }),
        ['post', '/api/content/band', { title: 'n', singer: h, fans: [g, f], crew: [f] }],
        deleteAll('band', [b, a]),
        fan(g, { employer: a, bands: [b, c] }),
      ],
    ],
    [
      'of single records beside links of both sides',
      () => [
        ['delete', `/api/content/band/${b}`, {}],
        fan(g, { employer: b, bands: [a, b], voice: c }),
        ['delete', `/api/content/fan/${f}`, {}],
        band(b, { fans: [h, g, f], crew: [f, g] }),
        ['delete', `/api/content/band/${a}`, {}],
        batch('fan', [g, f], { bands: { $remove: [a, b] }, employer: a }),
        ['delete', `/api/content/fan/${g}`, {}],
        ['post', '/api/content/band', { title: 'n', fans: [h, f, g], singer: f }],
      ],
    ],
    [
      'with the records that depend on it',
      () => [
        topic(t, { children: [u, v] }),
        ['delete', `/api/content/topic/${v}`, {}],
        batch('topic', [u, t], { title: 'n' }),
        topic(u, { children: [v], related: [t] }),
        ['post', `/api/content/topic/${v}/restore`, {}],
        all('topic', [t, u, v], { related: [v, u] }),
        ['delete', `/api/content/topic/${t}`, {}],
        ['post', `/api/content/topic/${t}/restore`, {}],
      ],
    ],
  ];

  it.each(deleting)('a deletion %s fails only for missing records', async (_, requests) => {
    const turns = requests();
    for (let round = 0; round < 3; round += 1) {
      const answers = await race(root, turns, round);
      expect(answers.filter(({ status }) => status >= 500 || status === 422)).toEqual([]);
    }
  });

  it('no request met a deadlock, not even a retried one', async () => {
    expect(await deadlocks(world.app)).toBe(0);
  });
});

describe('a permanent deletion of a record', () => {
  const world = useTestApp();

  it('waits for a batch that has locked some of its records', async () => {
    const root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    await root.post('/api/schema', { schemas: linkSchemas({ disable_timestamp: true }) }).expect(201);
    const [x, y, z] = await threeOf(root, 'person');
    await root.patch(`/api/content/person/${x}`, { boss: z }).expect(200);
    const [, , updates] = batch('person', [x, y, z], { title: 'n' });
    const requests: Promise<number>[] = [];
    await world.app.database.transaction(async (manager) => {
      await manager.query('SELECT FROM persons WHERE id = $1 FOR UPDATE', [y]);
      // Locks x, then waits for y.
      requests.push(root.post('/api/batch', updates).then(({ status }) => status));
      await waiting(1);
      // Changes x after z.
      requests.push(root.delete(`/api/content/person/${z}`).then(({ status }) => status));
      await waiting(2);
    });
    expect(await Promise.all(requests)).toEqual([200, 200]);
    expect(await deadlocks(world.app)).toBe(0);
  });

  async function waiting(count: number): Promise<void> {
    const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await world.app.sql(text)).length === count, `${count} sessions that wait for a lock`);
  }
});
