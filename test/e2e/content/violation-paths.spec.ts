import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const GHOST = '00000000-0000-7000-8000-0000000000ff';

describe('a violated constraint', () => {
  const world = useTestApp();
  let root: TestClient;
  let own: string;

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    const unique = field('string', 'name', { unique: true });
    const schemas = [
      schema('item', [
        field('string', 'code', { unique: true, optional: true }),
        relation('tags', 'tag', 'items', 'm2m', { owner: true }),
        relation('parts', 'part', 'item', 'o2m', { owner: true }),
        relation('maker', 'maker', 'items', 'm2o'),
      ]),
      schema('tag', [unique, relation('items', 'item', 'tags', 'm2m')], { label_field: 'name' }),
      schema('part', [unique, relation('item', 'item', 'parts', 'm2o')], { label_field: 'name' }),
      schema('maker', [unique, relation('items', 'item', 'maker', 'o2m', { owner: true })], { label_field: 'name' }),
    ];
    await root.post('/api/schema', { schemas }).expect(201);
    for (const name of ['tag', 'part', 'maker'])
      await root.post(`/api/content/${name}`, { title: 't', name: 'taken' }).expect(201);
    own = (await root.post('/api/content/item', { title: 'i', code: 'taken' }).expect(201)).body.data.id;
  });

  const fresh = { title: 't', name: 'new' };
  const taken = { title: 't', name: 'taken' };
  const unique: [string, string, 'post' | 'patch' | 'put', string, () => unknown, string][] = [
    ['a record', 'name', 'post', 'tag', () => taken, 'unique_violation'],
    [
      'a list',
      'records[2].name',
      'post',
      'tag',
      () => [fresh, { title: 't', name: 'newer' }, taken],
      'unique_violation',
    ],
    ['a list that repeats a value', 'records[1].name', 'post', 'tag', () => [fresh, fresh], 'unique_violation'],
    [
      'a nested m2m record',
      'tags[1].name',
      'post',
      'item',
      () => ({ title: 'n', tags: [fresh, taken] }),
      'unique_violation',
    ],
    [
      'a nested child',
      'parts[1].name',
      'post',
      'item',
      () => ({ title: 'n', parts: [fresh, taken] }),
      'unique_violation',
    ],
    ['a nested parent', 'maker.name', 'post', 'item', () => ({ title: 'n', maker: taken }), 'unique_violation'],
    [
      'a child in a list',
      'records[1].parts[0].name',
      'post',
      'item',
      () => [{ title: 'n' }, { title: 'n', parts: [taken] }],
      'unique_violation',
    ],
    [
      'a child two levels down',
      'items[0].tags[0].name',
      'post',
      'maker',
      () => ({ ...fresh, items: [{ title: 'i', tags: [taken] }] }),
      'unique_violation',
    ],
    [
      'an added record of a change',
      'tags[0].name',
      'patch',
      'item',
      () => ({ tags: { $add: [taken] } }),
      'unique_violation',
    ],
    [
      'a nested record of a replacement',
      'parts[0].name',
      'put',
      'item',
      () => ({ title: 'n', parts: [taken] }),
      'unique_violation',
    ],
    [
      'a missing reference in a list',
      'records[1].maker',
      'post',
      'item',
      () => [{ title: 'n' }, { title: 'n', maker: GHOST }],
      'reference_not_found',
    ],
    [
      'a missing reference of a child',
      'items[0].tags',
      'post',
      'maker',
      () => ({ ...fresh, items: [{ title: 'i', tags: [GHOST] }] }),
      'reference_not_found',
    ],
    [
      'a missing value of a child',
      'parts[0].name',
      'post',
      'item',
      () => ({ title: 'n', parts: [{ title: 't', name: null }] }),
      'field_invalid',
    ],
  ];

  const count = async () =>
    Number(
      (
        await world.app.sql<{ n: string }>(
          'SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM tags) + (SELECT count(*) FROM parts) + (SELECT count(*) FROM makers) AS n',
        )
      )[0]?.n,
    );

  it.each(unique)('is reported with its path: %s (%s)', async (_what, place, method, name, body, code) => {
    const before = await count();
    const path = method === 'post' ? `/api/content/${name}` : `/api/content/${name}/${own}`;
    const answer = await root[method](path, body() as object);
    expect({ status: answer.status, error: answer.body.data.error }).toEqual({
      status: code === 'unique_violation' ? 409 : 400,
      error: code,
    });
    expect((answer.body.data.errors as { field: string }[])[0]?.field).toBe(place);
    expect(await count()).toBe(before);
  });

  it('names the operation of a batch and the path in it', async () => {
    const operations = [
      { op: 'create', schema: 'tag', data: fresh },
      { op: 'create', schema: 'item', data: { title: 'n', tags: [taken] } },
    ];
    const { body } = await root.post('/api/batch', { operations }).expect(409);
    expect(body.data).toMatchObject({ operation: 1, errors: [{ field: 'tags[0].name', code: 'unique_violation' }] });
  });

  it('names the row of an import and the path in it', async () => {
    const rows = [
      { title: 'a', code: 'a' },
      { title: 'b', code: 'b', parts: [fresh, taken] },
      { title: 'c', code: 'taken' },
    ];
    for (const query of ['', '?mode=upsert&key=code']) {
      const { body } = await root.post(`/api/content/item/import${query}`, rows).expect(400);
      const errors = (body.data.errors as { row: number; field: string }[]).map(({ row, field: at }) => `${row} ${at}`);
      expect(errors[0]).toMatch(/ parts\[1\]\.name$/);
      if (query === '') expect(errors[1]).toMatch(/ code$/);
    }
  });
});
