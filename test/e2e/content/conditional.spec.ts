import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const KEPT = { 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie, Origin' };

describe('conditional requests', () => {
  const world = useTestApp();
  let root: TestClient;
  let shelf: string;
  let book: string;

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    const schemas = [
      schema('shelf', [relation('books', 'book', 'shelf', 'o2m', { owner: true })]),
      schema('book', [
        relation('shelf', 'shelf', 'books', 'm2o'),
        { type: 'string', name: 'loud', optional: true, getter: 'auth.email' },
      ]),
    ];
    await root.post('/api/schema', { schemas }).expect(201);
    shelf = (await root.post('/api/content/shelf', { title: 'Top' }).expect(201)).body.data.id as string;
    book = (await root.post('/api/content/book', { title: 'One', shelf }).expect(201)).body.data.id as string;
  });

  const PATHS = () => [
    `/api/content/book/${book}`,
    `/api/content/book/${book}?select=title,shelf.title`,
    '/api/content/book?sort=title',
    '/api/content/books?cursor=&limit=2',
    `/api/content/shelf/${shelf}?select=*,books.*`,
  ];
  const again = (client: TestClient, path: string, tag: string) => client.get(path).set('if-none-match', tag);

  it('return 304 for records and lists, in every notation of the tag', async () => {
    for (const path of PATHS()) {
      const first = await root.get(path).expect(200);
      const tag = first.headers['etag'] as string;
      expect(tag).toMatch(/^"(\d+\.)?[\w-]{22}"$/);
      expect(first.headers).toMatchObject(KEPT);
      for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const second = await again(root, path, known).expect(304);
        expect([second.text, second.headers['etag']]).toEqual(['', tag]);
        expect(second.headers).toMatchObject(KEPT);
      }
      for (const other of ['"x"', tag.slice(0, -1), tag.replaceAll('"', ''), '', `"${book}"`])
        expect((await again(root, path, other).expect(200)).text).toBe(first.text);
    }
  });

  it('return a new body after any change, also in a referenced record', async () => {
    const tags = await Promise.all(PATHS().map(async (path) => (await root.get(path)).headers['etag'] as string));
    await root.patch(`/api/content/book/${book}`, { title: 'Two' }).expect(200);
    for (const [index, path] of PATHS().entries()) {
      const { text } = await again(root, path, tags[index]!).expect(200);
      expect(text).toContain('Two');
    }
    const path = `/api/content/book/${book}?select=title,shelf.title`;
    const tag = (await root.get(path)).headers['etag'] as string;
    await root.patch(`/api/content/shelf/${shelf}`, { title: 'Bottom' }).expect(200);
    expect((await again(root, path, tag).expect(200)).body.data.shelf.title).toBe('Bottom');
  });

  it('have different tags for callers with other permissions or computed values', async () => {
    const reader = (fields: string[]) =>
      personWith(world.app, [{ resource: 'content.book.*', value: 'allow', fields: { read: fields } }]);
    const [some, all] = [await reader(['id', 'title']), await reader(['id', 'title', 'loud'])];
    for (const path of [`/api/content/book/${book}`, '/api/content/book']) {
      const tag = (await root.get(path).expect(200)).headers['etag'] as string;
      for (const { client } of [some, all]) {
        const { text } = await again(client, path, tag).expect(200);
        expect(text).not.toContain('created_at');
      }
      const own = (await all.client.get(path)).headers['etag'] as string;
      await again(all.client, path, own).expect(304);
      await again(some.client, path, own).expect(200);
      await again(world.app.asGuest(), path, own).expect(401);
    }
  });

  it('are rejected with any tag once the caller cannot read the record', async () => {
    const { client, id } = await personWith(world.app, [{ resource: 'content.book.get', value: 'allow' }]);
    const path = `/api/content/book/${book}`;
    const tag = (await client.get(path).expect(200)).headers['etag'] as string;
    await root.patch(`/api/content/users/${id}`, { roles: { $set: [] } }).expect(200);
    for (const known of [tag, '*']) await again(client, path, known).expect(403);
    await again(root, '/api/content/book/0190a0a0-0000-7000-8000-000000000000', '*').expect(404);
  });

  it('change a record once with the tag that was read', async () => {
    const path = `/api/content/book/${book}`;
    const tag = (await root.get(`${path}?select=title`)).headers['etag'] as string;
    await root.patch(path, { title: 'Three' }).set('if-match', tag).expect(200);
    await root.patch(path, { title: 'Four' }).set('if-match', tag).expect(412);
    const version = (await root.get(path)).headers['etag'] as string;
    await root.delete(path).set('if-match', `"x", ${version}`).expect(200);
    await root.post(`${path}/restore`).expect(200);
  });

  it('are not cacheable for accounts', async () => {
    for (const path of [
      '/api/content/user',
      '/api/content/users?limit=1',
      '/api/content/sessions',
      '/api/content/role',
    ]) {
      const { headers } = await root.get(path).expect(200);
      expect(headers['cache-control']).toBe('no-store');
      expect((await again(root, path, headers['etag'] as string)).headers['cache-control']).toBe('no-store');
    }
  });
});
