import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { statementsOf } from '../../support/sent-statements.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const POSTS = '/api/content/posts';
const EVERY_POST = { resource: 'content.post.*', value: 'allow' };
const EVERY_CATEGORY = { resource: 'content.category.*', value: 'allow' };

describe('the key of a referenced record', () => {
  const world = useTestApp();
  let root: TestClient;
  let rootId: string;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    ({ root, rootId } = await makeMagazine(world.app));
    for (const title of ['open', 'closed'])
      ids[title] = (await root.post('/api/content/category', { title })).body.data.id;
    for (const [title, category] of [
      ['A', 'open'],
      ['B', 'closed'],
    ] as const) {
      const body = { title, category: ids[category], owner: rootId };
      ids[title] = (await root.post(POSTS, body).expect(201)).body.data.id;
    }
  });

  const keysOf = async (client: TestClient, parameters = '') => {
    const { body } = await client.get(`${POSTS}?sort=title${parameters}`).expect(200);
    return (body.data.items as Record<string, unknown>[]).map(({ category_id: key }) => key);
  };

  it('is a field of the record: in lists, single reads, write responses and expansions', async () => {
    const both = { category_id: ids['open'], owner_id: rootId };
    expect((await root.get(`${POSTS}/${ids['A']}`)).body.data).toMatchObject(both);
    expect(await keysOf(root)).toEqual([ids['open'], ids['closed']]);
    const made = (await root.post(POSTS, { title: 'C', category: ids['open'] }).expect(201)).body.data;
    expect(made).toMatchObject({ category_id: ids['open'], owner_id: null });
    const changed = await root.patch(`${POSTS}/${made.id}`, { category: null, owner: rootId }).expect(200);
    expect(changed.body.data).toMatchObject({ category_id: null, owner_id: rootId });
    const nested = await root.patch(`${POSTS}/${made.id}`, { category: { title: 'new' } }).expect(200);
    const category = (await root.get(`${POSTS}/${made.id}?select=category`)).body.data.category;
    expect(nested.body.data.category_id).toBe(category.id);
    expect(category).toMatchObject({ title: 'new', parent_id: null });
    await root.delete(`${POSTS}/${made.id}`).expect(200);
  });

  it('is returned only if a selection names it or selects all', async () => {
    const one = async (select: string) => (await root.get(`${POSTS}/${ids['A']}?select=${select}`)).body.data;
    expect(await one('title')).toEqual({ title: 'A' });
    expect(await one('title,category_id')).toEqual({ title: 'A', category_id: ids['open'] });
    expect(await one('category.title,owner_id')).toEqual({ category: { title: 'open' }, owner_id: rootId });
    expect(Object.keys(await one('*'))).toEqual(expect.arrayContaining(['category_id', 'owner_id']));
    const comments = (await root.get(`${POSTS}/${ids['A']}`)).body.data;
    for (const name of ['tags_id', 'comments_id', 'tags', 'comments']) expect(comments).not.toHaveProperty(name);
  });

  it('needs no join for callers who can read every target', async () => {
    const { client } = await personWith(world.app, [EVERY_POST, EVERY_CATEGORY]);
    const sent = await statementsOf(() => client.get(`${POSTS}?select=title,category_id&count=none`).expect(200));
    const texts = sent.map(({ text }) => text).filter((text) => text.includes('"posts"'));
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('AS "category_id"');
    expect(texts[0]).not.toContain('categorys');
    expect(texts[0]).not.toContain('JOIN');
  });

  it('is not returned if a field has the same name', async () => {
    const { fields } = (await root.get('/api/schema/comment')).body.data;
    const own = { type: 'string', name: 'post_id', label: 'Number at the post', optional: true };
    const body = { name: 'remark', namespace: 'remarks', label_field: 'title', fields: [fields[0], own] };
    const relation = { type: 'o2m', schema: 'post', field: 'remarks', owner: false, optional: true };
    body.fields.push({ type: 'relation', name: 'post', label: 'Post', optional: true, relation });
    const answer = await root.post('/api/schema?back_refs=create', body);
    if (answer.status !== 201) {
      // The column of the relation already has this name, so such a field cannot exist.
      expect(answer.status).toBe(422);
      return;
    }
    const made = await root.post('/api/content/remarks', { title: 'x', post_id: '7', post: ids['A'] }).expect(201);
    expect(made.body.data.post_id).toBe('7');
  });

  describe('is hidden from callers who cannot read the relation', () => {
    const spellings = (id: string | undefined) => [
      `?select=category_id`,
      `?select=title,category.id`,
      `?sort=category_id`,
      `?sort=-category`,
      `?filter={"category_id":"${id}"}`,
      `?filter={"category_id":{"$null":false}}`,
      `?filter={"category":"${id}"}`,
      `?filter={"category.id":{"$gte":"${id}"}}`,
      `?filter={"$or":[{"category":{"$null":false}}]}`,
      `?relations={"category":{}}&select=category`,
      `/aggregate?count=*&group=category`,
      `/aggregate?count=*&group=category_id`,
      `/aggregate?max=category_id`,
    ];
    const fields = { read: ['id', 'title', 'category_id', 'owner_id'], write: ['title'] };

    it.each([
      ['without permission for the field', [{ ...EVERY_POST, fields }, EVERY_CATEGORY]],
      ['without permission for the target schema', [EVERY_POST]],
      [
        'without permission for the key of the target',
        [EVERY_POST, { ...EVERY_CATEGORY, fields: { read: ['title'], write: [] } }],
      ],
    ])('%s', async (why, permissions) => {
      const { client } = await personWith(world.app, permissions);
      const { body } = await client.get(`${POSTS}?sort=title`).expect(200);
      for (const item of body.data.items) expect(item).not.toHaveProperty('category_id');
      for (const spelling of spellings(ids['open'])) {
        if (why.includes('key') && /category"|-category|group=category$/.test(spelling)) continue;
        const path = `${POSTS}${spelling.replace(/=(\{.*\})/, (_, json: string) => `=${encodeURIComponent(json)}`)}`;
        const answer = await client.get(path);
        expect([spelling, answer.status]).toEqual([spelling, 400]);
        expect(JSON.stringify(answer.body)).not.toContain(ids['open']);
      }
      const document = (await client.get('/api/openapi.json').expect(200)).body;
      expect(document.components.schemas.Post.properties).not.toHaveProperty('category_id');
    });

    it('for each record, by rule', async () => {
      const { client } = await personWith(world.app, [
        { ...EVERY_POST, fields: { read: ['id', 'title'], write: [] } },
        { resource: 'content.post.list', value: "record.title == 'A'" },
        EVERY_CATEGORY,
      ]);
      expect(await keysOf(client)).toEqual([ids['open'], null]);
    });

    it('for targets hidden by a rule', async () => {
      const { client } = await personWith(world.app, [
        EVERY_POST,
        { resource: 'content.category.*', value: "record.title == 'open'" },
      ]);
      expect(await keysOf(client)).toEqual([ids['open'], null]);
      expect(await keysOf(client, '&select=category_id')).toEqual([ids['open'], null]);
      const made = await client.post(POSTS, { title: 'D', category: ids['open'] }).expect(201);
      expect(made.body.data.category_id).toBe(ids['open']);
      await root.patch(`${POSTS}/${made.body.data.id}`, { category: ids['closed'] }).expect(200);
      const changed = await client.patch(`${POSTS}/${made.body.data.id}`, { title: 'E' }).expect(200);
      expect(changed.body.data.category_id).toBeNull();
      await root.delete(`${POSTS}/${made.body.data.id}`).expect(200);
      const properties = (await client.get('/api/openapi.json')).body.components.schemas.Post.properties;
      expect(properties.category_id).toMatchObject({ type: ['string', 'null'], readOnly: true });
    });
  });

  describe('cannot be written', () => {
    const refusal = async (client: TestClient, body: object) => {
      const answer = await client.patch(`${POSTS}/${ids['A']}`, body).expect(400);
      return answer.body.data.errors;
    };

    it('with an error that names the field to write instead', async () => {
      const message = 'is the key of category, and must be written as category';
      const fault = { field: 'category_id', code: 'read_only', message };
      expect(await refusal(root, { category_id: ids['closed'] })).toEqual([fault]);
      const created = await root.post(POSTS, { title: 'F', category_id: ids['open'] }).expect(400);
      expect(created.body.data.errors).toEqual([fault]);
      const nested = await root.post('/api/content/comments', { title: 'c', post: { title: 'G', owner_id: rootId } });
      expect(nested.body.data.errors).toMatchObject([{ field: 'post.owner_id', code: 'read_only' }]);
      expect(await keysOf(root)).toEqual([ids['open'], ids['closed']]);
    });

    it('with the error of an unknown name for a hidden relation', async () => {
      const fields = { read: ['id', 'title'], write: ['title'] };
      const { client } = await personWith(world.app, [{ ...EVERY_POST, fields }]);
      const [known] = await refusal(client, { category_id: ids['closed'] });
      const [unknown] = await refusal(client, { nothing_id: ids['closed'] });
      expect(known).toEqual({ ...unknown, field: 'category_id' });
    });
  });

  it('has its type in the OpenAPI document', async () => {
    const { properties } = (await root.get('/api/openapi.json').expect(200)).body.components.schemas.Post;
    expect(properties.category_id).toMatchObject({ format: 'uuid', readOnly: true });
    expect(properties).not.toHaveProperty('tags_id');
  });
});
