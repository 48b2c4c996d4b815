import { randomBytes } from 'node:crypto';
import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Json = Record<string, unknown>;

const GAUGES = '/api/content/gauges';
const SAFE = Number.MAX_SAFE_INTEGER;

const TYPES: readonly [string, Json?][] = [
  ['bool'],
  ['time'],
  ['json'],
  ['uuid'],
  ['bytes', { size: 4 }],
  ['enum', { enums: [{ value: 'a' }, { value: 'B' }] }],
  ['string', { size: 4 }],
  ['text'],
  ...['int', 'int8', 'int16', 'int32', 'int64', 'uint', 'uint8', 'uint16', 'uint32', 'uint64'].map(
    (type) => [type] as [string],
  ),
  ['float32'],
  ['float64'],
];

describe('written values', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    const gauge = schema('gauge', [
      ...TYPES.map(([type, more]) => field(type, `a_${type}`, { optional: true, ...more })),
      field('string', 'long', { optional: true, unique: true, size: 8_000 }),
      field('text', 'words', { optional: true, searchable: true }),
      field('string', 'fixed', { optional: true, immutable: true }),
      relation('box', 'box', 'gauges', 'm2o', { on_delete: 'restrict' }),
    ]);
    const box = schema(
      'box',
      [
        relation('gauges', 'gauge', 'box', 'o2m', { owner: true }),
        field('string', 'code', { optional: true, unique: true }),
      ],
      { disable_timestamp: true },
    );
    await root.post('/api/schema', { schemas: [gauge, box] }).expect(201);
  });

  it.each<[string, unknown, unknown?]>([
    ['bool', false],
    ['time', '2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['time', '2026-02-28T23:59:59.9999+01:00', '2026-02-28T22:59:59.999Z'],
    ['time', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['time', '9999-12-31T23:59:59.999Z'],
    ['time', '2026-02-28T23:59:59Z', '2026-02-28T23:59:59.000Z'],
    ['time', '2026-02-28T24:00:00Z', '2026-03-01T00:00:00.000Z'],
    ['json', { b: [1.5, null, { c: '✓' }], a: '' }],
    ['json', false],
    ['json', []],
    ['uuid', 'ABCDEF01-0000-7000-8000-000000000009', 'abcdef01-0000-7000-8000-000000000009'],
    ['bytes', '/+8='],
    ['bytes', ''],
    ['enum', 'B'],
    ['string', '✓😀ü1'],
    ['text', "'; DROP TABLE gauges; --"],
    ['text', '{"a\\",b}\\\\'],
    ['text', 'NULL'],
    ['text', ''],
    ['int', SAFE],
    ['int', -SAFE],
    ['int8', -128],
    ['int16', 32_767],
    ['int32', -2_147_483_648],
    ['int64', '9223372036854775807'],
    ['int64', '-9223372036854775808'],
    ['int64', '5', 5],
    ['int64', '-007', -7],
    ['int64', '-0', 0],
    ['uint', SAFE],
    ['uint8', 255],
    ['uint16', 65_535],
    ['uint32', 4_294_967_295],
    ['uint64', '18446744073709551615'],
    ['float32', 0.5],
    ['float64', 1.7976931348623157e308],
    ['float64', 5e-324],
  ])('%s stores %j, for every way of writing', async (type, value, kept = value) => {
    const name = `a_${type}`;
    const made = await root.post(GAUGES, { title: 'x', [name]: value }).expect(201);
    const path = `${GAUGES}/${made.body.data.id}`;
    expect(made.body.data[name]).toEqual(kept);
    const list = await root
      .post(GAUGES, [
        { title: 'x', [name]: value },
        { title: 'y', [name]: null },
      ])
      .expect(201);
    expect((list.body.data as Json[]).map((record) => record[name])).toEqual([kept, null]);
    await root.patch(path, { [name]: null }).expect(200);
    const changed = await root.patch(path, { [name]: value }).expect(200);
    expect(changed.body.data[name]).toEqual(kept);
    expect((await root.get(path).expect(200)).body.data[name]).toEqual(kept);
  });

  it.each(['a_json":{"n":[1e999]}', 'a_json":-1e999', 'a_float64":1e999', 'a_int":1e999'])(
    'a number outside the range is not stored as null: {"%s',
    async (member) => {
      const sent = root.post(GAUGES).set('content-type', 'application/json').send(`{"title":"x","${member}}`);
      const { body } = await sent.expect(400);
      expect(body.data.errors).toEqual([
        { field: member.split('"')[0], code: 'value_invalid', message: expect.any(String) },
      ]);
    },
  );

  it.each<[string, unknown]>([
    ['bool', 'true'],
    ['bool', 1],
    ['time', '2026-02-29'],
    ['time', '2026-02-28T25:00:00Z'],
    ['time', '2026-02-28T10:00:00'],
    ['time', '0000-01-01'],
    ['time', '0001-01-01T00:00:00+23:59'],
    ['time', '9999-12-31T23:59:59-23:59'],
    ['time', 'infinity'],
    ['time', 'yesterday'],
    ['time', 1_700_000_000_000],
    ['json', { key: 'nul\u0000' }],
    ['json', { 'nul\u0000': 1 }],
    ['uuid', 'abcdef01-0000-7000-8000-00000000000'],
    ['uuid', '{abcdef01-0000-7000-8000-000000000009}'],
    ['bytes', 'AQIDBAU='],
    ['bytes', 'AQ'],
    ['bytes', '-_8='],
    ['enum', 'b'],
    ['enum', ['a']],
    ['string', 'x'.repeat(5)],
    ['string', ['x']],
    ['text', 5],
    ['int', SAFE + 1],
    ['int', '9007199254740992'],
    ['int', 1.5],
    ['int', '1e3'],
    ['int', ' 1'],
    ['int', true],
    ['int8', 128],
    ['int8', -129],
    ['int16', 32_768],
    ['int32', 2_147_483_648],
    ['int64', '9223372036854775808'],
    ['int64', 2 ** 63],
    ['uint', -1],
    ['uint8', 256],
    ['uint16', 65_536],
    ['uint32', 4_294_967_296],
    ['uint64', '18446744073709551616'],
    ['uint64', -1],
    ['float32', 3.5e38],
    ['float32', '1'],
    ['float64', 'NaN'],
  ])('%s rejects %j and names the field, for every way of writing', async (type, value) => {
    const name = `a_${type}`;
    const { id } = (await root.post(GAUGES, { title: 'x' }).expect(201)).body.data;
    const filter = encodeURIComponent(JSON.stringify({ id }));
    const writes: [TestClientCall, string][] = [
      [() => root.post(GAUGES, { title: 'x', [name]: value }), name],
      [() => root.patch(`${GAUGES}/${id}`, { [name]: value }), name],
      [() => root.put(`${GAUGES}/${id}`, { title: 'x', [name]: value }), name],
      [() => root.patch(`${GAUGES}?filter=${filter}`, { [name]: value }), name],
      [
        () => root.post('/api/content/boxs', { title: 'x', gauges: [{ title: 'y', [name]: value }] }),
        `gauges[0].${name}`,
      ],
    ];
    for (const [write, place] of writes) {
      const { body } = await write().expect(400);
      expect(body.data.errors).toEqual([{ field: place, code: 'value_invalid', message: expect.any(String) }]);
    }
    expect((await root.get(`${GAUGES}/${id}`)).body.data[name]).toBeNull();
  });

  it('a value that an index cannot store is a client error', async () => {
    const long = await root.post(GAUGES, { title: 'x', long: randomBytes(4_000).toString('hex') }).expect(400);
    expect(long.body.data.error).toBe('field_invalid');
    const words = Array.from({ length: 90_000 }, (_, at) => `w${at.toString(36)}ü`).join(' ');
    const search = await root.post(GAUGES, { title: 'x', words });
    expect([201, 400]).toContain(search.status);
  });

  it('an immutable field cannot be changed by any way of writing', async () => {
    const { id } = (await root.post(GAUGES, { title: 'x', fixed: 'a' }).expect(201)).body.data;
    const filter = encodeURIComponent(JSON.stringify({ id }));
    const operations = [{ op: 'update', schema: 'gauge', id, data: { fixed: 'b' } }];
    for (const write of [
      () => root.patch(`${GAUGES}/${id}`, { fixed: 'b' }),
      () => root.put(`${GAUGES}/${id}`, { title: 'x', fixed: 'b' }),
      () => root.patch(`${GAUGES}?filter=${filter}`, { fixed: null }),
      () => root.post('/api/batch', { operations }),
    ]) {
      const { body } = await write().expect(400);
      expect(body.data.errors).toEqual([{ field: 'fixed', code: 'immutable', message: expect.any(String) }]);
    }
    await root.put(`${GAUGES}/${id}`, { title: 'y' }).expect(200);
    expect((await root.get(`${GAUGES}/${id}`)).body.data).toMatchObject({ title: 'y', fixed: 'a' });
  });

  it('a referenced record cannot be deleted by any way', async () => {
    const box = (await root.post('/api/content/boxs', { title: 'full', gauges: [{ title: 'in' }] }).expect(201)).body
      .data;
    const filter = encodeURIComponent(JSON.stringify({ id: box.id }));
    for (const write of [
      () => root.delete(`/api/content/boxs/${box.id}`),
      () => root.delete(`/api/content/boxs?filter=${filter}`),
      () => root.post('/api/batch', { operations: [{ op: 'delete', schema: 'box', id: box.id }] }),
    ]) {
      const { body } = await write().expect(409);
      expect(body.data.error).toBe('record_in_use');
      expect(JSON.stringify(body)).not.toMatch(/constraint|fkey|violates/);
    }
    await root.get(`/api/content/boxs/${box.id}`).expect(200);
  });

  it('a taken value is named, for every way of writing', async () => {
    await root.post('/api/content/boxs', { title: 'x', code: 'same' }).expect(201);
    const [one, two] = (await root.post('/api/content/boxs', [{ title: 'one' }, { title: 'two' }]).expect(201)).body
      .data;
    const filter = encodeURIComponent(JSON.stringify({ id: { $in: [one.id, two.id] } }));
    for (const [field, write] of [
      ['code', () => root.post('/api/content/boxs', { title: 'y', code: 'same' })],
      [
        'records[1].code',
        () =>
          root.post('/api/content/boxs', [
            { title: 'y', code: 'new' },
            { title: 'z', code: 'new' },
          ]),
      ],
      ['code', () => root.patch(`/api/content/boxs/${one.id}`, { code: 'same' })],
      ['code', () => root.put(`/api/content/boxs/${one.id}`, { title: 'one', code: 'same' })],
      ['code', () => root.patch(`/api/content/boxs?filter=${filter}`, { code: 'both' })],
      ['box.code', () => root.post(GAUGES, { title: 'x', box: { title: 'nested', code: 'same' } })],
    ] as const) {
      const { body } = await write().expect(409);
      expect(body.data).toEqual({
        error: 'unique_violation',
        errors: [{ field, code: 'unique_violation', message: expect.any(String) }],
      });
    }
  });

  it('one of 16 equal concurrent values is stored', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => root.post('/api/content/boxs', { title: 'r', code: 'race' })),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, ...Array<number>(15).fill(409)]);
  });

  it('deleted records free their values, and are restored only while these are free', async () => {
    const first = (await root.post(GAUGES, { title: 'x', long: 'free' }).expect(201)).body.data;
    await root.delete(`${GAUGES}/${first.id}`).expect(200);
    const second = (await root.post(GAUGES, { title: 'y', long: 'free' }).expect(201)).body.data;
    const { body } = await root.post(`${GAUGES}/${first.id}/restore`).expect(409);
    expect(body.data).toMatchObject({ error: 'unique_violation', errors: [{ field: 'long' }] });
    await root.delete(`${GAUGES}/${second.id}`).expect(200);
    await root.post(`${GAUGES}/${first.id}/restore`).expect(200);
  });

  it('a missing reference is named, for every way of writing', async () => {
    const ghost = '00000000-0000-7000-8000-0000000000ff';
    const { id } = (await root.post(GAUGES, { title: 'x' }).expect(201)).body.data;
    for (const [write, place] of [
      [() => root.post(GAUGES, { title: 'x', box: ghost }), 'box'],
      [() => root.patch(`${GAUGES}/${id}`, { box: { id: ghost } }), 'box'],
      [() => root.post('/api/content/boxs', { title: 'x', gauges: [ghost] }), 'gauges'],
      [() => root.post('/api/content/boxs', { title: 'x', gauges: [{ title: 'y' }, { id: ghost }] }), 'gauges'],
    ] as const) {
      const { body } = await write().expect(400);
      expect(body.data).toEqual({
        error: 'reference_not_found',
        errors: [{ field: place, code: 'reference_not_found', message: expect.any(String) }],
      });
    }
  });
});

type TestClientCall = () => ReturnType<TestClient['post']>;
