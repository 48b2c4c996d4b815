import { setTimeout } from 'node:timers/promises';
import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Request = readonly ['patch' | 'post', string, object];

const SCHEMAS = [
  schema('band', [
    relation('fans', 'fan', 'bands', 'm2m', { owner: true }),
    relation('crew', 'fan', 'employer', 'o2m', { owner: true }),
    relation('singer', 'fan', 'voice', 'o2o', { owner: true }),
  ]),
  schema('fan', [
    relation('bands', 'band', 'fans', 'm2m'),
    relation('employer', 'band', 'crew', 'm2o'),
    relation('voice', 'band', 'singer', 'o2o'),
  ]),
  schema('person', [
    field('string', 'slug', { optional: true, unique: true }),
    relation('friends', 'person', 'admirers', 'm2m', { owner: true }),
    relation('admirers', 'person', 'friends', 'm2m'),
    relation('reports', 'person', 'boss', 'o2m', { owner: true }),
    relation('boss', 'person', 'reports', 'm2o'),
    relation('mentee', 'person', 'mentor', 'o2o', { owner: true }),
    relation('mentor', 'person', 'mentee', 'o2o'),
  ]),
];

describe('16 writes of the same links at once', () => {
  const world = useTestApp();
  let root: TestClient;
  let [a, b, c, x, y, z]: string[] = [];
  let [f, g, h]: string[] = [];

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    await root.post('/api/schema', { schemas: SCHEMAS }).expect(201);
  });

  beforeEach(async () => {
    const make = async (name: string): Promise<string[]> => {
      const list = Array.from({ length: 3 }, () => ({ title: name }));
      const { body } = await root.post(`/api/content/${name}`, list).expect(201);
      return (body.data as { id: string }[]).map(({ id }) => id);
    };
    [[a, b, c], [f, g, h], [x, y, z]] = [await make('band'), await make('fan'), await make('person')];
  });

  const band = (id: string | undefined, body: object): Request => ['patch', `/api/content/band/${id}`, body];
  const fan = (id: string | undefined, body: object): Request => ['patch', `/api/content/fan/${id}`, body];
  const person = (id: string | undefined, body: object): Request => ['patch', `/api/content/person/${id}`, body];
  const batch = (name: string, ids: (string | undefined)[], data: object): Request => [
    'post',
    '/api/batch',
    { operations: ids.map((id) => ({ op: 'update', schema: name, id, data })) },
  ];

  /** Number of deadlocks that the database has counted. */
  async function deadlocks(): Promise<number> {
    const count = 'SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()';
    const [row] = await world.app.sql<{ count: number }>(count);
    return Number(row?.count);
  }

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
      'batches of one schema',
      () => [batch('person', [x, y], { reports: { $add: [z] } }), batch('person', [z, y], { reports: { $add: [x] } })],
    ],
  ];

  it.each(alternating)('%s: all succeed and none is chosen as a victim', async (_relation, requests) => {
    const before = await deadlocks();
    const turns = requests();
    const sent = Array.from({ length: 16 }, (_, at) => turns[at % turns.length] as Request);
    const answers = await Promise.all(sent.map(([method, path, body]) => root[method](path, body)));
    expect(answers.filter(({ status }) => status >= 300).map(({ body }) => body as object)).toEqual([]);
    // Sessions report what they counted once a second at most.
    await setTimeout(1_100);
    expect(await deadlocks()).toBe(before);
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

  // The side that holds the reference does not take it from another record.
  it.each(fromBothSides)(
    'an o2o that is %s from both sides fails by the unique reference only',
    async (_, requests) => {
      const before = await deadlocks();
      const turns = requests();
      const sent = Array.from({ length: 16 }, (_, at) => turns[at % turns.length] as Request);
      const answers = await Promise.all(sent.map(([method, path, body]) => root[method](path, body)));
      expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
      await setTimeout(1_100);
      expect(await deadlocks()).toBe(before);
      const held = await world.app.sql(
        'SELECT voice_id FROM fans WHERE voice_id = ANY($1) GROUP BY 1 HAVING count(*) > 1',
        [[a, b]],
      );
      expect(held).toEqual([]);
    },
  );
});
