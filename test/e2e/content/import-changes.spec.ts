import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { type ImportAnswer, makeThings, sendFile, faultSummary } from '../../support/import-samples.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('an import into existing records', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    await makeThings(root);
  });
  afterEach(() => world.app.sql('TRUNCATE things CASCADE'));

  const send = (body: string, query: string, client: TestClient = root): Promise<ImportAnswer> =>
    sendFile(world.app, client, body, { query });
  const things = () => world.app.sql<object>('SELECT code, views::int, body FROM things ORDER BY code');
  const idOf = async (code: string): Promise<string> =>
    (await world.app.sql<{ id: string }>('SELECT id FROM things WHERE code = $1', [code]))[0]!.id;
  const fill = () => send('code,views,body\na,1,x\nb,2,y\nc,3,z\n', '');

  it('changes the records of a key, and only the fields in the file', async () => {
    await fill();
    const answer = await send('code,views\nc,30\na,10\n', 'mode=update&key=code');
    expect(answer.data).toMatchObject({ rows: 2, created: 0, updated: 2 });
    expect(await things()).toEqual([
      { code: 'a', views: 10, body: 'x' },
      { code: 'b', views: 2, body: 'y' },
      { code: 'c', views: 30, body: 'z' },
    ]);
    const byId = `id,code,body\n${await idOf('a')},first,\n${(await idOf('b')).toUpperCase()},second,\n`;
    expect((await send(byId, 'mode=update')).data).toMatchObject({ updated: 2, ignored: [] });
    expect(await things()).toMatchObject([{ code: 'c' }, { code: 'first', body: null }, { code: 'second' }]);
  });

  it('creates missing records where allowed, and is idempotent', async () => {
    await fill();
    const file = `code,views\n${Array.from({ length: 1_200 }, (_, at) => `b${at === 7 ? '' : at},${at}`).join('\n')}\n`;
    expect((await send(file, 'mode=upsert&key=code')).data).toMatchObject({ rows: 1_200, created: 1_199, updated: 1 });
    const before = await things();
    expect((await send(file, 'mode=upsert&key=code')).data).toMatchObject({ rows: 1_200, created: 0, updated: 1_200 });
    expect(await things()).toEqual(before);
  });

  it('writes a repeated key in order', async () => {
    await fill();
    const file = 'code,views\nnew,1\na,2\nnew,3\na,4\n';
    expect((await send(file, 'mode=upsert&key=code')).data).toMatchObject({ created: 1, updated: 3 });
    expect(await things()).toMatchObject([
      { code: 'a', views: 4 },
      { code: 'b' },
      { code: 'c' },
      { code: 'new', views: 3 },
    ]);
  });

  it('writes relations, and reverts to an earlier export', async () => {
    const { body } = await root.post('/api/content/tags', [{ title: 'a' }, { title: 'b' }]).expect(201);
    const tags = (body as { data: { id: string }[] }).data.map(({ id }) => ({ id }));
    await root
      .post('/api/content/things', [
        { code: 'a', tags },
        { code: 'b', tags: [] },
      ])
      .expect(201);
    const path = '/api/content/things/export?sort=code&select=id,code,views,of_id,tags.id';
    const { text } = await root.get(path).buffer(true).expect(200);
    await root.patch('/api/content/things?filter={"code":"b"}', { views: 99 }).expect(200);
    await root.patch(`/api/content/things/${await idOf('a')}`, { tags: [] }).expect(200);
    expect((await send(text, 'mode=upsert')).data).toMatchObject({ created: 0, updated: 2 });
    expect((await root.get(path).buffer(true).expect(200)).text).toBe(text);
  });

  it('reports every error and changes nothing', async () => {
    await fill();
    const away = '6f1c2a52-7a39-4c8e-9d0a-1c8f5d9a7b11';
    expect(faultSummary(await send('code,views\na,x\naway,1\n,1\nb,20\n', 'mode=update&key=code'))).toEqual({
      status: 400,
      error: 'import_invalid',
      faults: [
        [2, 'views', 'value_invalid'],
        [3, 'code', 'record_not_found'],
        [4, 'code', 'required'],
      ],
    });
    const byId = `id,code\n${away},d\nx,e\n${await idOf('a')},b\n`;
    for (const mode of ['update', 'upsert'])
      expect(faultSummary(await send(byId, `mode=${mode}`))).toMatchObject({
        faults: [
          [2, 'id', 'record_not_found'],
          [3, 'id', 'value_invalid'],
          [4, 'code', 'unique_violation'],
        ],
      });
    expect(await things()).toMatchObject([{ code: 'a', views: 1 }, { code: 'b', views: 2 }, { code: 'c' }]);
  });

  it('creates records with the given keys', async () => {
    const file = 'id,code\n6f1c2a52-7a39-4c8e-9d0a-1c8f5d9a7b11,a\n';
    expect((await send(file, 'mode=upsert&generated=keep')).data).toMatchObject({ created: 1 });
    expect((await send(file, 'mode=upsert&generated=keep')).data).toMatchObject({ created: 0, updated: 1 });
    expect(await idOf('a')).toBe('6f1c2a52-7a39-4c8e-9d0a-1c8f5d9a7b11');
  });

  it('respects write permissions, and finds only by filterable fields', async () => {
    await fill();
    const update = {
      resource: 'content.thing.update',
      value: 'record.views < 3',
      fields: { read: [], write: ['views'] },
    };
    const create = { resource: 'content.thing.create', value: 'allow' };
    const list = { resource: 'content.thing.list', value: "record.code != 'a'" };
    const [id, hidden] = [await idOf('b'), await idOf('c')];
    const { client } = await personWith(world.app, [update]);
    expect(faultSummary(await send(`id,views\n${id},1\n${hidden},1\n`, 'mode=update', client))).toMatchObject({
      faults: [[3, 'id', 'record_not_found']],
    });
    expect(faultSummary(await send(`id,views\n${id},3\n`, 'mode=update', client))).toMatchObject({
      faults: [[2, 'thing', 'permission_denied']],
    });
    expect(faultSummary(await send(`id,body\n${id},3\n`, 'mode=update', client))).toMatchObject({
      faults: [[1, 'body', 'unknown_field']],
    });
    expect((await send(`id,views\n${id},1\n`, 'mode=update', client)).data).toMatchObject({ updated: 1 });
    for (const query of ['', 'mode=upsert', 'mode=update&key=code'])
      expect((await send(`id,views\n${id},1\n`, query, client)).status).toBe(403);
    const { client: lister } = await personWith(world.app, [update, create, list]);
    expect(faultSummary(await send('code,views\na,1\nb,2\nd,3\n', 'mode=upsert&key=code', lister))).toMatchObject({
      faults: [[2, 'code', 'unique_violation']],
    });
    const { client: blind } = await personWith(world.app, [update, { ...list, fields: { read: ['id'], write: [] } }]);
    expect(faultSummary(await send('code,views\nb,1\n', 'mode=update&key=code', blind))).toMatchObject({
      error: 'query_invalid',
    });
  });

  it('is all or nothing for 16 concurrent imports, which create each record once', async () => {
    const file = `code,views\n${Array.from({ length: 60 }, (_, at) => `${at},1`).join('\n')}\n`;
    const answers = await Promise.all(Array.from({ length: 16 }, () => send(file, 'mode=upsert&key=code')));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(
      answers.every(
        ({ status, data }) => status === 200 || ['server_busy', 'import_invalid'].includes(data.error ?? ''),
      ),
    ).toBe(true);
    expect(done.reduce((sum, { data }) => sum + (data as unknown as { created: number }).created, 0)).toBe(60);
    expect(await things()).toHaveLength(60);
  });
});
