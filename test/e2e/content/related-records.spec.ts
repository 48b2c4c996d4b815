import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

describe('the list of related records', () => {
  const world = useTestApp();
  let root: TestClient;
  let post: string;
  let other: string;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    const tags = Array.from({ length: 150 }, (_, at) => ({ title: `tag ${String(at).padStart(3, '0')}` }));
    const made = (await root.post('/api/content/tags?select=id', tags).expect(201)).body.data as { id: string }[];
    const comments = Array.from({ length: 12 }, (_, at) => ({ title: `comment ${at}` }));
    const data = { title: 'first', slug: 'first', tags: made, comments, category: { title: 'top' } };
    post = (await root.post('/api/content/posts', data).expect(201)).body.data.id;
    other = (await root.post('/api/content/posts', { title: 'other', tags: made.slice(0, 3) }).expect(201)).body.data
      .id;
  });

  const list = async (query: string, client = root, path = `posts/${post}/tags`) =>
    (await client.get(`/api/content/${path}?${query}`).expect(200)).body.data;
  const titlesOf = (items: { title: string }[]) => items.map(({ title }) => title);

  it('has pages, a count and an ETag', async () => {
    const { items, ...page } = await list('limit=40&page=4&sort=title');
    expect(page).toEqual({ total: 150, per_page: 40, current_page: 4, last_page: 4 });
    expect(titlesOf(items)[0]).toBe('tag 120');
    expect(items).toHaveLength(30);
    expect(await list('count=none&limit=1')).toMatchObject({ total: null });
    const answer = await root.get(`/api/content/post/${post}/tags?limit=1`).expect(200);
    await root.get(`/api/content/post/${post}/tags?limit=1`).set('If-None-Match', answer.headers['etag']!).expect(304);
  });

  it.each(['sort=title', 'sort=-title', 'sort=title&select=title,posts.id', ''])(
    'lists all 150 by cursor, each once (%s)',
    async (query) => {
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: { items: { title: string }[]; next_cursor: string | null } = await list(
          `limit=40&cursor=${encodeURIComponent(cursor)}&${query}`,
        );
        seen.push(...titlesOf(page.items));
        cursor = page.next_cursor;
      }
      expect(seen).toHaveLength(150);
      expect(new Set(seen).size).toBe(150);
      if (query.startsWith('sort=title')) expect(seen).toEqual(seen.toSorted());
    },
  );

  it('filters, selects and expands as a list of the target does', async () => {
    const filter = json({ title: { $gte: 'tag 148' } });
    expect((await list(`filter=${filter}&sort=-title&select=title`)).items).toEqual([
      { title: 'tag 149' },
      { title: 'tag 148' },
    ]);
    const relations = json({ posts: { limit: 1 } });
    const [first] = (await list(`sort=title&limit=1&select=title,posts.title&relations=${relations}`)).items;
    expect(first).toMatchObject({ title: 'tag 000', _truncated: ['posts'] });
    expect((await list('limit=2', root, `post/${post}/comments`)).total).toBe(12);
    expect((await list('', root, `post/${other}/tags`)).total).toBe(3);
    const { category_id: category } = (await root.get(`/api/content/posts/${post}`)).body.data;
    expect((await list('', root, `category/${category}/posts`)).items).toMatchObject([{ title: 'first' }]);
  });

  it.each([
    ['limit=1001', 'limit', 'out_of_range'],
    ['filter={"secret":"x"}', 'secret', 'unknown_field'],
    ['sort=nothing', 'nothing', 'unknown_field'],
    ['select=posts.nothing', 'posts.nothing', 'unknown_field'],
    ['cursor=wrong', 'cursor', 'malformed'],
    ['format=csv', 'format', 'unknown_parameter'],
  ])('refuses %s', async (query, field, code) => {
    const { body } = await root.get(`/api/content/posts/${post}/tags?${query}`).expect(400);
    expect(body.data.errors).toContainEqual({ field, code, message: expect.any(String) });
  });

  it('refuses the cursor of another relation', async () => {
    const { next_cursor: cursor } = await list('cursor=&limit=1');
    await root.get(`/api/content/posts/${post}/comments?cursor=${encodeURIComponent(cursor)}`).expect(400);
  });

  it.each([
    ['a record that does not exist', '00000000-0000-7000-8000-000000000000/tags'],
    ['a key of another form', 'x/tags'],
    ['a relation that does not exist', ':post/nothing'],
    ['a value', ':post/title'],
    ['a relation to one', ':post/category'],
    ['a name of an object', ':post/constructor'],
  ])('returns 404 for %s', async (_name, path) => {
    const { body } = await root.get(`/api/content/posts/${path.replace(':post', post)}`).expect(404);
    expect(body.data.error).toBe('record_not_found');
  });

  it('applies the rules of both schemas and the permissions on fields', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.post.get', value: "record.title == 'first'" },
      { resource: 'content.tag.list', value: "record.title < 'tag 060'", fields: { read: ['title'] } },
    ]);
    const { items, total } = await list('limit=1&sort=title', client);
    expect({ items, total }).toEqual({ items: [{ title: 'tag 000' }], total: 60 });
    await client.get(`/api/content/posts/${other}/tags`).expect(404);
    await client.get(`/api/content/posts/${post}/comments`).expect(404);
    await client.get(`/api/content/posts/${post}/tags?select=id`).expect(400);
    await client.get(`/api/content/posts/${post}/tags?filter=${json({ 'posts.title': 'other' })}`).expect(400);
    await client.get(`/api/content/posts/${post}/tags?with_deleted=true`).expect(403);
  });

  it('refuses a caller without the permission, and hides a relation that the caller cannot read', async () => {
    await world.app.asGuest().get(`/api/content/posts/${post}/tags`).expect(401);
    const { client: nobody } = await personWith(world.app, [{ resource: 'content.tag.list', value: 'allow' }]);
    await nobody.get(`/api/content/posts/${post}/tags`).expect(403);
    const { client: partly } = await personWith(world.app, [
      { resource: 'content.post.get', value: 'allow', fields: { read: ['title'] } },
      { resource: 'content.tag.list', value: 'allow' },
    ]);
    await partly.get(`/api/content/posts/${post}/tags`).expect(404);
    const { client: some } = await personWith(world.app, [
      { resource: 'content.post.*', value: 'allow', fields: { read: ['title'] } },
      { resource: 'content.post.get', value: "record.title == 'other'", fields: { read: ['tags'] } },
      { resource: 'content.tag.list', value: 'allow' },
    ]);
    await some.get(`/api/content/posts/${post}/tags`).expect(404);
    expect((await list('', some, `posts/${other}/tags`)).total).toBe(3);
  });
});
