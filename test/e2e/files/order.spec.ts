import { makeGallery, PNG, send } from '../../support/file-fixture.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Item = Record<string, { id: string }[]>;

describe('a field with several files', () => {
  const world = useTestApp();
  let root: TestClient;
  let token: string;
  let files: readonly string[];
  /** Sorted by id. */
  let a: string, b: string, c: string, d: string;

  beforeAll(async () => {
    ({ root, token } = await makeGallery(world.app));
    files = await Promise.all(Array.from({ length: 4 }, () => upload()));
    [a, b, c, d] = [...files].sort() as [string, string, string, string];
  });

  const upload = async (query = ''): Promise<string> =>
    (await send(world.app, PNG, { token, type: 'image/png', query })).data.id;
  const linked = (ids: readonly string[]) => ids.map((id) => ({ id }));
  const make = async (images: unknown, by = 'posts'): Promise<string> =>
    ((await root.post(`/api/content/${by}`, { title: 'x', images }).expect(201)).body as { data: { id: string } }).data
      .id;
  const imagesOf = async (id: string, query = 'select=images.id', of = 'posts'): Promise<string[]> =>
    ((await root.get(`/api/content/${of}/${id}?${query}`).expect(200)).body as { data: Item }).data['images']!.map(
      (one) => one.id,
    );

  const relations = (images: object): string => `relations=${encodeURIComponent(JSON.stringify({ images }))}`;

  it('has the order of the new record, in single reads and lists', async () => {
    const id = await make(linked([c, a, d, b]));
    expect(await imagesOf(id)).toEqual([c, a, d, b]);
    const { body } = await root.get(`/api/content/posts?select=images.id&filter={"id":"${id}"}`).expect(200);
    expect((body as { data: { items: Item[] } }).data.items[0]?.['images']).toEqual(linked([c, a, d, b]));
    expect(await imagesOf(id, `select=images.id&${relations({ limit: 2 })}`)).toEqual([c, a]);
  });

  it('has the order for every record of a list', async () => {
    const lists = [linked([d, c]), linked([b, a, d]), linked([c, b])];
    const { body } = await root
      .post(
        '/api/content/posts',
        lists.map((images) => ({ title: 'x', images })),
      )
      .expect(201);
    const made = (body as { data: { id: string }[] }).data;
    for (const [at, { id }] of made.entries()) expect(linked(await imagesOf(id))).toEqual(lists[at]);
  });

  it('has the order of a list that replaces the files', async () => {
    const id = await make(linked([a, b, c]));
    for (const order of [
      [c, b, a],
      [b, d, c, a],
      [d, a],
    ]) {
      await root.patch(`/api/content/posts/${id}`, { images: linked(order) }).expect(200);
      expect(await imagesOf(id)).toEqual(order);
      await root.patch(`/api/content/posts/${id}`, { images: { $set: [...order].reverse() } }).expect(200);
      expect(await imagesOf(id)).toEqual([...order].reverse());
    }
    await root.patch(`/api/content/posts/${id}?select=images.id`, { images: [b, c] }).expect(200);
    expect(await imagesOf(id)).toEqual([b, c]);
  });

  it('uses the first position of a repeated file, in any spelling', async () => {
    const id = await make(linked([b, a]));
    await root.patch(`/api/content/posts/${id}`, { images: linked([c, a.toUpperCase(), c, a, b]) }).expect(200);
    expect(await imagesOf(id)).toEqual([c, a, b]);
    expect(await imagesOf(await make(linked([d, b, d.toUpperCase(), a])))).toEqual([d, b, a]);
  });

  it('appends added files, and does not move existing ones', async () => {
    const id = await make(linked([d, b]));
    await root.patch(`/api/content/posts/${id}`, { images: { $add: [c, b, a] } }).expect(200);
    expect(await imagesOf(id)).toEqual([d, b, c, a]);
    await root.patch(`/api/content/posts/${id}`, { images: { $remove: [b], $add: [d] } }).expect(200);
    expect(await imagesOf(id)).toEqual([d, c, a]);
    const sent = await upload(`?schema=post&record=${id}&field=images`);
    expect(await imagesOf(id)).toEqual([d, c, a, sent]);
  });

  it('has one order after sixteen concurrent changes', async () => {
    const id = await make(linked([a, b, c, d]));
    const orders = Array.from({ length: 16 }, (_, at) => [a, b, c, d].map((_one, n, all) => all[(n + at) % 4]!));
    const answers = await Promise.all(
      orders.map((order, at) =>
        root.patch(`/api/content/posts/${id}`, {
          // A title beside it is written in one statement, but a nested chapter is not.
          ...(at % 2 === 0 ? { title: String(at) } : { chapters: { $add: [{ title: 'y' }] } }),
          images: linked(order),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(orders.slice(0, 4)).toContainEqual(await imagesOf(id));
  });

  it('is sorted on request', async () => {
    const id = await make(linked([b, d, a, c]));
    expect(await imagesOf(id, `select=images.id&${relations({ sort: '-id' })}`)).toEqual([d, c, b, a]);
  });

  it('keeps the order when it begins to allow several files, and keeps the first when it stops', async () => {
    const page = (multiple: boolean) => schema('page', [field('file', 'images', { optional: true, multiple })]);
    await root.post('/api/schema', page(true)).expect(201);
    const id = await make(linked([c, a]), 'pages');
    await root.post('/api/schema?allow_data_loss=true', page(false)).expect(200);
    const { body } = await root.get(`/api/content/pages/${id}?select=images.id`).expect(200);
    expect((body as { data: unknown }).data).toEqual({ images: { id: c } });
    await root.post('/api/schema', page(true)).expect(200);
    await root.patch(`/api/content/pages/${id}`, { images: { $add: [b, a] } }).expect(200);
    expect(await imagesOf(id, 'select=images.id', 'pages')).toEqual([c, b, a]);
  });
});
