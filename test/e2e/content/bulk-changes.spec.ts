import { setTimeout as delay } from 'node:timers/promises';
import { Jobs } from '../../../src/platform/jobs/jobs.service.js';
import { BULK_CHANGE } from '../../../src/features/bulk-changes/bulk-changes.service.js';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { makeThings } from '../../support/import-samples.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

interface Told {
  readonly id: string;
  readonly state: string;
  readonly error: string | null;
  readonly total: number;
  readonly seen: number;
  readonly changed: number;
}

const PATH = '/api/bulk-changes';
const UPDATE = { schema: 'things', action: 'update', filter: { views: { $lt: 1_000 } }, values: { score: 1.5 } };
const STATUSES: Readonly<Record<string, number>> = {
  validation_failed: 422,
  field_invalid: 400,
  query_invalid: 400,
  schema_not_found: 404,
};
const RESTORE = { schema: 'thing', action: 'restore', filter: { views: { $lt: 1_000 } } };
const DELETE = { schema: 'thing', action: 'delete', filter: {} };

describe('a bulk change of all records that match a filter', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    await makeThings(root);
  });
  beforeEach(() => fill(1_234));
  afterEach(() => world.app.sql('TRUNCATE things, background_operations CASCADE'));

  const fill = (most: number): Promise<unknown> =>
    world.app.sql(
      `INSERT INTO things (id, code, views) SELECT gen_random_uuid(), 'c' || n, n FROM generate_series(1, $1::int) AS n`,
      [most],
    );
  const count = async (where: string): Promise<number> =>
    (await world.app.sql<{ count: number }>(`SELECT count(*)::int AS count FROM things WHERE ${where}`))[0]!.count;
  const look = async (id: string, client = root): Promise<Told> =>
    ((await client.get(`${PATH}/${id}`).expect(200)).body as { data: Told }).data;
  const begin = async (body: object, client = root): Promise<Told> =>
    ((await client.post(PATH, body).expect(202)).body as { data: Told }).data;
  const settled = async (id: string, client = root): Promise<Told> => {
    for (;;) {
      const bulkChange = await look(id, client);
      if (bulkChange.state !== 'running') return bulkChange;
      await delay(20);
    }
  };
  /** Locks the change until the work is done, so that it cannot continue. */
  const whileLocked = async <T>(id: string, work: () => Promise<T>): Promise<T> =>
    world.app.database.transaction(async (manager) => {
      await manager.query('SELECT FROM background_operations WHERE id = $1 FOR UPDATE', [id]);
      return work();
    });

  it('changes every record and reports their number', async () => {
    const answer = await root.post(PATH, UPDATE).expect(202);
    const { id, total } = (answer.body as { data: Told }).data;
    expect(answer.headers['location']).toBe(`${PATH}/${id}`);
    expect(total).toBe(999);
    expect(await settled(id)).toMatchObject({ state: 'done', seen: 999, changed: 999, error: null });
    expect([await count('score = 1.5'), await count('score IS NULL')]).toEqual([999, 235]);
  });

  it('deletes every record; an empty match is valid', async () => {
    const { id } = await begin(DELETE);
    expect(await settled(id)).toMatchObject({ state: 'done', total: 1_234, changed: 1_234 });
    expect(await count('deleted_at IS NULL')).toBe(0);
    const none = await begin(DELETE);
    expect(await settled(none.id)).toMatchObject({ state: 'done', total: 0, seen: 0, changed: 0 });
  });

  it('restores records in all forms with the same permissions, without reading deleted_at', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.thing.list', value: 'allow', fields: { read: ['id', 'code', 'views'] } },
      { resource: 'content.thing.restore', value: 'allow' },
    ]);
    await world.app.sql('UPDATE things SET deleted_at = now() WHERE views <= 10');
    const [one] = await world.app.sql<{ id: string }>('SELECT id FROM things WHERE views = 1');
    await client.post(`/api/content/thing/${one!.id}/restore`).expect(200);
    const bulkChange = await settled((await begin(RESTORE, client)).id, client);
    expect(bulkChange).toMatchObject({ state: 'done', error: null, total: 9, changed: 9 });
    expect(await count('deleted_at IS NOT NULL')).toBe(0);
  });

  it('lists deleted records only on request, and only for callers who may restore them', async () => {
    await world.app.sql('UPDATE things SET deleted_at = now() WHERE views <= 3');
    const { body } = await root.get('/api/content/thing?with_deleted=only&select=views&sort=views').expect(200);
    expect(body).toMatchObject({ data: { items: [{ views: 1 }, { views: 2 }, { views: 3 }] } });
    const { client } = await personWith(world.app, [{ resource: 'content.thing.list', value: 'allow' }]);
    await client.get('/api/content/thing?with_deleted=only').expect(403);
    await root.get('/api/content/thing?with_deleted=ONLY').expect(400);
  });

  it('restores every record except those restored meanwhile, and stops at a duplicate', async () => {
    await world.app.sql(`UPDATE things SET deleted_at = now() WHERE views > 4`);
    const { id, total } = await begin(RESTORE);
    expect(total).toBe(995);
    await whileLocked(id, () => world.app.sql(`UPDATE things SET deleted_at = NULL WHERE code = 'c900'`));
    const bulkChange = await settled(id);
    expect([
      bulkChange.state,
      await count('deleted_at IS NULL'),
      await count('deleted_at IS NULL AND views > 999'),
    ]).toEqual(['done', 999, 0]);
    expect([994, 995]).toContain(bulkChange.changed);

    const { client } = await personWith(world.app, [
      { resource: 'content.thing.list', value: 'allow' },
      { resource: 'content.thing.restore', value: 'record.views <= 1100' },
    ]);
    const some = await begin({ ...RESTORE, filter: {} }, client);
    expect(await settled(some.id, client)).toMatchObject({ state: 'done', total: 101, changed: 101 });
    const others = ['list', 'get', 'update', 'delete'].map((action) => `content.thing.${action}`);
    const { client: reader } = await personWith(
      world.app,
      others.map((resource) => ({ resource, value: 'allow' })),
    );
    expect((await reader.post(PATH, RESTORE)).status).toBe(403);

    await world.app.sql(`INSERT INTO things (id, code, views) VALUES (gen_random_uuid(), 'c1150', 1)`);
    const twice = await begin({ ...RESTORE, filter: {} });
    const end = await settled(twice.id);
    expect(end).toMatchObject({ state: 'stopped', error: 'unique_violation' });
    expect(await count(`code = 'c1150' AND deleted_at IS NULL`)).toBe(1);
  });

  it('includes records that exist at the start and still match when they are processed', async () => {
    const { id } = await begin(UPDATE);
    await whileLocked(id, async () => {
      await world.app.sql(`UPDATE things SET views = 5000 WHERE code IN ('c900', 'c901') AND score IS NULL`);
      await world.app.sql(
        `INSERT INTO things (id, code, views) VALUES ('ffffffff-ffff-4fff-bfff-ffffffffffff', 'later', 1)`,
      );
    });
    const bulkChange = await settled(id);
    expect(bulkChange.state).toBe('done');
    expect(await count('score = 1.5')).toBe(bulkChange.changed);
    expect(await count(`score = 1.5 AND code = 'later'`)).toBe(0);
  });

  it('stops when its owner cancels it, and reports its progress', async () => {
    const { id } = await begin(UPDATE);
    await root.post(`${PATH}/${id}/cancel`, {}).expect(200);
    const bulkChange = await settled(id);
    expect(bulkChange).toMatchObject({ state: 'cancelled', total: 999 });
    await world.app.get(Jobs).enqueue(world.app.database.manager, BULK_CHANGE.job, { operation: id });
    await delay(200);
    expect(await look(id)).toEqual(bulkChange);
    expect(await count('score = 1.5')).toBe(bulkChange.changed);
    const again = await root.post(`${PATH}/${id}/cancel`, {}).expect(409);
    expect(again.body).toMatchObject({ data: { error: 'bulk_change_ended' } });
  });

  it('runs once when 16 workers start it', async () => {
    const { id } = await begin(UPDATE);
    const jobs = world.app.get(Jobs);
    await Promise.all(
      Array.from({ length: 16 }, () => jobs.enqueue(world.app.database.manager, BULK_CHANGE.job, { operation: id })),
    );
    expect(await settled(id)).toMatchObject({ state: 'done', seen: 999, changed: 999 });
  });

  it('stops at the first rejected record and does not change it', async () => {
    const twice = { ...UPDATE, values: { code: 'the same' } };
    const { id } = await begin(twice);
    expect(await settled(id)).toMatchObject({ state: 'stopped', seen: 0, changed: 0, error: 'unique_violation' });
    expect(await count(`code = 'the same'`)).toBe(0);
  });

  it.each([
    ['without what is to be changed', { ...UPDATE, values: undefined }, 'validation_failed', 'values'],
    ['with a list as values', { ...UPDATE, values: [] }, 'validation_failed', 'values'],
    ['without a filter', { ...UPDATE, filter: undefined }, 'validation_failed', 'filter'],
    ['with another action', { ...UPDATE, action: 'drop' }, 'validation_failed', 'action'],
    ['with a field that is not known', { ...UPDATE, values: { colour: 'red' } }, 'field_invalid', 'colour'],
    ['with a value that does not fit', { ...UPDATE, values: { views: 'many' } }, 'field_invalid', 'views'],
    [
      'with a filter that cannot be read',
      { ...UPDATE, filter: { views: { $near: 1 } } },
      'query_invalid',
      'views.$near',
    ],
    [
      'of a restoration with a filter that cannot be read',
      { ...RESTORE, filter: { nothing: 1 } },
      'query_invalid',
      'nothing',
    ],
    ['of an unknown schema', { ...UPDATE, schema: 'nothing' }, 'schema_not_found', null],
  ])('is rejected like the change in one request, without a trace: %s', async (_what, body, error, field) => {
    const answer = await root.post(PATH, body);
    expect([answer.status, (answer.body as { data: { error: string } }).data.error]).toEqual([STATUSES[error], error]);
    if (field !== null) expect(JSON.stringify(answer.body)).toContain(field);
    expect(await world.app.sql('SELECT FROM background_operations')).toEqual([]);
  });

  it('uses the permissions that its owner has at that moment', async () => {
    const { client, id: userId } = await personWith(world.app, [
      { resource: 'content.thing.*', value: 'record.views <= 700' },
    ]);
    const bulkChange = await begin({ ...UPDATE, filter: {} }, client);
    expect(bulkChange.total).toBe(700);
    expect(await settled(bulkChange.id, client)).toMatchObject({ state: 'done', changed: 700 });
    expect(await count('score = 1.5')).toBe(700);

    const next = await begin({ ...UPDATE, filter: {}, values: { score: 2 } }, client);
    await whileLocked(next.id, async () => {
      await world.app.sql('DELETE FROM user_roles WHERE user_id = $1', [userId]);
    });
    const row = async () =>
      (
        await world.app.sql<{ state: string; error: string; changed: number }>(
          `SELECT state, error, progress->'changed' AS changed FROM background_operations WHERE id = $1`,
          [next.id],
        )
      )[0]!;
    while ((await row()).state === 'running') await delay(20);
    const { state, error, changed } = await row();
    expect(changed < 700 ? [state, error] : [state]).toEqual(
      changed < 700 ? ['stopped', 'permission_denied'] : ['done'],
    );
    expect(await count('score = 2')).toBe(changed);
  });

  it('is not visible to other accounts or guests', async () => {
    const { id } = await begin(UPDATE);
    const { client } = await personWith(world.app, [{ resource: 'content.thing.*', value: 'allow' }]);
    for (const [who, status] of [
      [client, 404],
      [world.app.asGuest(), 401],
    ] as const) {
      await who.get(`${PATH}/${id}`).expect(status);
      await who.post(`${PATH}/${id}/cancel`, {}).expect(status);
    }
    await client.get(`${PATH}/no-id`).expect(404);
    await world.app.asGuest().post(PATH, UPDATE).expect(401);
    expect((await client.get(PATH).expect(200)).body).toEqual({ data: [] });
    await settled(id);
  });

  it('is limited to five active ones per account, also for 16 concurrent requests', async () => {
    const { id } = await begin(UPDATE);
    await settled(id);
    await world.app.sql(
      `INSERT INTO background_operations (id, kind, owner_id, state, total, input, progress, created_at, updated_at, expires_at)
       SELECT gen_random_uuid(), kind, owner_id, 'running', 0, input, progress, created_at, updated_at, expires_at
       FROM background_operations, generate_series(1, 4)`,
    );
    const answers = await world.app.database.transaction(async (manager) => {
      // No change finishes before the last one is requested.
      await manager.query('SELECT FROM things FOR UPDATE');
      return Promise.all(Array.from({ length: 16 }, () => root.post(PATH, DELETE)));
    });
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused).toHaveLength(15);
    for (const { status, body } of refused)
      expect([status, body]).toMatchObject([409, { data: { error: 'bulk_changes_pending' } }]);
    // A job that still runs would deadlock with the TRUNCATE.
    await settled(answers.find(({ status }) => status === 202)?.body.data.id);
  });
});
