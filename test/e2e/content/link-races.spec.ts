import { signedIn } from '../../support/people.js';
import {
  all,
  band,
  batch,
  deadlocks,
  fan,
  linkSchemas,
  person,
  race,
  type Request,
  threeOf,
} from '../../support/link-races.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('16 concurrent writes of the same links', () => {
  const world = useTestApp();
  let root: TestClient;
  let [a, b, c, x, y, z]: string[] = [];
  let [f, g, h]: string[] = [];

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    await root.post('/api/schema', { schemas: linkSchemas() }).expect(201);
  });

  beforeEach(async () => {
    [a, b, c] = await threeOf(root, 'band');
    [f, g, h] = await threeOf(root, 'fan');
    [x, y, z] = await threeOf(root, 'person');
  });

  const alternating: [string, () => readonly Request[]][] = [
    ['m2m, one pair from both sides', () => [band(a, { fans: { $add: [f] } }), fan(f, { bands: { $add: [a] } })]],
    [
      'm2m, added and removed from both sides',
      () => [
        band(a, { fans: { $add: [g, f] } }),
        fan(f, { bands: { $remove: [a] } }),
        band(a, { fans: [f] }),
        fan(g, { bands: { $set: [b, a] } }),
      ],
    ],
    ['m2m to itself', () => [person(x, { friends: { $add: [y] } }), person(y, { friends: { $add: [x] } })]],
    [
      'm2m to itself, both fields',
      () => [person(x, { friends: { $add: [y] } }), person(y, { admirers: { $add: [x] } })],
    ],
    [
      'o2m and m2o',
      () => [band(a, { crew: [f, g] }), fan(f, { employer: b }), band(b, { crew: [g, f] }), fan(g, { employer: a })],
    ],
    [
      'o2m, whole lists of one side',
      () => [band(a, { crew: [f, g, h] }), band(b, { crew: { $add: [h, g, f] } }), band(c, { crew: [h, f] })],
    ],
    ['o2m to itself', () => [person(x, { reports: { $add: [y] } }), person(y, { reports: { $add: [x] } })]],
    [
      'o2m and m2o to itself',
      () => [
        person(x, { reports: [y, z] }),
        person(y, { boss: z }),
        person(z, { reports: { $add: [x] } }),
        person(z, { boss: x }),
      ],
    ],
    [
      'o2m to itself, whole lists',
      () => [
        person(x, { reports: [y, z] }),
        person(y, { reports: [z, x] }),
        person(z, { reports: [x] }),
        person(x, { reports: [] }),
        person(z, { reports: [y, x] }),
      ],
    ],
    [
      'm2m to itself, both fields of one request',
      () => [
        person(x, { friends: { $remove: [y, z] }, admirers: { $set: [z, y] } }),
        person(y, { friends: { $set: [x, z] }, admirers: { $remove: [z, x] } }),
        person(z, { friends: [x, y], admirers: [y, x] }),
        person(y, { friends: [z, x] }),
        person(z, { friends: [] }),
      ],
    ],
    [
      'o2o, exchanged',
      () => [band(a, { singer: f }), band(b, { singer: f }), band(a, { singer: g }), band(b, { singer: g })],
    ],
    ['o2o to itself', () => [person(x, { mentee: y }), person(y, { mentee: x })]],
    ['o2o to itself, both fields', () => [person(x, { mentee: y }), person(y, { mentor: x })]],
    [
      'a unique field with links',
      () => [
        person(x, { slug: 's', friends: { $add: [y] }, boss: y }),
        person(y, { slug: 't', friends: { $add: [x] }, boss: x }),
      ],
    ],
    [
      'nested records on both sides',
      () => [
        band(a, { fans: { $add: [{ title: 'new', bands: [b, a] }] }, crew: { $add: [f] } }),
        fan(f, { bands: { $add: [{ title: 'new', fans: [g, f], crew: [f, g] }] } }),
      ],
    ],
    [
      'lists of new records on both sides',
      () => [
        [
          'post',
          '/api/content/band',
          [
            { title: 'n', crew: [g, f], fans: [f] },
            { title: 'n', fans: [g, f] },
          ],
        ],
        [
          'post',
          '/api/content/fan',
          [
            { title: 'n', bands: [b, a] },
            { title: 'n', bands: [{ title: 'm', crew: [f] }] },
          ],
        ],
      ],
    ],
    [
      'batches on both sides',
      () => [batch('band', [a, b, c], { fans: [h, g, f] }), batch('fan', [h, g, f], { bands: [c, a, b] })],
    ],
    [
      'o2o and o2m of the same records',
      () => [
        band(a, { singer: f }),
        band(a, { crew: { $add: [f, g] } }),
        band(b, { crew: { $add: [g, f] } }),
        band(a, { singer: null }),
      ],
    ],
    [
      'o2o and m2m of the same records',
      () => [
        band(a, { singer: f }),
        band(a, { fans: [g, f], crew: { $add: [f] } }),
        fan(f, { bands: [a, b] }),
        band(a, { singer: null }),
        band(b, { fans: [], crew: { $add: [g] } }),
      ],
    ],
    [
      'every relation to itself',
      () => [
        person(x, { mentee: y, friends: [y, z] }),
        person(y, { reports: { $add: [x, z] }, admirers: [x] }),
        person(x, { mentee: null, reports: { $add: [y] } }),
        person(z, { friends: { $set: [x, y] }, boss: x }),
      ],
    ],
    [
      'batches of several relations',
      () => [
        batch('band', [a, b], { crew: { $add: [f] }, fans: [g, f] }),
        batch('fan', [g, f], { bands: [b, a], employer: a }),
        batch('band', [b, a], { singer: null, crew: { $add: [g] } }),
        band(a, { singer: f }),
      ],
    ],
    [
      'changes of all records of a filter',
      () => [
        all('band', [c, b, a], { crew: { $add: [h, g, f] } }),
        all('band', [a, b], { fans: [f, g] }),
        all('fan', [f, g, h], { bands: { $add: [c, a] } }),
        band(a, { singer: f, crew: { $add: [g] } }),
        batch('band', [c, a], { title: 'n' }),
      ],
    ],
    [
      'changes of all records of a filter to itself',
      () => [
        all('person', [z, y, x], { friends: [x, y, z] }),
        all('person', [x, y], { reports: { $add: [z] } }),
        person(z, { mentee: x, slug: 'r' }),
        all('person', [y, z], { admirers: { $remove: [x, z] } }),
      ],
    ],
    [
      'lists of all records of a filter, and of the other side',
      () => [
        all('fan', [f, g, h], { bands: [c] }),
        band(a, { fans: [f] }),
        band(a, { fans: [g, h] }),
        batch('fan', [h, g, f], { bands: [b] }),
        band(a, { fans: [f, g, h] }),
      ],
    ],
    [
      'changes of one record of a filter',
      () => [all('fan', [f], { employer: a }), band(a, { singer: f, crew: { $add: [f] } }), band(a, { singer: null })],
    ],
    [
      'batches of one schema',
      () => [batch('person', [x, y], { reports: { $add: [z] } }), batch('person', [z, y], { reports: { $add: [x] } })],
    ],
  ];

  it.each(alternating)('%s: all succeed', async (_relation, requests) => {
    const answers = await race(root, requests());
    expect(answers.filter(({ status }) => status >= 300).map(({ body }) => body as object)).toEqual([]);
  });

  const fromBothSides: [string, () => readonly Request[]][] = [
    ['set', () => [band(a, { singer: f }), fan(g, { voice: a }), band(b, { singer: g }), fan(f, { voice: b })]],
    [
      'set and cleared',
      () => [
        band(a, { singer: f }),
        fan(g, { voice: a }),
        band(a, { singer: null }),
        fan(f, { voice: b }),
        band(b, { singer: g }),
        band(b, { singer: null }),
        fan(g, { voice: null }),
      ],
    ],
  ];

  // The side that stores the reference does not take it from another record.
  it.each(fromBothSides)(
    'an o2o that is %s from both sides fails only by the unique reference',
    async (_, requests) => {
      const answers = await race(root, requests());
      expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
      const stored = await world.app.sql(
        'SELECT voice_id FROM fans WHERE voice_id = ANY($1) GROUP BY 1 HAVING count(*) > 1',
        [[a, b]],
      );
      expect(stored).toEqual([]);
    },
  );

  it('no request met a deadlock, not even a retried one', async () => {
    expect(await deadlocks(world.app)).toBe(0);
  });
});
