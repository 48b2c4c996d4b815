import { personWith } from '../../support/content-fixture.js';
import { makeGallery, PNG, send, sendForm, type UploadAnswer } from '../../support/file-fixture.js';
import { signedIn } from '../../support/people.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const SIZE = PNG.length;
const FULL = [507, 'quota_exceeded'];

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

describe('a file field with a quota', () => {
  const world = useTestApp();
  let root: TestClient;
  let ann: { client: TestClient; token: string };

  const binder = (quota: number): unknown =>
    schema('binder', [
      field('file', 'page', { optional: true, file: { quota } }),
      field('file', 'pages', { optional: true, multiple: true, file: { quota } }),
      field('file', 'loose', { optional: true, multiple: true }),
    ]);
  beforeAll(async () => {
    ({ root } = await makeGallery(world.app));
    await root.post('/api/schema', binder(3 * SIZE)).expect(201);
  });
  beforeEach(async () => {
    ann = await sender();
  });

  const sender = async (): Promise<typeof ann> => {
    const { client } = await personWith(world.app, [
      { resource: 'content.binder.*', value: 'allow' },
      { resource: 'content.file.*', value: 'allow' },
    ]);
    return { client, token: client.token ?? '' };
  };
  const idOf = ({ body }: Answer): string => (body as { data: { id: string } }).data.id;
  const outcomeOf = ({ status, body }: Answer): unknown[] => [
    status,
    (body as { data: { error?: string } }).data.error,
  ];
  const sent = async (by = ann, query = ''): Promise<UploadAnswer> => send(world.app, PNG, { token: by.token, query });
  const files = (count: number, by = ann): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, async () => (await sent(by)).data.id));
  const make = async (body: object = {}, by = ann): Promise<string> =>
    idOf(await by.client.post('/api/content/binders', { title: 'x', ...body }).expect(201));
  const place = (record: string, name: string): string => `?schema=binder&record=${record}&field=${name}`;
  const linked = async (records: readonly string[], name: 'page' | 'pages'): Promise<number> => {
    const found = await Promise.all(
      records.map(async (id) => (await ann.client.get(`/api/content/binders/${id}?select=${name}.id`)).body as object),
    );
    return found
      .flatMap((body) => Object.values((body as { data: object }).data))
      .flat()
      .filter(Boolean).length;
  };
  const tus = async (record: string, name: string): Promise<UploadAnswer> => {
    const metadata = Object.entries({ schema: 'binder', record, field: name })
      .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
      .join(',');
    const version = { 'tus-resumable': '1.0.0' };
    const { token } = ann;
    const begin = { ...version, 'upload-length': String(SIZE), 'upload-metadata': metadata };
    const begun = await send(world.app, '', { token, path: '/api/files/uploads', headers: begin });
    const headers = { ...version, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    return send(world.app, PNG, { token, path: begun.headers.get('location')!, method: 'PATCH', headers });
  };

  it.each(['page', 'pages'] as const)(
    '%s accepts no more of sixteen concurrent files, over any route',
    async (name) => {
      const records = await Promise.all(Array.from({ length: 16 }, () => make()));
      const there = await files(16);
      const ways: readonly ((at: number, record: string) => Promise<number>)[] = [
        async (_at, record) => (await sent(ann, place(record, name))).status,
        async (_at, record) => {
          const form = (one: FormData): void => one.append('file', new Blob([PNG]), 'a.png');
          return (await sendForm(world.app, form, { token: ann.token, query: place(record, name) })).status;
        },
        async (_at, record) => (await tus(record, name)).status,
        async (at, record) =>
          (
            await ann.client.patch(`/api/content/binders/${record}`, {
              [name]: name === 'page' ? there[at] : [there[at]],
            })
          ).status,
      ];
      const all = await Promise.all(records.map((record, at) => ways[at % ways.length]!(at, record)));
      expect(all.filter((status) => status === 507)).toHaveLength(13);
      expect(all.filter((status) => status < 300)).toHaveLength(3);
      expect(await linked(records, name)).toBe(3);
    },
  );

  it('rejects every way of writing a record, and writes nothing', async () => {
    const [one, two, three, four] = await files(4);
    const id = await make({ pages: [one, two, three] });
    const body = { title: 'x', pages: [four] };
    const filter = encodeURIComponent(JSON.stringify({ id: await make() }));
    const operations = [{ op: 'create', schema: 'binder', data: body }];
    const tries = [
      ann.client.post('/api/content/binders', body),
      ann.client.post('/api/content/binders', [{ title: 'y' }, body]),
      ann.client.patch(`/api/content/binders/${id}`, { pages: { $add: [four] } }),
      ann.client.put(`/api/content/binders/${await make()}`, body),
      ann.client.patch(`/api/content/binders?filter=${filter}`, { pages: [four] }),
      ann.client.post('/api/batch', { operations }),
    ];
    for (const answer of tries) expect(outcomeOf(await answer)).toEqual(FULL);
    const { body: refusal } = await ann.client.post('/api/content/binders', body);
    expect(refusal).toMatchObject({ data: { quota: 3 * SIZE, field: 'pages' } });
    const rows = [{ title: 'y' }, { title: 'x', pages: [{ id: four }] }].map((row) => JSON.stringify(row)).join('\n');
    const importing = { token: ann.token, type: 'application/x-ndjson', path: '/api/content/binders/import' };
    expect(await send(world.app, rows, importing)).toMatchObject({ status: 507, error: 'quota_exceeded' });
    expect(await ann.client.get('/api/content/binders?filter={"title":"y"}')).toMatchObject({
      body: { data: { total: 0 } },
    });
    // In place of another file it fits, in any order.
    await ann.client.patch(`/api/content/binders/${id}`, { pages: { $add: [four], $remove: [one] } }).expect(200);
    await ann.client.patch(`/api/content/binders/${id}`, { pages: [one, two, four] }).expect(200);
    expect(await linked([id], 'pages')).toBe(3);
  });

  it('counts per account, a file once, and for its uploader', async () => {
    const [one, two, three, four] = await files(4);
    await Promise.all([make({ pages: [one, two, three] }), make({ pages: [one, two, three] })]);
    await make({ page: one, loose: [one, two, three, four] });
    const bob = await sender();
    const own = await files(3, bob);
    const mixed = await make({ pages: own }, bob);
    expect(outcomeOf(await bob.client.patch(`/api/content/binders/${mixed}`, { pages: { $add: [four] } }))).toEqual(
      FULL,
    );
    const [more] = await files(1, bob);
    expect(outcomeOf(await ann.client.patch(`/api/content/binders/${mixed}`, { pages: { $add: [more] } }))).toEqual(
      FULL,
    );
  });

  it('frees space of unlinked and deleted files until they are restored', async () => {
    const [one, two, three, four, five] = await files(5);
    const id = await make({ pages: [one, two] });
    const last = await make({ pages: [three] });
    const next = () => ann.client.post('/api/content/binders', { title: 'x', pages: [four] });
    expect(outcomeOf(await next())).toEqual(FULL);
    await ann.client.patch(`/api/content/binders/${id}`, { pages: [two] }).expect(200);
    const fourth = idOf(await next().expect(201));
    await ann.client.delete(`/api/content/binders/${fourth}`).expect(200);
    await make({ pages: [five] });
    expect(outcomeOf(await ann.client.post(`/api/content/binders/${fourth}/restore`))).toEqual(FULL);
    await ann.client.delete(`/api/content/files/${three}`).expect(200);
    const back = [`binders/${fourth}`, `files/${three}`].map((path) => ann.client.post(`/api/content/${path}/restore`));
    const statuses = (await Promise.all(back)).map(({ status }) => status);
    expect(statuses.sort((one, other) => one - other)).toEqual([200, 507]);
    expect(last).toBeDefined();
  });

  it('cannot be exceeded by replacing bytes', async () => {
    const [one, two] = await files(2);
    await make({ pages: [one, two] });
    const replace = (bytes: number, by = ann) =>
      send(world.app, Buffer.concat([PNG, Buffer.alloc(bytes)]), {
        token: by.token,
        method: 'PUT',
        path: `/api/files/${one}`,
      });
    expect((await replace(SIZE)).status).toBe(200);
    expect(await replace(SIZE + 1)).toMatchObject({ status: 507, error: 'quota_exceeded' });
    const bob = await sender();
    expect(await replace(SIZE + 1, bob)).toMatchObject({ status: 507, error: 'quota_exceeded' });
    expect((await replace(0)).status).toBe(200);
  });

  it('removes nothing when the quota is lowered, and accepts nothing more', async () => {
    const [one, two, three, four] = await files(4);
    const id = await make({ pages: [one, two] });
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    await world.app.as(token).put('/api/schema/binder', binder(SIZE)).expect(200);
    expect(await linked([id], 'pages')).toBe(2);
    await ann.client.patch(`/api/content/binders/${id}`, { title: 'y', pages: [two, one] }).expect(200);
    expect(outcomeOf(await ann.client.patch(`/api/content/binders/${id}`, { pages: { $add: [three] } }))).toEqual(FULL);
    await make({ loose: [three, four] });
    await world.app
      .as(token)
      .put('/api/schema/binder', binder(3 * SIZE))
      .expect(200);
    await ann.client.patch(`/api/content/binders/${id}`, { pages: { $add: [three] } }).expect(200);
  });
});
