import { ImportSteps } from '../../../src/data/content/import/import-steps.service.js';
import { Foreground } from '../../../src/platform/http/server/foreground.service.js';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { fileOfThings, ImportJobs } from '../../support/import-jobs.js';
import { fillThings, makeThings } from '../../support/import-samples.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('a background import', () => {
  const world = useTestApp();
  let root: TestClient;
  let jobs: ImportJobs;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    await makeThings(root);
    jobs = new ImportJobs(world.app, root);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await world.app.sql('TRUNCATE things, background_operations CASCADE');
  });

  const codes = async (): Promise<readonly string[]> =>
    (await world.app.sql<{ code: string }>('SELECT code FROM things WHERE deleted_at IS NULL ORDER BY code')).map(
      ({ code }) => code,
    );

  it('is checked without a trace, applied on request, and undone', async () => {
    const job = await jobs.sent(fileOfThings(2_345));
    expect(job).toMatchObject({ state: 'checked', rows: 2_345, checked: 2_345, faults: 0, applied: 0, created: 0 });
    expect(job).toMatchObject({ would_create: 2_345, would_update: 0 });
    expect(await codes()).toEqual([]);
    expect(await jobs.apply(job)).toMatchObject({
      state: 'done',
      applied: 2_345,
      created: 2_345,
      can_be_undone: true,
    });
    expect(await codes()).toHaveLength(2_345);
    await root.post(`/api/imports/${job.id}/undo`, {}).expect(202);
    expect(await jobs.settled(job.id)).toMatchObject({ state: 'undone', removed: 2_345, faults: 0 });
    expect(await codes()).toEqual([]);
  });

  it('maps renamed columns, and fails for a missing one', async () => {
    const columns = (names: object): string => `columns=${encodeURIComponent(JSON.stringify(names))}`;
    const job = await jobs.sent('Nr,Notiz\na,b\n', `apply=true&${columns({ Nr: 'code', Notiz: null })}`);
    expect(job).toMatchObject({ state: 'done', created: 1 });
    expect(await codes()).toEqual(['a']);
    expect(await jobs.sent('code\nb\n', columns({ Nr: 'code' }))).toMatchObject({ faults: 1, plan: null });
  });

  it('undoes what has not been changed since, and reports the rest', async () => {
    const job = await jobs.sent(fileOfThings(300), 'apply=true');
    await world.app.sql(`UPDATE things SET views = views WHERE code = 'c7'`);
    await world.app.sql(`DELETE FROM things WHERE code = 'c9'`);
    await root.post(`/api/imports/${job.id}/undo`, {}).expect(202);
    expect(await jobs.settled(job.id)).toMatchObject({ state: 'undone', removed: 298, faults: 2 });
    expect(await codes()).toEqual(['c7']);
    expect(await jobs.faults(job.id)).toEqual([
      [9, 'thing', 'record_changed'],
      [11, 'thing', 'record_not_found'],
    ]);
  });

  it('reports every error with row and field, and writes the valid rows on request', async () => {
    const rows = ['code,views', 'a,1', 'a,2', 'b,x', 'c,3', ...Array.from({ length: 10_000 }, (_, at) => `d${at},-`)];
    const job = await jobs.sent(rows.join('\n'));
    expect(job).toMatchObject({ state: 'checked', faults: 10_002, rows: 10_004 });
    expect(await codes()).toEqual([]);
    const refusal = await root.post(`/api/imports/${job.id}/apply`, { plan: job.plan }).expect(409);
    expect((refusal.body as { data: object }).data).toMatchObject({ error: 'import_faulty' });
    const first = await root.get(`/api/imports/${job.id}/faults`).expect(200);
    const page = (first.body as { data: { items: { row: number }[]; next_cursor: string; total: number } }).data;
    expect([page.total, page.items.length]).toEqual([10_002, 1_000]);
    expect((await jobs.faults(job.id)).slice(0, 2)).toEqual([
      [3, 'code', 'unique_violation'],
      [4, 'views', 'value_invalid'],
    ]);
    const next = await root.get(`/api/imports/${job.id}/faults?cursor=${page.next_cursor}`).expect(200);
    expect((next.body as { data: { items: { row: number }[] } }).data.items[0]?.row).toBe(page.items.at(-1)!.row + 1);
    const { text } = await root.get(`/api/imports/${job.id}/faults?format=csv`).buffer(true).expect(200);
    expect(text.split('\r\n')).toHaveLength(10_004);
    expect(text.split('\r\n')[1]).toBe('3,"code","unique_violation","is in use already"');
    expect(await jobs.apply(job, { skip_faulty: true })).toMatchObject({ state: 'done', applied: 10_004, created: 2 });
    expect(await codes()).toEqual(['a', 'c']);
  });

  it('skips every row with an unreadable value', async () => {
    const job = await jobs.sent('code,meta\na,1\nb,{broken\nc,5');
    expect(await jobs.faults(job.id)).toEqual([[3, 'meta', 'value_invalid']]);
    expect(await jobs.apply(job, { skip_faulty: true })).toMatchObject({ state: 'done', applied: 3, created: 2 });
    expect(await codes()).toEqual(['a', 'c']);
  });

  it.each([
    ['an unknown column', 'code,nothing\na,1', [[1, 'nothing', 'unknown_field']]],
    ['an open quotation mark', 'code,meta\na,1\nb,"open', [[3, 'thing', 'csv_malformed']]],
  ])('cannot be applied if the file has %s, although its rows are checked', async (_what, file, faults) => {
    const job = await jobs.sent(file);
    expect(job).toMatchObject({ state: 'checked', plan: null });
    expect(await jobs.faults(job.id)).toEqual(faults);
    await root.post(`/api/imports/${job.id}/apply`, { plan: 'a', skip_faulty: true }).expect(409, /import_not_ready/);
  });

  it('applies automatically if requested and free of errors', async () => {
    expect(await jobs.sent(fileOfThings(10), 'apply=true')).toMatchObject({ state: 'done', created: 10 });
    expect(await jobs.sent(fileOfThings(10), 'apply=true')).toMatchObject({ state: 'checked', faults: 10, created: 0 });
  });

  it.each(['csv', 'ndjson', 'json'])('restores an export as %s', async (format) => {
    await fillThings(root);
    const exported = async (): Promise<string> =>
      (await root.get(`/api/content/things/export?sort=code&format=${format}&select=*,tags.id`).buffer(true)).text;
    const before = await exported();
    await world.app.sql('TRUNCATE things CASCADE');
    const job = await jobs.sent(before, `format=${format}&generated=keep&apply=true`);
    expect(job).toMatchObject({ state: 'done', faults: 0 });
    expect(await exported()).toBe(before);
  });

  it('rejects a number that would be rounded, like a single create', async () => {
    const line = '{"code":"a","meta":{"deep":[12345678901234567890]}}';
    const job = await jobs.sent(line, 'format=ndjson');
    expect(await jobs.faults(job.id)).toEqual([[1, 'meta', 'value_invalid']]);
  });

  it('finds records by other columns, and rejects missing ones', async () => {
    const posts = [
      { title: 'One', slug: 'one' },
      { title: 'Two', slug: 'two' },
    ];
    await root.post('/api/content/posts', posts).expect(201);
    const comments = new ImportJobs(world.app, root, 'comments');
    const job = await comments.sent('title,post.slug\na,two\nb,gone\nc,one');
    expect(await comments.faults(job.id)).toEqual([[3, 'post', 'reference_not_found']]);
    expect(await comments.apply(job, { skip_faulty: true })).toMatchObject({ state: 'done', created: 2 });
    const { body } = await root.get('/api/content/comments?select=title,post.slug&sort=title').expect(200);
    expect(body).toMatchObject({ data: { items: [{ post: { slug: 'two' } }, { post: { slug: 'one' } }] } });
  });

  it('changes existing records by a key, which cannot be undone', async () => {
    await jobs.sent(fileOfThings(3), 'apply=true');
    const job = await jobs.sent('code,views\nc1,50\nnew,60', 'mode=upsert&key=code&apply=true');
    expect(job).toMatchObject({ state: 'done', created: 1, updated: 1, can_be_undone: false });
    const { body } = await root.post(`/api/imports/${job.id}/undo`, {}).expect(409);
    expect((body as { data: object }).data).toMatchObject({ error: 'import_not_undoable' });
  });

  it('cannot be undone if it created other records beside those of its rows', async () => {
    const line = '{"code":"a","tags":[{"title":"made with it"}]}';
    const job = await jobs.sent(line, 'format=ndjson&apply=true');
    expect(job).toMatchObject({ state: 'done', created: 1, can_be_undone: false });
  });

  it('reads a hundred rows per step, so that other jobs run in between', async () => {
    const { id: userId } = await personWith(world.app, [{ resource: 'content.thing.*', value: 'allow' }]);
    const roles = await world.app.sql<{ id: string }>('SELECT role_id AS id FROM user_roles WHERE user_id = $1', [
      userId,
    ]);
    const principal = {
      kind: 'account',
      userId,
      sessionId: '',
      email: '',
      roleIds: roles.map(({ id }) => id),
    } as const;
    const request = { principal, schema: 'things', query: {}, mediaType: 'text/csv' };
    const bytes = async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from(fileOfThings(2_000)));
    };
    const order: string[] = [];
    const bounds = { records: 10_000, bytes: 1_000_000 };
    for await (const { rows } of world.app.get(ImportSteps).stage(request, bytes(), bounds)) {
      order.push(`${rows} rows`);
      setImmediate(() => order.push('others'));
    }
    expect(order.slice(0, 40)).toEqual(Array.from({ length: 20 }, () => ['100 rows', 'others']).flat());
  });

  it('yields to requests after every hundred rows: reading, checking, writing and undoing', async () => {
    const steps = jest.fn(() => Promise.resolve());
    jest.spyOn(world.app.get(Foreground), 'pace').mockImplementation(() => steps);
    const job = await jobs.sent(fileOfThings(300));
    expect(steps).toHaveBeenCalledTimes(6);
    await jobs.apply(job);
    expect(steps).toHaveBeenCalledTimes(9);
    await root.post(`/api/imports/${job.id}/undo`, {}).expect(202);
    await jobs.settled(job.id);
    expect(steps).toHaveBeenCalledTimes(12);
  });

  it('is not visible to other accounts or guests', async () => {
    const job = await jobs.sent(fileOfThings(2));
    const { client } = await personWith(world.app, [{ resource: 'content.thing.*', value: 'allow' }]);
    expect((await new ImportJobs(world.app, world.app.asGuest()).send(fileOfThings(1))).status).toBe(401);
    for (const who of [client, world.app.asGuest()]) {
      const status = who === client ? 404 : 401;
      await who.get(`/api/imports/${job.id}`).expect(status);
      await who.get(`/api/imports/${job.id}/faults?format=csv`).expect(status);
      for (const verb of ['check', 'cancel', 'undo'])
        await who.post(`/api/imports/${job.id}/${verb}`, {}).expect(status);
      await who.post(`/api/imports/${job.id}/apply`, { plan: job.plan }).expect(status);
      await who.delete(`/api/imports/${job.id}`).expect(status);
    }
    expect((await client.get('/api/imports').expect(200)).body).toEqual({ data: [] });
    expect(await jobs.look(job.id)).toEqual(job);
  });
});
