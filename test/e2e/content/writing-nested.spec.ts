import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Json = Record<string, unknown>;

describe('setters in nested writes', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    const deck = schema('deck', [
      field('string', 'slug', { optional: true, setter: 'slug(record.title)' }),
      relation('cards', 'card', 'deck', 'o2m', { owner: true }),
      relation('marks', 'mark', 'decks', 'm2m', { owner: true }),
    ]);
    const card = schema('card', [
      field('string', 'code', { optional: true, setter: 'upper(value)' }),
      field('string', 'slug', { optional: true, setter: 'slug(record.title)' }),
      relation('deck', 'deck', 'cards', 'm2o'),
    ]);
    const mark = schema('mark', [
      field('string', 'slug', { optional: true, setter: 'slug(record.title)' }),
      relation('decks', 'deck', 'marks', 'm2m'),
    ]);
    await root.post('/api/schema', { schemas: [deck, card, mark] }).expect(201);
  });

  it('run in nested records of every kind and where a list is replaced', async () => {
    const query = '?select=slug,cards.slug,cards.code,marks.slug';
    const card = { title: 'Card One', code: 'ab' };
    const made = await root
      .post(`/api/content/decks${query},id`, { title: 'Deck One', cards: [card], marks: [{ title: 'Mark One' }] })
      .expect(201);
    const expected = { slug: 'deck-one', cards: [{ slug: 'card-one', code: 'AB' }], marks: [{ slug: 'mark-one' }] };
    expect(made.body.data).toMatchObject(expected);
    const path = `/api/content/decks/${made.body.data.id}${query}`;
    const body = { cards: { $set: [card] }, marks: { $add: [{ title: 'Mark Two' }] } };
    const changed = (await root.patch(path, body).expect(200)).body.data;
    expect(changed).toMatchObject({ cards: [{ slug: 'card-one', code: 'AB' }] });
    expect(changed.marks).toContainEqual({ slug: 'mark-two' });
    const upwards = await root
      .post('/api/content/cards?select=deck.slug', { title: 'x', deck: { title: 'Up There' } })
      .expect(201);
    expect(upwards.body.data).toEqual({ deck: { slug: 'up-there' } });
  });

  it('run in lists, bulk changes and batches, for each record', async () => {
    const list = await root.post('/api/content/cards', [{ title: 'L 1' }, { title: 'L 2', code: 'x' }]).expect(201);
    expect(list.body.data).toMatchObject([{ slug: 'l-1' }, { slug: 'l-2', code: 'X' }]);
    const filter = encodeURIComponent(JSON.stringify({ title: { $like: 'L %' } }));
    await root.patch(`/api/content/cards?filter=${filter}`, { code: 'many' }).expect(200);
    const read = await root.get(`/api/content/cards?filter=${filter}&select=slug,code&sort=title`).expect(200);
    expect(read.body.data.items).toEqual([
      { slug: 'l-1', code: 'MANY' },
      { slug: 'l-2', code: 'MANY' },
    ]);
    const operations = [
      { op: 'create', schema: 'card', data: { title: 'B 1', code: 'b' }, as: 'b' },
      { op: 'update', schema: 'cards', id: { $ref: 'b.id' }, data: { title: 'B 2' } },
    ];
    const { body } = await root.post('/api/batch', { operations }).expect(200);
    expect(body.data).toMatchObject([
      { slug: 'b-1', code: 'B' },
      { slug: 'b-2', code: 'B' },
    ]);
  });
});

describe('nested writes with rules', () => {
  const world = useTestApp();
  let root: TestClient;
  const rows = async (table: string) =>
    (await world.app.sql<{ count: number }>(`SELECT count(*)::int FROM ${table}`))[0]?.count;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  it('a nested record needs the permission, rule and fields of its schema', async () => {
    const base = [
      { resource: 'content.post.*', value: 'allow' },
      { resource: 'content.tag.list', value: 'allow' },
    ];
    const nested = { title: 'p', tags: [{ title: 'good' }] };
    const before = [await rows('posts'), await rows('tags')];
    const none = await personWith(world.app, base);
    await none.client.post('/api/content/posts', nested).expect(400);
    const ruled = await personWith(world.app, [
      ...base,
      { resource: 'content.tag.create', value: "record.title == 'good'" },
    ]);
    await ruled.client
      .post('/api/content/posts', { title: 'p', tags: [{ title: 'good' }, { title: 'bad' }] })
      .expect(403);
    const fieldless = await personWith(world.app, [
      ...base,
      { resource: 'content.tag.create', value: 'allow', fields: { write: [] } },
    ]);
    await fieldless.client.post('/api/content/posts', nested).expect(400);
    expect([await rows('posts'), await rows('tags')]).toEqual(before);
    await ruled.client.post('/api/content/posts', nested).expect(201);
  });

  it('a removal by a list is checked record by record', async () => {
    const post = (
      await root
        .post('/api/content/posts?select=id,comments.title,comments.id', {
          title: 'p',
          comments: [{ title: 'mine' }, { title: 'theirs' }],
        })
        .expect(201)
    ).body.data as { id: string; comments: { id: string; title: string }[] };
    const { client } = await personWith(world.app, [
      { resource: 'content.post.*', value: 'allow' },
      { resource: 'content.comment.list', value: 'allow' },
      { resource: 'content.comment.update', value: "record.title == 'mine'" },
    ]);
    const path = `/api/content/posts/${post.id}`;
    const id = (title: string) => post.comments.find((comment) => comment.title === title)?.id;
    await client.patch(path, { comments: [] }).expect(403);
    await client.patch(path, { comments: { $remove: [id('theirs')] } }).expect(400);
    await client.patch(path, { comments: { $remove: [id('mine')] } }).expect(200);
    const { body } = await root.get(`${path}?select=comments.title`).expect(200);
    expect(body.data).toEqual({ comments: [{ title: 'theirs' }] });
  });

  it.each<[string, Json]>([
    ['a column of a reference', { owner_id: 'x' }],
    ['the time of its deletion', { deleted_at: null }],
    ['when it was made', { created_at: '2020-01-01' }],
    ['its key', { id: '00000000-0000-7000-8000-000000000009' }],
    ['a version', { xmin: 1 }],
    ['a prototype', JSON.parse('{"constructor": {"name": "x"}}') as Json],
  ])('%s cannot be written, at any depth', async (_what, fields) => {
    const { id } = (await root.post('/api/content/posts', { title: 'm' }).expect(201)).body.data;
    for (const request of [
      () => root.post('/api/content/posts', { title: 'm', ...fields }),
      () => root.post('/api/content/posts', [{ title: 'm', ...fields }]),
      () => root.patch(`/api/content/posts/${id}`, fields),
      () => root.put(`/api/content/posts/${id}`, { title: 'm', ...fields }),
      () => root.post('/api/content/category', { title: 'c', posts: [{ title: 'm', ...fields }] }),
      () => root.post('/api/batch', { operations: [{ op: 'update', schema: 'post', id, data: fields }] }),
    ]) {
      const { body } = await request().expect(400);
      expect(body.data.error).toBe('field_invalid');
    }
  });
});
