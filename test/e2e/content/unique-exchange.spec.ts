import { makeMagazine } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** See docs/guides/data/writing-records.md, "Swapping unique values". */
describe('records that exchange unique values in a batch', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  const make = async (slugs: readonly string[]): Promise<string[]> => {
    const { body } = await root
      .post(
        '/api/content/posts',
        slugs.map((slug) => ({ title: slug, slug })),
      )
      .expect(201);
    return (body.data as { id: string }[]).map(({ id }) => id);
  };
  const batch = (writes: readonly (readonly [id: string, slug: string | null])[]) =>
    root.post('/api/batch', {
      operations: writes.map(([id, slug]) => ({ op: 'update', schema: 'post', id, data: { slug } })),
    });
  const slugs = async (ids: readonly string[]): Promise<unknown[]> =>
    Promise.all(ids.map(async (id) => (await root.get(`/api/content/posts/${id}`).expect(200)).body.data.slug));

  it.each([
    ['two', ['a', 'b'], ['b', 'a']],
    ['three', ['c', 'd', 'e'], ['d', 'e', 'c']],
  ])('are rejected directly, and succeed over null: %s', async (_name, before, after) => {
    const ids = await make(before);
    const direct = ids.map((id, at) => [id, after[at]!] as const);
    const { body } = await batch(direct).expect(409);
    expect(body.data.error).toBe('unique_violation');
    expect(await slugs(ids)).toEqual(before);
    // The record whose value is needed last gets its value last.
    await batch([[ids[0]!, null], ...direct.slice(1).reverse(), direct[0]!]).expect(200);
    expect(await slugs(ids)).toEqual(after);
  });

  it('succeed over a temporary value', async () => {
    const ids = await make(['f', 'g']);
    await batch([
      [ids[0]!, 'temporary'],
      [ids[1]!, 'f'],
      [ids[0]!, 'g'],
    ]).expect(200);
    expect(await slugs(ids)).toEqual(['g', 'f']);
  });
});
