import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { ExpiredRows } from '../../../src/platform/jobs/expired-rows.service.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { until } from '../../support/mailbox.js';
import { createPerson, signIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const POSTS = '/api/content/posts';
const DAY = 86_400;

describe('Idempotency-Key', () => {
  const world = useTestApp();
  let root: TestClient;
  const once = (key: string, body: unknown, path = POSTS, client = root) =>
    client.post(path, body).set('idempotency-key', key);
  const count = async (table: string) =>
    (await world.app.sql<{ count: number }>(`SELECT count(*)::int FROM ${table}`))[0]?.count;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  it('returns the first response to the same request without repeating it', async () => {
    const key = randomUUID();
    const first = await once(key, { title: 'once', tags: [{ title: 't' }] }).expect(201);
    const before = [await count('posts'), await count('tags')];
    await root.patch(`${POSTS}/${first.body.data.id}`, { title: 'changed since' }).expect(200);
    const again = await once(key, { title: 'once', tags: [{ title: 't' }] }).expect(201);
    expect(again.text).toBe(first.text);
    for (const name of ['etag', 'location', 'content-type']) expect(again.headers[name]).toBe(first.headers[name]);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect([await count('posts'), await count('tags')]).toEqual(before);
  });

  it('applies to lists, batches, restores and responses without a body', async () => {
    const { id } = (await root.post(POSTS, { title: 'gone' }).expect(201)).body.data;
    await root.delete(`${POSTS}/${id}`).expect(200);
    const batch = { operations: [{ op: 'create', schema: 'tag', data: { title: 'b' } }] };
    const cases: [string, unknown, number][] = [
      [POSTS, [{ title: 'l1' }, { title: 'l2' }], 201],
      ['/api/batch', batch, 200],
      [`${POSTS}/${id}/restore`, {}, 200],
    ];
    for (const [path, body, status] of cases) {
      const key = randomUUID();
      const first = await once(key, body, path).expect(status);
      const before = [await count('posts'), await count('tags')];
      expect((await once(key, body, path).expect(status)).text).toBe(first.text);
      expect([await count('posts'), await count('tags')]).toEqual(before);
    }
    const key = randomUUID();
    const minimal = await once(key, { title: 'm' }).set('prefer', 'return=minimal').expect(201);
    const again = await once(key, { title: 'm' }).expect(201);
    expect([again.text, again.headers['location']]).toEqual(['', minimal.headers['location']]);
  });

  it('applies to changes and deletions of one and of many records', async () => {
    const made = await root.post(POSTS, [{ title: 'o1', views: 1 }, { title: 'o2' }, { title: 'o3' }]).expect(201);
    const [one, two] = (made.body.data as { id: string }[]).map(({ id }) => `${POSTS}/${id}`);
    const many = `${POSTS}?filter=${encodeURIComponent(JSON.stringify({ title: { $in: ['o2', 'o3'] } }))}`;
    const cases = [
      ['patch', one, { title: 'changed' }, undefined],
      ['put', one, { title: 'replaced' }, undefined],
      ['patch', many, { views: 7 }, { count: 2 }],
      ['delete', one, undefined, true],
      ['delete', many, undefined, { count: 2 }],
    ] as const;
    for (const [method, path = '', body, data] of cases) {
      const key = randomUUID();
      const send = () => root[method](path, body).set('idempotency-key', key);
      const first = await send().expect(200);
      if (data !== undefined) expect(first.body.data).toEqual(data);
      await root.post(`${two}/restore`).expect(method === 'delete' && path === many ? 200 : 404);
      const again = await send().expect(200);
      expect([again.text, again.headers['etag']]).toEqual([first.text, first.headers['etag']]);
    }
    // The last deletion by filter was not repeated.
    await root.get(two ?? '').expect(200);
    const key = randomUUID();
    await root.patch(many, { views: 8 }).set('idempotency-key', key).expect(200);
    await root.patch(many, { views: 9 }).set('idempotency-key', key).expect(409);
    await root
      .delete(two ?? '')
      .set('idempotency-key', key)
      .expect(409);
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => root.delete(many).set('idempotency-key', 'delete-once')),
    );
    expect(answers.map(({ status, body }) => [status, body.data])).toEqual(
      Array.from({ length: 16 }, () => [200, { count: 1 }]),
    );
  });

  it('rejects a key that was used with another request, and changes nothing', async () => {
    const key = randomUUID();
    await once(key, { title: 'a' }).expect(201);
    const before = [await count('posts'), await count('tags')];
    for (const [path, body] of [
      [POSTS, { title: 'b' }],
      [POSTS, [{ title: 'a' }]],
      ['/api/content/tags', { title: 'a' }],
      [`${POSTS}?select=id`, { title: 'a' }],
    ] as const) {
      const { body: answer } = await once(key, body, path).expect(409);
      expect(answer.data.error).toBe('idempotency_key_reused');
    }
    expect([await count('posts'), await count('tags')]).toEqual(before);
  });

  it('creates one record and 16 equal responses for 16 equal concurrent requests', async () => {
    const key = randomUUID();
    const before = (await count('posts')) ?? 0;
    const answers = await Promise.all(Array.from({ length: 16 }, () => once(key, { title: 'race' })));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(1);
    expect(await count('posts')).toBe(before + 1);
  });

  it('creates one record and 15 rejections for 16 different concurrent requests', async () => {
    const key = randomUUID();
    const before = (await count('posts')) ?? 0;
    const answers = await Promise.all(Array.from({ length: 16 }, (_, at) => once(key, { title: `race ${at}` })));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, ...Array<number>(15).fill(409)]);
    expect(await count('posts')).toBe(before + 1);
  });

  it('is free again after a rejection', async () => {
    const key = randomUUID();
    await once(key, { title: 5 }).expect(400);
    await once(key, { title: 'x', category: randomUUID() }).expect(400);
    await once(key, { title: 'x' }).expect(201);
  });

  it('leaves neither a record nor a key after an aborted request', async () => {
    const tag = (await root.post('/api/content/tags', { title: 'held' }).expect(201)).body.data.id;
    const key = randomUUID();
    const before = [await count('posts'), await count('idempotency_keys')];
    const other = await new DataSource(world.app.database.options).initialize();
    try {
      const holder = other.createQueryRunner();
      await holder.startTransaction();
      await holder.query('SELECT 1 FROM tags WHERE id = $1 FOR UPDATE', [tag]);
      const waiting = once(key, { title: 'cut', tags: [tag] }).then((response) => response);
      let cut: unknown[] = [];
      while (cut.length === 0)
        cut = await other.query<unknown[]>(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
      expect((await waiting).status).toBe(503);
      await holder.rollbackTransaction();
    } finally {
      await other.destroy();
    }
    expect([await count('posts'), await count('idempotency_keys')]).toEqual(before);
    await once(key, { title: 'cut', tags: [tag] }).expect(201);
  });

  it('belongs to one account', async () => {
    const all = [{ resource: 'content.post.*', value: 'allow' }];
    const [one, two] = [await personWith(world.app, all), await personWith(world.app, all)];
    const key = 'the-same-key';
    const first = await once(key, { title: 'mine' }, POSTS, one.client).expect(201);
    const second = await once(key, { title: 'mine' }, POSTS, two.client).expect(201);
    expect(second.body.data.id).not.toBe(first.body.data.id);
    await once(key, { title: 'other' }, POSTS, two.client).expect(409);
  });

  it('replays nothing to a caller who has lost the permission', async () => {
    const allowed = [{ resource: 'content.post.*', value: 'allow', fields: null }];
    const { client, id } = await personWith(world.app, allowed);
    const batch = { operations: [{ op: 'create', schema: 'post', data: { title: 'b' } }] };
    const [create, bulk] = [randomUUID(), randomUUID()];
    await once(create, { title: 'x' }, POSTS, client).expect(201);
    await once(bulk, batch, '/api/batch', client).expect(200);
    const [role] = await world.app.sql<{ name: string }>(
      'SELECT name FROM roles r JOIN user_roles u ON u.role_id = r.id WHERE u.user_id = $1',
      [id],
    );
    const denied = [...allowed, { resource: 'content.post.create', value: 'deny', fields: null }];
    await world.app.get(RoleSeeder).seed([{ name: role?.name ?? '', permissions: denied }]);
    await once(create, { title: 'x' }, POSTS, client).expect(403);
    await once(bulk, batch, '/api/batch', client).expect(403);
  });

  it('is rejected for guests, who cannot be distinguished', async () => {
    const guest = world.app.asGuest();
    await once('k', { title: 'g' }, POSTS, guest).expect(401);
    const open = [{ resource: 'content.tag.*', value: 'allow', fields: null }];
    await world.app.get(RoleSeeder).seed([{ name: 'guest', permissions: open }]);
    const { body } = await once('k', { title: 'g' }, '/api/content/tags', guest).expect(400);
    expect(body.data).toMatchObject({ error: 'field_invalid', errors: [{ field: 'Idempotency-Key' }] });
    await guest.post('/api/content/tags', { title: 'g' }).expect(201);
  });

  it.each(['', ' ', 'two words', 'a, b', 'x'.repeat(256), '"', '""', '"open', 'ä', '"a" "b"', `"${'x'.repeat(256)}"`])(
    'rejects the key %j',
    async (key) => {
      const before = await count('posts');
      const { body } = await root
        .post(POSTS, { title: 'k' })
        .set('idempotency-key', Buffer.from(key).toString('latin1'))
        .expect(400);
      expect(body.data).toMatchObject({ error: 'field_invalid', errors: [{ field: 'Idempotency-Key' }] });
      expect(await count('posts')).toBe(before);
    },
  );

  it('is the same with and without the quotes of a structured field', async () => {
    const key = randomUUID();
    const first = await once(`"${key}"`, { title: 'q' }).expect(201);
    expect((await once(key, { title: 'q' }).expect(201)).text).toBe(first.text);
    await once(`"with space \\" and \\\\"`, { title: 'q' }).expect(201);
  });

  it('is stored as a digest', async () => {
    const key = `findable-${randomUUID()}`;
    await once(key, { title: 'd' }).expect(201);
    const rows = await world.app.sql('SELECT id, request_hash FROM idempotency_keys');
    expect(JSON.stringify(rows)).not.toContain(key);
    expect(world.app.log.join('\n')).not.toContain(key);
  });

  it('does not store a response that is too large, and reports it', async () => {
    const body = 'x'.repeat(350_000);
    const key = randomUUID();
    const list = [
      { title: '1', body },
      { title: '2', body },
    ];
    await once(key, list).expect(201);
    const category = (await root.post('/api/content/category', { title: 'c' }).expect(201)).body.data.id;
    for (let at = 0; at < 4; at += 1) await root.post(POSTS, { title: `${at}`, body, category }).expect(201);
    const before = await count('posts');
    const path = `${POSTS}?select=id,category.posts.body`;
    const { body: refused } = await once(randomUUID(), { title: 'big', category }, path).expect(400);
    expect(refused.data.errors[0].message).toContain('Prefer: return=minimal');
    expect(await count('posts')).toBe(before);
  });

  it('expires after a day and is swept', async () => {
    const person = await createPerson(world.app, { roles: ['admin'] });
    const key = randomUUID();
    const send = async (body: unknown) => once(key, body, POSTS, world.app.as(await signIn(world.app, person)));
    const kept = async (id: string) =>
      (await world.app.sql('SELECT 1 FROM idempotency_keys WHERE body LIKE $1', [`%${id}%`])).length;
    const { id } = (await send({ title: 'day' })).body.data;
    world.app.clock.advance(DAY - 60);
    await world.app.get(ExpiredRows).sweep();
    expect((await send({ title: 'day' })).body.data.id).toBe(id);
    world.app.clock.advance(61);
    const other = await send({ title: 'another day' });
    expect(other.status).toBe(201);
    expect([await kept(id), await kept(other.body.data.id)]).toEqual([0, 1]);
    world.app.clock.advance(DAY + 1);
    await world.app.get(ExpiredRows).sweep();
    expect(await kept(other.body.data.id)).toBe(0);
  });

  it('sweeps all expired keys, however many', async () => {
    const past = new Date(world.app.clock.nowMs() - 1_000);
    await world.app.sql(
      `INSERT INTO idempotency_keys (id, request_hash, created_at, expires_at) SELECT n::text, '', $1, $1 FROM generate_series(1, 2500) n`,
      [past],
    );
    await world.app.get(ExpiredRows).sweep();
    // The automatic sweep may be processing some of them.
    const text = 'SELECT 1 FROM idempotency_keys WHERE expires_at <= $1';
    await until(async () => (await world.app.sql(text, [past])).length === 0, 'the sweep');
  });
});
