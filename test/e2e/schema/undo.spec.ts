import { ArchiveCleanup } from '../../../src/data/schema/apply/archive-cleanup.js';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { blog, field, schema } from '../../support/schema-definitions.js';
import { asAdmin, columnsOf } from '../../support/schema-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const PATH = '/api/schema';

describe('the undo of the last change', () => {
  const world = useTestApp();
  let admin: TestClient;
  beforeEach(async () => {
    // Advancing the test clock ends sessions.
    admin = await asAdmin(world.app);
  });

  const records = async (namespace: string): Promise<Record<string, unknown>[]> =>
    (await admin.get(`/api/content/${namespace}?sort=created_at,title&limit=100`).expect(200)).body.data.items;
  const create = async (namespace: string, data: object): Promise<string> =>
    (await admin.post(`/api/content/${namespace}`, data).expect(201)).body.data.id;
  const undo = (status: number) => admin.post(`${PATH}/undo`).expect(status);
  const put = (name: string, ...fields: unknown[]) =>
    admin.put(`${PATH}/${name}?allow_data_loss=true`, schema(name, fields)).expect(200);
  const archived = () => world.app.sql('SELECT name FROM schema_leftovers');
  afterEach(() => world.app.sql('DELETE FROM schema_leftovers'));

  it('restores a dropped column with its values; newer records have null or the default', async () => {
    const fields = [
      field('string', 'code', { unique: true, optional: true }),
      field('int', 'rank', { default: 7 }),
      field('enum', 'state', { enums: [{ value: 'a' }, { value: 'b' }], optional: true }),
    ];
    await admin.post(PATH, schema('card', fields)).expect(201);
    await create('cards', { title: 'one', code: 'x', rank: 1, state: 'b' });
    await put('card');
    await create('cards', { title: 'two' });
    await undo(200);
    expect(await records('cards')).toMatchObject([
      { title: 'one', code: 'x', rank: 1, state: 'b' },
      { title: 'two', code: null, rank: 7, state: null },
    ]);
    expect((await admin.post('/api/content/cards', { title: 'three', code: 'x' })).body.data.error).toBe(
      'unique_violation',
    );
    expect(await columnsOf(world.app, 'cards')).toMatchObject({ rank: 'bigint required' });
    await expect(world.app.sql(`UPDATE cards SET state = 'c'`)).rejects.toThrow(/check constraint/);
    expect(await archived()).toEqual([]);
    const { data } = (await admin.get(`${PATH}/history?limit=1`).expect(200)).body;
    expect(data[0]).toMatchObject({ origin: 'undo' });
    expect(data[0].steps).toContainEqual(expect.stringMatching(/^Restores the column "code" of "cards"/));
  });

  it('restores a dropped schema with its rows, relations and links', async () => {
    await admin.post(PATH, { schemas: blog() }).expect(201);
    const author = await create('authors', { title: 'Ada', email: 'ada@example.com' });
    const tag = await create('tags', { title: 'maths' });
    const post = await create('posts', { title: 'Notes', author: { id: author }, tags: [{ id: tag }] });
    const { hash } = world.app.get(SchemaSnapshots).current;
    const [, , posts] = blog() as [unknown, unknown, { fields: { name: string }[] }];
    const rest = { ...posts, fields: posts.fields.filter(({ name }) => !['author', 'tags'].includes(name)) };
    const tags = schema('tag', []);
    const profile = schema('profile', []);
    const plan = { schemas: [rest, tags, profile] };
    await admin.post(`${PATH}?allow_data_loss=true`, { schemas: [...plan.schemas, schema('author')] }).expect(200);
    await undo(200);
    expect(world.app.get(SchemaSnapshots).current.hash).toBe(hash);
    const [found] = (await admin.get('/api/content/posts?select=title,author.title,tags.title').expect(200)).body.data
      .items;
    expect(found).toMatchObject({ title: 'Notes', author: { title: 'Ada' }, tags: [{ title: 'maths' }] });
    expect(await world.app.sql('SELECT email FROM authors')).toEqual([{ email: 'ada@example.com' }]);
    await admin.get(`/api/content/posts/${post}`).expect(200);
    const invalid = await world.app.sql(`SELECT conname FROM pg_constraint WHERE contype = 'f' AND NOT convalidated`);
    expect(invalid).toEqual([]);
  });

  it('restores a dropped table with its rows and indexes', async () => {
    await admin.post(PATH, schema('gem', [field('string', 'code', { unique: true })])).expect(201);
    const id = await create('gems', { title: 'ruby', code: 'r' });
    await admin.delete(`${PATH}/gem?allow_data_loss=true`).expect(200);
    await admin.get('/api/content/gems').expect(404);
    const { body } = await undo(200);
    expect(body.data).toMatchObject([{ name: 'gem' }]);
    expect((await admin.get(`/api/content/gems/${id}`).expect(200)).body.data).toMatchObject({ title: 'ruby' });
    await admin.post('/api/content/gems', { title: 'other', code: 'r' }).expect(409);
    await admin.delete(`${PATH}/gem?allow_data_loss=true`).expect(200);
    await admin.post(PATH, schema('gem')).expect(201);
    expect(await records('gems')).toEqual([]);
  });

  it('is refused if newer records have no value for a required field, and changes nothing', async () => {
    await admin.post(PATH, schema('seat', [field('string', 'row')])).expect(201);
    await create('seats', { title: 'a', row: '1' });
    await put('seat');
    const id = await create('seats', { title: 'b' });
    const { version } = world.app.get(SchemaSnapshots).current;
    const { body } = await undo(409);
    expect(body.data).toMatchObject({
      error: 'migration_blocked',
      steps: [{ field: 'row', problems: [{ count: 1 }] }],
    });
    expect(body.data.steps[0].problems[0].examples).toEqual([id]);
    expect(world.app.get(SchemaSnapshots).current.version).toBe(version);
    await world.app.sql('DELETE FROM seats WHERE id = $1', [id]);
    await undo(200);
    expect(await records('seats')).toMatchObject([{ title: 'a', row: '1' }]);
  });

  it('reverts a change of type: converted values, and values replaced by a new column', async () => {
    await admin.post(PATH, schema('shift', [field('int', 'n'), field('time', 'at', { optional: true })])).expect(201);
    await create('shifts', { title: 'x', n: 12, at: '2026-01-02T03:04:05.000Z' });
    await put('shift', field('string', 'n'), field('int', 'at', { optional: true, unique: true }));
    expect(await records('shifts')).toMatchObject([{ n: '12', at: null }]);
    await create('shifts', { title: 'y', n: '13' });
    await undo(200);
    expect(await records('shifts')).toMatchObject([
      { n: 12, at: '2026-01-02T03:04:05.000Z' },
      { n: 13, at: null },
    ]);
  });

  it('is refused if newer values would be lost', async () => {
    await admin.post(PATH, schema('clock', [field('time', 'at', { optional: true })])).expect(201);
    await put('clock', field('int', 'at', { optional: true }));
    await create('clocks', { title: 'x', at: 5 });
    expect((await undo(409)).body.data).toMatchObject({ error: 'undo_impossible', steps: [{ rows: 1 }] });
    expect(await records('clocks')).toMatchObject([{ at: 5 }]);
    await admin.post(PATH, schema('empty')).expect(201);
    await create('emptys', { title: 'not any more' });
    expect((await undo(409)).body.data.error).toBe('undo_impossible');
  });

  it('removes what was created and is still empty', async () => {
    await admin.post(PATH, schema('fresh')).expect(201);
    await undo(200);
    await admin.get(`${PATH}/fresh`).expect(404);
  });

  it('is refused only if values were converted with losses', async () => {
    for (const [name, value, status] of [
      ['whole', 3, 200],
      ['broken', 3.5, 409],
    ] as const) {
      await admin.post(PATH, schema(name, [field('float64', 'n')])).expect(201);
      await create(`${name}s`, { title: 'x', n: value });
      await put(name, field('int', 'n'));
      const { body } = await undo(status);
      if (status === 409) expect(body.data.error).toBe('undo_impossible');
      expect((await records(`${name}s`))[0]).toMatchObject({ n: status === 200 ? value : 4 });
    }
  });

  it('reports dropped data that is purged already', async () => {
    await admin.post(PATH, schema('gone', [field('string', 'x', { optional: true })])).expect(201);
    await create('gones', { title: 'a', x: 'b' });
    await put('gone');
    world.app.clock.advance(31 * 86_400);
    expect(await world.app.get(ArchiveCleanup).sweep()).toBeGreaterThan(0);
    admin = await asAdmin(world.app);
    const { body } = await undo(409);
    expect(body.data.error).toBe('undo_impossible');
    expect(body.message).toContain('purged');
    expect(await columnsOf(world.app, 'gones')).not.toHaveProperty('x');
  });

  it('succeeds for one of two concurrent requests; the other has nothing to undo', async () => {
    await admin.post(PATH, schema('twice', [field('string', 'x', { optional: true })])).expect(201);
    await create('twices', { title: 'a', x: 'b' });
    await put('twice');
    const { version } = world.app.get(SchemaSnapshots).current;
    const tag = `"${version}"`;
    const answers = await Promise.all([1, 2].map(() => admin.post(`${PATH}/undo`).set('if-match', tag)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 412]);
    expect(await records('twices')).toMatchObject([{ x: 'b' }]);
  });

  it('of an undo restores the change, and a third one reverts it again', async () => {
    await admin.post(PATH, schema('pair', [field('string', 'x', { optional: true })])).expect(201);
    await create('pairs', { title: 'a', x: 'b' });
    await put('pair');
    await put('pair', field('int', 'y', { optional: true }));
    const columns = async () => Object.keys(await columnsOf(world.app, 'pairs')).filter((name) => 'xy'.includes(name));
    const seen = [await columns()];
    for (let times = 0; times < 3; times += 1) {
      await undo(200);
      seen.push(await columns());
    }
    // Undo never goes two steps back: `x` stays removed.
    expect(seen).toEqual([['y'], [], ['y'], []]);
    const { data } = (await admin.get(`${PATH}/history?limit=3`).expect(200)).body;
    expect((data as { origin: string }[]).map(({ origin }) => origin)).toEqual(['undo', 'undo', 'undo']);
  });
});
