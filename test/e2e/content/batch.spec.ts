import { DataSource } from 'typeorm';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { until } from '../../support/mailbox.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('POST /api/batch', () => {
  const world = useTestApp();
  let root: TestClient;
  const count = async (table: string) =>
    (await world.app.sql<{ count: number }>(`SELECT count(*)::int FROM ${table}`))[0]?.count;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  it('writes to several schemas, with references to earlier results', async () => {
    const { body } = await root
      .post('/api/batch', {
        operations: [
          { op: 'create', schema: 'category', data: { title: 'c' }, as: 'c' },
          { op: 'create', schema: 'posts', data: { title: 'p', category: { $ref: 'c.id' } }, as: 'p' },
          { op: 'update', schema: 'post', id: { $ref: 'p.id' }, data: { views: 3, tags: [{ title: 't' }] } },
          { op: 'delete', schema: 'category', id: { $ref: 'c.id' } },
        ],
      })
      .expect(200);
    expect(body.data).toMatchObject([{ title: 'c' }, { title: 'p', views: 0 }, { title: 'p', views: 3 }, true]);
  });

  it('is all or nothing and reports the rejected operation', async () => {
    const before = await count('tags');
    const { body } = await root
      .post('/api/batch', {
        operations: [
          { op: 'create', schema: 'tag', data: { title: 'x' } },
          { op: 'create', schema: 'tag', data: { title: 5 } },
        ],
      })
      .expect(400);
    expect(body.data).toMatchObject({ error: 'field_invalid', operation: 1, errors: [{ field: 'title' }] });
    expect(await count('tags')).toBe(before);
  });

  it.each([
    {},
    { operations: [] },
    { operations: Array.from({ length: 51 }, () => ({ op: 'create', schema: 'tag', data: {} })) },
    { operations: [{ op: 'drop', schema: 'tag', data: {} }] },
    { operations: [{ op: 'create', schema: 'tag', id: 'x', data: {} }] },
    { operations: [{ op: 'delete', schema: 'tag' }] },
    { operations: [{ op: 'create', schema: 'tag', data: { title: { $ref: 'later.id' } } }] },
    { operations: [{ op: 'create', schema: 'tag', data: { title: { $ref: 'constructor.name' } } }] },
    { operations: [null] },
  ])('rejects %j', async (body) => {
    const response = await root.post('/api/batch', body).expect(400);
    expect(response.body.data.error).toBe('field_invalid');
  });

  describe('with concurrent batches on the same records in another order', () => {
    let pair: readonly { op: string; schema: string; id: string }[];
    const write = (operations: readonly object[], title: string) =>
      root.post('/api/batch', { operations: operations.map((one) => ({ ...one, data: { title } })) });

    beforeAll(async () => {
      const made = async (schema: string) => {
        const { body } = await root.post(`/api/content/${schema}`, { title: 'rivals' }).expect(201);
        return { op: 'update', schema, id: body.data.id as string };
      };
      pair = [await made('tag'), await made('category')];
    });

    it('locks the records in one order, independent of the operations', async () => {
      const [tag, category] = pair;
      const holder = world.app.get(DataSource).createQueryRunner();
      await holder.startTransaction();
      await holder.query('SELECT FROM categorys WHERE id = $1 FOR UPDATE', [category?.id]);
      const waiting = write(pair, 'waits').then(({ status }) => status);
      const isWaiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await until(async () => (await world.app.sql(isWaiting)).length === 1, 'the batch to wait');
      // The record that the batch names first is not locked, so a holder of its lock cannot wait for this batch.
      expect(await holder.query('SELECT id FROM tags WHERE id = $1 FOR UPDATE NOWAIT', [tag?.id])).toHaveLength(1);
      await holder.rollbackTransaction();
      await holder.release();
      expect(await waiting).toBe(200);
    });

    it('completes both batches, in 16 attempts', async () => {
      const all = Array.from({ length: 16 }, (_, at) => write(at % 2 === 0 ? pair : [...pair].reverse(), `${at}`));
      expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array<number>(16).fill(200));
    });
  });

  it('checks the permissions of every operation', async () => {
    const { client } = await personWith(world.app, [{ resource: 'content.tag.create', value: 'allow' }]);
    const before = await count('tags');
    await client
      .post('/api/batch', {
        operations: [
          { op: 'create', schema: 'tag', data: { title: 'x' }, as: 't' },
          { op: 'delete', schema: 'tag', id: { $ref: 't.id' } },
        ],
      })
      .expect(403);
    expect(await count('tags')).toBe(before);
    await world.app
      .asGuest()
      .post('/api/batch', { operations: [{ op: 'create', schema: 'tag', data: {} }] })
      .expect(401);
  });

  describe('with if_match', () => {
    const made = async (title: string): Promise<{ id: string; tag: string }> => {
      const answer = await root.post('/api/content/tag', { title }).expect(201);
      return { id: (answer.body as { data: { id: string } }).data.id, tag: answer.headers['etag'] as string };
    };

    it('changes and deletes records with their current ETag', async () => {
      const [one, two] = [await made('one'), await made('two')];
      const read = await root.get(`/api/content/tag/${two.id}`).expect(200);
      const operations = [
        { op: 'update', schema: 'tag', id: one.id, data: { title: 'uno' }, if_match: one.tag },
        { op: 'delete', schema: 'tag', id: two.id, if_match: read.headers['etag'] },
      ];
      await root.post('/api/batch', { operations }).expect(200);
      await root.get(`/api/content/tag/${two.id}`).expect(404);
    });

    it('rejects the batch with the operation whose record has changed, alone and among fifty', async () => {
      const all = await Promise.all(Array.from({ length: 50 }, (_, at) => made(`tag ${at}`)));
      await root.patch(`/api/content/tag/${all[30]!.id}`, { title: 'changed meanwhile' }).expect(200);
      const operations = all.map(({ id, tag }) => ({
        op: 'update',
        schema: 'tag',
        id,
        data: { title: 'x' },
        if_match: tag,
      }));
      for (const [sent, operation] of [
        [operations, 30],
        [[operations[30]], 0],
        [[{ op: 'delete', schema: 'tag', id: all[30]!.id, if_match: all[30]!.tag }], 0],
      ] as const) {
        const { body } = await root.post('/api/batch', { operations: sent }).expect(412);
        expect((body as { data: object }).data).toEqual({ error: 'record_changed', operation });
      }
      const { body } = await root.get(`/api/content/tag/${all[0]!.id}`).expect(200);
      expect((body as { data: { title: string } }).data.title).toBe('tag 0');
    });

    it('lets one of 16 concurrent changes succeed', async () => {
      const { id, tag } = await made('contested');
      const operations = [{ op: 'update', schema: 'tag', id, data: { title: 'mine' }, if_match: tag }];
      const answers = await Promise.all(Array.from({ length: 16 }, () => root.post('/api/batch', { operations })));
      expect(answers.map(({ status }) => status).sort((one, other) => one - other)).toEqual([
        200,
        ...Array<number>(15).fill(412),
      ]);
    });

    it('accepts only a string, and only in supported operations', async () => {
      const { id } = await made('one');
      for (const operation of [
        { op: 'create', schema: 'tag', data: { title: 'x' }, if_match: '"1"' },
        { op: 'update', schema: 'tag', id, data: { title: 'x' }, if_match: 1 },
        { op: 'update', schema: 'tag', id, data: { title: 'x' }, if_match: null },
      ])
        await root.post('/api/batch', { operations: [operation] }).expect(400);
    });
  });
});
