import { gzipSync } from 'node:zlib';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { fileOfThings, ImportJobs } from '../../support/import-jobs.js';
import { makeThings } from '../../support/import-samples.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const CREATES = { resource: 'content.thing.create', value: "record.views < 100 && record.code != 'forbidden'" };
const NOT_READY = { data: { error: 'import_not_ready' } };

describe('a background import that is rejected', () => {
  const world = useTestApp({ env: { IMPORT_MAX_RECORDS: '500', IMPORT_MAX_BYTES: '20000' } });
  let root: TestClient;
  let jobs: ImportJobs;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    await makeThings(root);
    jobs = new ImportJobs(world.app, root);
  });
  afterEach(() => world.app.sql('TRUNCATE things, background_operations CASCADE'));

  const count = async (table = 'things'): Promise<number> =>
    Number((await world.app.sql<{ n: string }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
  const post = (id: string, verb: string, body: object = {}) => root.post(`/api/imports/${id}/${verb}`, body);

  it('writes exactly the records that single creates of the account would write', async () => {
    const { client } = await personWith(world.app, [CREATES]);
    const own = new ImportJobs(world.app, client);
    const job = await own.sent('code,views\na,1\nb,100\nforbidden,2\nc,99');
    expect(await own.faults(job.id)).toEqual([
      [3, 'thing', 'permission_denied'],
      [4, 'thing', 'permission_denied'],
    ]);
    expect(await own.apply(job, { skip_faulty: true })).toMatchObject({ state: 'done', created: 2 });
    const nobody = await personWith(world.app, [{ resource: 'content.thing.list', value: 'allow' }]);
    expect(await new ImportJobs(world.app, nobody.client).send('code\na')).toMatchObject({
      status: 403,
      data: { error: 'permission_denied' },
    });
    expect((await own.send('code\na', 'generated=keep')).status).toBe(403);
  });

  it('reports the rows that a rule over a relation rejects', async () => {
    const create = async (title: string): Promise<string> =>
      (await root.post('/api/content/categorys', { title }).expect(201)).body.data.id as string;
    const [news, other] = [await create('News'), await create('Other')];
    const { client } = await personWith(world.app, [
      { resource: 'content.thing.create', value: "record.of.title == 'News'" },
      { resource: 'content.category.*', value: 'allow' },
    ]);
    const own = new ImportJobs(world.app, client);
    const sent = await own.sent(`code,of\na,${news}\nb,${other}\nc,${news}`);
    expect(await own.faults(sent.id)).toEqual([[3, 'thing', 'permission_denied']]);
    expect(await own.apply(sent, { skip_faulty: true })).toMatchObject({ state: 'done', created: 2 });
  });

  it('stops when its owner loses the permission or is deleted', async () => {
    const { client, id, name } = await personWith(world.app, [{ resource: 'content.thing.create', value: 'allow' }]);
    const own = new ImportJobs(world.app, client);
    const job = await own.sent(fileOfThings(5));
    await world.app.sql(`DELETE FROM permissions WHERE role_id = (SELECT id FROM roles WHERE name = '${name}')`);
    await world.app.sql(`DELETE FROM user_roles WHERE user_id = '${id}'`);
    await world.app.sql(`UPDATE background_operations SET state = 'applying' WHERE id = '${job.id}'`);
    await world.app.sql(
      `INSERT INTO background_jobs (id, kind, payload, due_at, created_at) VALUES
       (gen_random_uuid(), 'record.import', '{"operation":"${job.id}"}', '2020-01-01', '2020-01-01')`,
    );
    await world.app.get(JobWorker).drain();
    const [stopped] = await world.app.sql(
      `SELECT state, error, progress->'created' AS created FROM background_operations WHERE id = '${job.id}'`,
    );
    expect(stopped).toEqual({ state: 'stopped', error: 'permission_denied', created: 0 });
    await world.app.sql(`DELETE FROM users WHERE id = '${id}'`);
    expect(await count('record_import_chunks')).toBe(0);
    expect(await count()).toBe(0);
  });

  it.each([
    ['no schema', '', 400, 'query_invalid'],
    ['a schema that is not there', 'schema=nothing', 404, 'schema_not_found'],
    ['a parameter that is not there', 'schema=things&rows=5', 400, 'query_invalid'],
    ['a dry run', 'schema=things&dry_run=true', 400, 'query_invalid'],
    ['a word for yes', 'schema=things&apply=yes', 400, 'query_invalid'],
    ['two schemas', 'schema=things&schema=tags', 400, 'query_invalid'],
    ['a key without a mode', 'schema=things&key=code', 400, 'query_invalid'],
  ])('has no rows when it is sent with %s', async (_what, query, status, error) => {
    const headers = { authorization: `Bearer ${root.token}`, 'content-type': 'text/csv' };
    const answer = await fetch(`${world.app.url}/api/imports?${query}`, { method: 'POST', headers, body: 'code\na' });
    expect([answer.status, await answer.json()]).toMatchObject([status, { data: { error } }]);
    expect(await count('background_operations')).toBe(0);
  });

  it('leaves nothing of a file that is too large, truncated, abandoned, or has too many records', async () => {
    expect(await jobs.send(`code\n${'x'.repeat(20_000)}`)).toMatchObject({
      status: 413,
      data: { error: 'body_too_large' },
    });
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(fileOfThings(300)));
      },
      pull: (controller) => controller.error(new Error('gone')),
    });
    await jobs.send(broken).catch(() => null);
    for (let left = 1; left > 0;) left = await count('background_operations');
    const slow = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(fileOfThings(300))),
      pull: async (controller) => {
        await root.delete(`/api/imports/${await receiving()}`).expect(204);
        controller.enqueue(new TextEncoder().encode('\nlast'));
        controller.close();
      },
    });
    const receiving = async (): Promise<string> => {
      for (;;) {
        const [found] = await world.app.sql<{ id: string }>('SELECT id FROM background_operations');
        if (found !== undefined) return found.id;
      }
    };
    expect((await jobs.send(slow)).status).toBe(404);
    expect(await count('background_operations')).toBe(0);
    const job = await jobs.sent(fileOfThings(501));
    expect(await jobs.faults(job.id)).toEqual([[502, 'thing', 'too_many']]);
  });

  it.each([
    ['a packed one', gzipSync(fileOfThings(300)), 'gzip', 202],
    ['a packed one that is too large when it is unpacked', gzipSync('x'.repeat(50_000_000)), 'gzip', 413],
    ['one that is cut off', gzipSync(fileOfThings(300)).subarray(0, 500), 'x-gzip', 400],
    ['one that is not packed', Buffer.from(fileOfThings(3)), 'gzip', 400],
    ['one that is packed otherwise', Buffer.from(fileOfThings(3)), 'br', 415],
    ['one that is packed twice', gzipSync(gzipSync(fileOfThings(3))), 'gzip, gzip', 415],
    ['one that says it is not', Buffer.from(fileOfThings(3)), 'Identity', 202],
  ])('decodes a body by its encoding: %s', async (_what, body, encoding, status) => {
    const headers = { authorization: `Bearer ${root.token}`, 'content-type': 'text/csv', 'content-encoding': encoding };
    const ask = (path: string) => fetch(`${world.app.url}${path}`, { method: 'POST', headers, body });
    const answer = await ask('/api/imports?schema=things');
    expect([answer.status, await answer.json()]).toEqual([status, expect.anything()]);
    expect(await count('background_operations')).toBe(status === 202 ? 1 : 0);
    const single = await ask('/api/content/things/import?dry_run=true');
    // Here the limit of one transaction applies.
    expect([single.status, await single.json()]).toEqual([
      status === 202 ? 200 : status === 413 ? 400 : status,
      expect.anything(),
    ]);
  });

  it('continues only in the checked state, with unchanged schemas', async () => {
    const job = await jobs.sent(fileOfThings(5));
    await post(job.id, 'apply', { plan: 'a'.repeat(64) }).expect(409, /plan_changed/);
    await post(job.id, 'apply', {}).expect(422);
    await root.post('/api/schema', { ...schema('extra'), fields: [field('string', 'title')] }).expect(201);
    await post(job.id, 'apply', { plan: job.plan }).expect(409, /plan_changed/);
    await post(job.id, 'undo')
      .expect(409)
      .expect((answer) => expect(answer.body).toMatchObject(NOT_READY));
    await post(job.id, 'cancel').expect(409);
    await post(job.id, 'check').expect(202);
    const again = await jobs.settled(job.id);
    expect(again.plan).not.toBe(job.plan);
    expect(await jobs.apply(again)).toMatchObject({ state: 'done', created: 5 });
    await post(job.id, 'apply', { plan: again.plan }).expect(409);
    await post(job.id, 'check').expect(409);
    await root.delete(`/api/imports/${job.id}`).expect(204);
    await root.get(`/api/imports/${job.id}`).expect(404);
    expect(await count()).toBe(5);
  });

  it('writes each row once for concurrent applies, cancellations and undos', async () => {
    const job = await jobs.sent(fileOfThings(400));
    const applied = await Promise.all(
      Array.from({ length: 16 }, () => post(job.id, 'apply', { plan: job.plan }).then(({ status }) => status)),
    );
    expect(applied.filter((status) => status === 202)).toHaveLength(1);
    expect(await jobs.settled(job.id)).toMatchObject({ state: 'done', created: 400 });
    const undone = await Promise.all(
      Array.from({ length: 16 }, () => post(job.id, 'undo').then(({ status }) => status)),
    );
    expect(undone.filter((status) => status === 202)).toHaveLength(1);
    expect(await jobs.settled(job.id)).toMatchObject({ state: 'undone', removed: 400 });
  });

  it('stops when it is cancelled, and continues later', async () => {
    const job = await jobs.sent(fileOfThings(400));
    await world.app.sql(
      `UPDATE background_operations SET state = 'cancelled', done = 100, progress = progress || '{"created":100}' WHERE id = '${job.id}'`,
    );
    await world.app.sql(`UPDATE record_import_chunks SET body = NULL WHERE import_id = '${job.id}' AND n = 0`);
    const cancelled = await jobs.look(job.id);
    expect(await jobs.apply(cancelled)).toMatchObject({ state: 'done', applied: 400, created: 400 });
    expect(await count()).toBe(300);
  });

  it('stops before the first row that was valid in the check and is not any more', async () => {
    const job = await jobs.sent(fileOfThings(400));
    await root.post('/api/content/things', { code: 'c7' }).expect(201);
    expect(await jobs.apply(job)).toMatchObject({ state: 'stopped', error: 'import_invalid', created: 0, faults: 1 });
    expect(await jobs.faults(job.id)).toEqual([[9, 'code', 'unique_violation']]);
    expect(await count()).toBe(1);
    expect(await jobs.apply(await jobs.look(job.id), { skip_faulty: true })).toMatchObject({ created: 399 });
  });

  it('is limited to five active ones per account, also for sixteen concurrent requests', async () => {
    const all = await Promise.all(Array.from({ length: 16 }, () => jobs.send('code\na')));
    expect(all.filter(({ status }) => status === 202)).toHaveLength(5);
    const refused = all.filter(({ status }) => status !== 202);
    expect(new Set(refused.map(({ status, data }) => `${status} ${data.error}`))).toEqual(
      new Set(['409 imports_pending']),
    );
    const { body } = await root.get('/api/imports').expect(200);
    const [newest] = (body as { data: { id: string }[] }).data;
    await jobs.settled(newest!.id);
    await root.delete(`/api/imports/${newest!.id}`).expect(204);
    expect((await jobs.send('code\na')).status).toBe(202);
  });
});
