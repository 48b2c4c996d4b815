import { ContentStatements } from '../../../src/data/content/query/content-statements.js';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** Values of each field type that a cursor can contain. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  string: ['abc', 'abd'],
  int: [1, 2],
  uint64: ['18446744073709551614', '18446744073709551615'],
  int64: ['-9223372036854775808', '9223372036854775807'],
  float64: [0.5, 1e300],
  float32: [0.5, 3.4e38],
  time: ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  uuid: ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002'],
  bool: [false, true],
};
const TYPES = Object.keys(VALUES);

describe('content while schemas change', () => {
  const world = useTestApp();
  let root: TestClient;
  let counter = 0;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
  });

  /** Creates a schema with two records that differ in `x`, and a child schema that is sorted over the relation. */
  const made = async (type: string) => {
    counter += 1;
    const name = `thing${counter}`;
    const define = (fields: unknown[]) => [
      schema(name, [...fields, relation('kids', `${name}kid`, 'thing', 'o2m', { owner: true })]),
      schema(`${name}kid`, [relation('thing', name, 'kids', 'm2o')]),
    ];
    const x = (other: string) => field(other, 'x', { optional: true });
    const put = (fields: unknown[]) => root.post('/api/schema?allow_data_loss=true', { schemas: define(fields) });
    await put([x(type)]).expect(201);
    for (const value of VALUES[type] ?? [])
      await root.post(`/api/content/${name}`, { title: 't', x: value, kids: [{ title: 'k' }] }).expect(201);
    return { name, put, x };
  };

  it.each(TYPES)('rejects a cursor over a recreated %s field with another type', async (type) => {
    const { name, put, x } = await made(type);
    const paths = [
      `/api/content/${name}?sort=x`,
      `/api/content/${name}?sort=-x`,
      `/api/content/${name}kid?sort=thing.x`,
    ];
    const cursors: string[] = [];
    for (const path of paths) {
      const { body } = await root.get(`${path}&limit=1&cursor=`).expect(200);
      cursors.push(String(body.data.next_cursor));
      await root.get(`${path}&limit=1&cursor=${cursors.at(-1)}`).expect(200);
    }
    for (const other of ['string', 'int', 'uuid', 'time', type]) {
      await put([]).expect(200);
      await put([x(other)]).expect(200);
      for (const [at, path] of paths.entries()) {
        const { body } = await root.get(`${path}&limit=1&cursor=${cursors[at]}`).expect(400);
        expect(body.data.errors).toEqual([{ field: 'cursor', code: 'malformed', message: expect.any(String) }]);
        await root.get(`${path}&limit=1&cursor=`).expect(200);
      }
    }
  });

  it('accepts a cursor after a rename of its field, and rejects it after a change of type', async () => {
    const { name, put, x } = await made('int');
    const { body } = await root.get(`/api/content/${name}?sort=x&limit=1&cursor=`).expect(200);
    const cursor = String(body.data.next_cursor);
    const { data: definition } = (await root.get(`/api/schema/${name}`).expect(200)).body as {
      data: { fields: { name: string }[] };
    };
    const fields = definition.fields.map((one) => (one.name === 'x' ? { ...one, name: 'y' } : one));
    await root.put(`/api/schema/${name}`, { ...definition, fields, renames: { fields: { x: 'y' } } }).expect(200);
    const page = await root.get(`/api/content/${name}?sort=y&limit=1&cursor=${cursor}`).expect(200);
    expect(page.body.data.items).toMatchObject([{ y: 2 }]);
    await put([x('float64')]).expect(200);
    await root.get(`/api/content/${name}?sort=x&limit=1&cursor=${cursor}`).expect(400);
  });

  /** Restores the previous snapshot, as on an instance that has not received the change yet. */
  const behind = async (change: () => Promise<unknown>) => {
    const snapshots = world.app.get(SchemaSnapshots);
    const before = snapshots.current;
    await change();
    Reflect.set(snapshots, 'snapshot', before);
  };

  it.each(['aggregate?count=*&group=title', 'aggregate?sum=x', '?select=title', '?select=*&sort=x'])(
    'a dropped column fails no concurrent reader: %s',
    async (query) => {
      const { name, put } = await made('int');
      const { client } = await personWith(world.app, [{ resource: `content.${name}.*`, value: 'allow' }]);
      await behind(() => put([]));
      const { status } = await client.get(`/api/content/${name}${query.startsWith('?') ? query : `/${query}`}`);
      expect([200, 400]).toContain(status);
    },
  );

  it('a reader that meets a changed table in every attempt gets a retryable error', async () => {
    const { name, put } = await made('int');
    const snapshots = world.app.get(SchemaSnapshots);
    const before = snapshots.current;
    await put([]);
    // Mocked permanently, because the notice of the change can arrive at any time.
    const current = jest.spyOn(snapshots, 'current', 'get').mockReturnValue(before);
    const newer = { ...before, version: before.version + 1 };
    const latest = jest.spyOn(snapshots, 'latest').mockResolvedValue(newer);
    try {
      const answer = await root.get(`/api/content/${name}/aggregate?sum=x`).expect(503);
      expect(answer.body.data.error).toBe('server_busy');
      expect(answer.headers['retry-after']).toBe('1');
    } finally {
      latest.mockRestore();
      current.mockRestore();
    }
  });

  it.each([
    ['SELECT ($1::text)::bigint::text', 'abc'],
    ['SELECT ($1::text)::smallint::text', '32768'],
    ['SELECT ($1::text)::timestamptz::text', '2026-13-01'],
    ['SELECT (1 / ($1::text)::int)::text', '0'],
    ['SELECT exp(($1::text)::float8)::text', '1e9'],
    ["SELECT repeat('x', ($1::text)::int)", '1073741824'],
  ])('an expression that PostgreSQL cannot compute is a client error: %s of %s', async (text, value) => {
    const read = world.app.get(ContentStatements).read({ text, parameters: [value] });
    await expect(read).rejects.toMatchObject({ code: 'query_invalid', status: 400 });
  });
});
