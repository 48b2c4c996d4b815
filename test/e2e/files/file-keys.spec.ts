import { personWith } from '../../support/content-fixture.js';
import { makeGallery, PNG, send } from '../../support/file-fixture.js';
import { sendFile } from '../../support/import-samples.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

describe('the file keys of a field with several files', () => {
  const world = useTestApp();
  let root: TestClient;
  let files: string[];
  let post: string;

  beforeAll(async () => {
    let token: string;
    ({ root, token } = await makeGallery(world.app));
    files = [];
    for (let at = 0; at < 3; at += 1)
      files.push((await send(world.app, PNG, { token, type: 'image/png' })).data.id as string);
    files = [files[2]!, files[0]!, files[1]!];
    post = (await root.post('/api/content/posts', { title: 'one', images: files }).expect(201)).body.data.id;
  });

  it('are returned in order to a reader of the record without permission to list files', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.post.*', value: 'allow' },
      { resource: 'content.file.list', value: 'record.uploaded_by == auth.id' },
    ]);
    expect((await client.get(`/api/content/posts/${post}`).expect(200)).body.data).toMatchObject({ images_ids: files });
    const list = await client.get('/api/content/posts?select=images_ids,images.id').expect(200);
    expect(list.body.data.items).toEqual([{ images_ids: files, images: [] }]);
    await client.get(`/api/files/${files[1]}`).expect(200);
    await client.patch(`/api/content/posts/${post}`, { images: [] }).expect(200);
    expect((await root.get(`/api/content/posts/${post}`)).body.data.images_ids).toEqual(files);
    const { client: reader } = await personWith(world.app, [{ resource: 'content.post.get', value: 'allow' }]);
    expect((await reader.get(`/api/content/posts/${post}?select=images_ids`)).body.data).toEqual({ images_ids: files });
  });

  it('are hidden from a caller who cannot read the field', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.post.get', value: 'allow', fields: { read: ['title'] } },
    ]);
    expect((await client.get(`/api/content/posts/${post}`).expect(200)).body.data).toEqual({ title: 'one' });
    await client.get(`/api/content/posts/${post}?select=images_ids`).expect(400);
  });

  it('names an incomplete list, and accepts only a limit', async () => {
    const query = (limits: object) => `select=images_ids&relations=${json({ images_ids: limits })}`;
    const read = await root.get(`/api/content/posts/${post}?${query({ limit: 2 })}`).expect(200);
    expect(read.body.data).toEqual({ images_ids: files.slice(0, 2), _truncated: ['images_ids'] });
    await root.get(`/api/content/posts/${post}?${query({ sort: 'name' })}`).expect(400);
    await root.get(`/api/content/posts/${post}?${query({ filter: { name: 'x' } })}`).expect(400);
  });

  it('are returned by writes, and cannot be written', async () => {
    const { body } = await root.post('/api/content/posts', { title: 'two', images: files.slice(1) }).expect(201);
    expect(body.data.images_ids).toEqual(files.slice(1));
    const fewer = await root.patch(`/api/content/posts/${body.data.id}`, { images: { $remove: [files[1]] } });
    expect(fewer.body.data.images_ids).toEqual([files[2]]);
    const refused = await root.patch(`/api/content/posts/${body.data.id}`, { images_ids: [] }).expect(400);
    expect(refused.body.data.errors).toMatchObject([{ field: 'images_ids', code: 'read_only' }]);
    await root.delete(`/api/content/posts/${body.data.id}`).expect(200);
  });

  it.each(['csv', 'ndjson', 'json'] as const)('are restored by an import of an export as %s', async (format) => {
    const { text } = await root
      .get(`/api/content/posts/export?format=${format}&select=title,images_ids&filter=${json({ id: post })}`)
      .buffer(true)
      .expect(200);
    const types = { csv: 'text/csv', ndjson: 'application/x-ndjson', json: 'application/json' };
    const options = { query: `format=${format}`, type: types[format], name: 'posts' };
    expect(await sendFile(world.app, root, text, options)).toMatchObject({ status: 200 });
    const { items } = (await root.get('/api/content/posts?sort=-id&limit=1').expect(200)).body.data;
    expect(items).toMatchObject([{ title: 'one', images_ids: files }]);
    await root.delete(`/api/content/posts/${items[0].id}`).expect(200);
  });

  it('reject a list in place of more than 100 files, and list all by their path', async () => {
    await world.app.sql(
      `INSERT INTO files SELECT (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid()))).* FROM files f, generate_series(1, 150) WHERE f.id = '${files[0]}'`,
    );
    const all = (await world.app.sql<{ id: string }>('SELECT id FROM files ORDER BY id DESC')).map(({ id }) => id);
    const { body } = await root.post('/api/content/posts', { title: 'many', images: all }).expect(201);
    const path = `/api/content/posts/${body.data.id}`;
    const read = (await root.get(`${path}?select=images_ids,images.id`).expect(200)).body.data;
    expect(read._truncated.toSorted()).toEqual(['images', 'images_ids']);
    expect(read.images_ids).toEqual(all.slice(0, 100));
    await root.patch(path, { images: read.images }).expect(409);
    await root.patch(path, { images: { $remove: [all[0]] } }).expect(200);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { items: { id: string }[]; next_cursor: string | null } = (
        await root.get(`${path}/images?select=id&limit=60&cursor=${encodeURIComponent(cursor)}`).expect(200)
      ).body.data;
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(all.slice(1));
    const sorted = (await root.get(`${path}/images?select=id&sort=id&limit=2`)).body.data.items;
    expect(sorted.map(({ id }: { id: string }) => id)).toEqual(all.toSorted().slice(0, 2));
  });
});
