import { signedIn } from '../../support/people.js';
import {
  all,
  band,
  batch,
  deadlocks,
  deleteAll,
  fan,
  LINK_SCHEMAS,
  person,
  race,
  type Request,
  threeOf,
  topic,
} from '../../support/link-races.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('16 deletions and writes of links at once', () => {
  const world = useTestApp();
  let root: TestClient;
  let [a, b, c, x, y, z]: string[] = [];
  let [f, g, h]: string[] = [];
  let [t, u, v]: string[] = [];

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    await root.post('/api/schema', { schemas: LINK_SCHEMAS }).expect(201);
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

  it.each(deleting)('a deletion %s fails for want of records only', async (_, requests) => {
    const before = await deadlocks(world.app);
    const turns = requests();
    for (let round = 0; round < 3; round += 1) {
      const answers = await race(root, turns, round);
      expect(answers.filter(({ status }) => status >= 500 || status === 422)).toEqual([]);
    }
    expect(await deadlocks(world.app)).toBe(before);
  });
});
