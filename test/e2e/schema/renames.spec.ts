import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaFilesService } from '../../../src/data/schema/schema-files.service.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { asAdmin } from '../../support/schema-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Json = Record<string, unknown>;

describe('exchanged names', () => {
  const world = useTestApp();
  let admin: TestClient;

  beforeAll(async () => {
    admin = await asAdmin(world.app);
  });

  const post = async (json: unknown, status: number) =>
    (await admin.post('/api/schema', json).expect(status)).body.data;
  const plan = async (json: unknown): Promise<Json[]> => {
    const { body } = await admin.post('/api/schema/plan', json).expect(200);
    return body.data.steps;
  };
  const only = async (path: string): Promise<Json> =>
    (await admin.get(`/api/content/${path}`).expect(200)).body.data.items[0];

  it('of fields of one type move their values, also back', async () => {
    const hands = schema('hand', [field('string', 'lefty'), field('string', 'righty')]);
    await post(hands, 201);
    await admin.post('/api/content/hands', { title: 't', lefty: 'L', righty: 'R' }).expect(201);
    const swap = { ...hands, renames: { fields: { lefty: 'righty', righty: 'lefty' } } };
    const steps = await plan(swap);
    expect(steps.map(({ kind }) => kind)).toEqual(['rename_column', 'rename_column', 'rename_column']);
    expect(steps.some(({ loses_data }) => loses_data)).toBe(false);
    await admin.put('/api/schema/hand', swap).expect(200);
    expect(await only('hands')).toMatchObject({ lefty: 'R', righty: 'L' });
    await post(swap, 200);
    expect(await only('hands')).toMatchObject({ lefty: 'L', righty: 'R' });
  });

  it('of fields of other types move indexes, checks and defaults', async () => {
    const sized = field('string', 'size', { size: 10, unique: true });
    const state = field('enum', 'state', { enums: [{ value: 'on' }, { value: 'off' }], default: 'on' });
    const count = field('uint8', 'count', { default: 7 });
    const indexes = (a: string, b: string) => ({ db: { indexes: [{ columns: [a, b], unique: true }] } });
    await post(schema('part', [sized, state, count], indexes('size', 'state')), 201);
    await admin.post('/api/content/parts', { title: 't', size: 'large', state: 'off', count: 3 }).expect(201);
    const named = (one: Json, name: string) => ({ ...one, name });
    const turned = {
      ...schema(
        'part',
        [named(count, 'size'), named(sized, 'state'), named(state, 'count')],
        indexes('state', 'count'),
      ),
      renames: { fields: { size: 'state', state: 'count', count: 'size' } },
    };
    expect((await plan(turned)).filter(({ loses_data }) => loses_data)).toEqual([]);
    await post(turned, 200);
    expect(await only('parts')).toMatchObject({ size: 3, state: 'large', count: 'off' });
    await admin.post('/api/content/parts', { title: 't', state: 'large' }).expect(409);
    await admin.post('/api/content/parts', { title: 't', state: 'small', size: 256 }).expect(400);
    const made = await admin.post('/api/content/parts', { title: 't', state: 'small' }).expect(201);
    expect(made.body.data).toMatchObject({ size: 7, state: 'small', count: 'on' });
  });

  it('of relations move their links', async () => {
    const letter = (extra: Json = {}) => ({
      schemas: [
        {
          ...schema('letter', [relation('sender', 'pen', 'sent', 'm2o'), relation('taker', 'pen', 'taken', 'm2o')]),
          ...extra,
        },
        schema('pen', [
          relation('sent', 'letter', 'sender', 'o2m', { owner: true }),
          relation('taken', 'letter', 'taker', 'o2m', { owner: true }),
        ]),
      ],
    });
    await post(letter(), 201);
    await admin.post('/api/content/letters', { title: 't', sender: { title: 'S' }, taker: { title: 'T' } }).expect(201);
    const [one, other] = (letter() as { schemas: Json[] }).schemas;
    const swapped = {
      schemas: [
        { ...one, renames: { fields: { sender: 'taker', taker: 'sender' } } },
        { ...other, renames: { fields: { sent: 'taken', taken: 'sent' } } },
      ],
    };
    expect((await plan(swapped)).filter(({ loses_data }) => loses_data)).toEqual([]);
    await post(swapped, 200);
    const { sender, taker } = await only('letters?select=sender.title,taker.title');
    expect([sender, taker]).toEqual([{ title: 'T' }, { title: 'S' }]);
  });

  it('in a chain are applied once', async () => {
    await post(schema('row', [field('int', 'a'), field('int', 'b')]), 201);
    await admin.post('/api/content/rows', { title: 't', a: 1, b: 2 }).expect(201);
    const moved = { ...schema('row', [field('int', 'b'), field('int', 'c')]), renames: { fields: { a: 'b', b: 'c' } } };
    await post(moved, 200);
    expect(await only('rows')).toMatchObject({ b: 1, c: 2 });
    expect(await plan(moved)).toEqual([]);
    await post(moved, 200);
    expect(await only('rows')).toMatchObject({ b: 1, c: 2 });
  });

  it('of schemas move their records and references', async () => {
    const cat = schema('cat', [field('int', 'lives'), relation('home', 'house', 'cats', 'm2o')]);
    const dog = schema('dog', [field('string', 'bark'), relation('houses', 'house', 'dogs', 'm2m')]);
    const house = schema('house', [
      relation('cats', 'cat', 'home', 'o2m', { owner: true }),
      relation('dogs', 'dog', 'houses', 'm2m', { owner: true }),
    ]);
    await post({ schemas: [cat, dog, house] }, 201);
    await admin
      .post('/api/content/houses', {
        title: 'h',
        cats: [{ title: 'c', lives: 9 }],
        dogs: [{ title: 'd', bark: 'wuff' }],
      })
      .expect(201);
    // Their tables swap names, too.
    const swapped = [
      { ...cat, name: 'dog', namespace: 'dogs', renames: { schema: 'cat' } },
      { ...dog, name: 'cat', namespace: 'cats', renames: { schema: 'dog' } },
    ];
    expect((await plan({ schemas: swapped })).filter(({ loses_data }) => loses_data)).toEqual([]);
    await post({ schemas: swapped }, 200);
    expect(await only('dogs')).toMatchObject({ title: 'c', lives: 9 });
    expect(await only('cats')).toMatchObject({ title: 'd', bark: 'wuff' });
    const { cats, dogs } = await only('houses?select=cats.title,dogs.title');
    expect([cats, dogs]).toEqual([[{ title: 'c' }], [{ title: 'd' }]]);
    const { body } = await admin.get('/api/schema/house').expect(200);
    const targets = (body.data.fields as { name: string; relation?: { schema: string } }[]).map(
      ({ name, relation: to }) => [name, to?.schema],
    );
    expect(Object.fromEntries(targets)).toMatchObject({ cats: 'dog', dogs: 'cat' });
  });

  it('of three equal schemas in a ring keep the tables', async () => {
    const names = ['sun', 'moon', 'star'];
    await post({ schemas: names.map((name) => schema(name)) }, 201);
    for (const name of names) await admin.post(`/api/content/${name}`, { title: name }).expect(201);
    const turned = names.map((name, at) => ({ ...schema(name), renames: { schema: names[(at + 1) % 3] } }));
    await post({ schemas: turned }, 200);
    const titles = await Promise.all(names.map(async (name) => (await only(name))['title']));
    expect(titles).toEqual(['moon', 'star', 'sun']);
  });

  it.each([
    [
      'fields',
      [
        {
          ...schema('hand', [field('string', 'lefty'), field('string', 'righty')]),
          renames: { fields: { lefty: 'righty', righty: 'lefty' } },
        },
      ],
      'renames/fields/lefty',
    ],
    [
      'schemas',
      [
        { ...schema('sun'), renames: { schema: 'moon' } },
        { ...schema('moon'), renames: { schema: 'sun' } },
      ],
      'renames/schema',
    ],
  ])('in a file are rejected, because they would be repeated: %s', async (_, schemas, place) => {
    const before = await only('hands');
    const files = world.app.get(SchemaFilesService);
    const own = join(world.app.config.dataDir, 'schemas');
    const other = join(world.app.config.dataDir, 'other');
    const write = (directory: string, content: unknown) => {
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'swap.json'), JSON.stringify(content));
    };
    write(other, { schemas });
    await expect(files.apply(other, {})).rejects.toThrow(new RegExp(`swap\\.json.*${place}.*through the API`, 's'));
    write(own, { schemas });
    try {
      await expect(files.applyAtStart()).rejects.toThrow('swap.json');
    } finally {
      rmSync(join(own, 'swap.json'));
    }
    expect(await only('hands')).toEqual(before);
  });
});
