import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';
import { versionOf } from '../../support/entity-tags.js';

const POSTS = '/api/content/posts';
const MINIMAL = 'return=minimal';

describe('Prefer and Location', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  it('a new record has a Location', async () => {
    const { headers, body } = await root.post('/api/content/post', { title: 'here' }).expect(201);
    expect(headers['location']).toBe(`/api/content/post/${body.data.id}`);
    expect(headers['preference-applied']).toBeUndefined();
    expect((await root.get(String(headers['location'])).expect(200)).body.data).toEqual(body.data);
  });

  it('return=minimal: a new record is returned as Location and ETag', async () => {
    const { headers, text } = await root.post(POSTS, { title: 'm' }).set('prefer', MINIMAL).expect(201);
    expect(text).toBe('');
    expect(headers['preference-applied']).toBe(MINIMAL);
    expect(headers['content-type']).toBeUndefined();
    const read = await root.get(String(headers['location'])).expect(200);
    expect(headers['etag']).toBe(versionOf(read));
  });

  it('return=minimal: a change, a replacement and a restore return only the ETag', async () => {
    const { id } = (await root.post(POSTS, { title: 'm' }).expect(201)).body.data;
    const path = `${POSTS}/${id}`;
    const writes = [
      () => root.patch(path, { views: 1 }),
      () => root.put(path, { title: 'n' }),
      () => root.post(`${path}/restore`, {}),
    ];
    for (const write of writes) {
      if (write === writes[2]) await root.delete(path).expect(200);
      const { headers, text } = await write().set('prefer', MINIMAL).expect(204);
      expect([text, headers['preference-applied']]).toEqual(['', MINIMAL]);
      expect(headers['etag']).toBe(versionOf(await root.get(path)));
    }
  });

  it('return=minimal: a list is created without a body', async () => {
    const { text } = await root
      .post('/api/content/tags', [{ title: 'a' }, { title: 'b' }])
      .set('prefer', MINIMAL)
      .expect(201);
    expect(text).toBe('');
  });

  it.each<[string, string | undefined, boolean]>([
    ['return=representation', 'return=representation', true],
    ['Return = "Minimal"', MINIMAL, false],
    ['respond-async, return=minimal; x=1', MINIMAL, false],
    ['return=representation, return=minimal', 'return=representation', true],
    ['return=other', undefined, true],
    ['return=other, return=minimal', undefined, true],
    ['return', undefined, true],
    ['minimal', undefined, true],
  ])('parses "Prefer: %s"', async (prefer, applied, hasBody) => {
    const { headers, text } = await root.post(POSTS, { title: 'p' }).set('prefer', prefer).expect(201);
    expect(headers['preference-applied']).toBe(applied);
    expect(text !== '').toBe(hasBody);
  });

  it('rejects an invalid selection with every preference', async () => {
    await root.post(`${POSTS}?select=nothing`, { title: 'p' }).set('prefer', MINIMAL).expect(400);
  });

  it('returns no ETag of a record that the caller cannot read', async () => {
    const { client } = await personWith(world.app, [{ resource: 'content.post.create', value: 'allow' }]);
    const { headers } = await client.post(POSTS, { title: 'p' }).set('prefer', MINIMAL).expect(201);
    expect(headers['etag']).toBeUndefined();
    expect(headers['location']).toMatch(/^\/api\/content\/posts\/[0-9a-f-]{36}$/);
  });
});
