import { eventsOf } from '../../support/audit-log.js';
import { personWith } from '../../support/content-fixture.js';
import { author, known, makeGallery, PNG, send, stored, sweep } from '../../support/file-fixture.js';
import { signedIn } from '../../support/people.js';
import type { TestClient } from '../../support/test-client.js';
import { useTestApp } from '../../support/test-app.js';

interface Answer {
  readonly body: { readonly data: Record<string, unknown> };
}

const idOf = ({ body }: Answer): string => String(body.data['id']);

describe('a file', () => {
  const world = useTestApp();
  let root: TestClient;
  let token: string;

  beforeAll(async () => {
    await makeGallery(world.app);
  });

  // Each test advances the clock by days.
  beforeEach(async () => {
    ({ token } = await signedIn(world.app, { roles: ['admin'] }));
    root = world.app.as(token);
  });

  const upload = async (query = '', own = token) => {
    const { status, data } = await send(world.app, PNG, { token: own, type: 'image/png', name: 'a.png', query });
    expect(status).toBe(201);
    return data.id;
  };
  const make = async (schema: string, body: object, by = root) =>
    idOf(await by.post(`/api/content/${schema}`, body).expect(201));
  const isThere = async (file: string): Promise<boolean> => {
    const rows = await world.app.sql<{ id: string }>(
      `SELECT o.id FROM files f JOIN file_objects o ON o.file_id = f.id AND o.state = 'live' WHERE f.id = $1`,
      [file],
    );
    const isStored = rows.every(({ id }) => stored(world.app).includes(id));
    expect(isStored).toBe(true);
    return rows.length > 0;
  };
  const coverOf = async (post: string) => {
    const { body } = (await root.get(`/api/content/posts/${post}?select=cover.id,images.id`).expect(200)) as Answer;
    return body.data as { cover: { id: string } | null; images: { id: string }[] };
  };

  afterEach(async () => {
    await sweep(world.app, 25);
    await sweep(world.app, 25);
    expect(stored(world.app)).toEqual(await known(world.app, 'live'));
    expect([await known(world.app, 'pending'), await known(world.app, 'doomed')]).toEqual([[], []]);
  });

  describe('is linked', () => {
    it('to the record that the upload names, in the same transaction', async () => {
      const { client, token: own } = await author(world.app);
      const post = await make('posts', { title: 'x' }, client);
      const cover = await upload(`?schema=post&record=${post}&field=cover`, own);
      const first = await upload(`?schema=posts&record=${post}&field=images`, own);
      const second = await upload(`?schema=post&record=${post}&field=images`, own);
      expect(await coverOf(post)).toEqual({ cover: { id: cover }, images: [{ id: first }, { id: second }] });
      await sweep(world.app, 200);
      expect([await isThere(cover), await isThere(first)]).toEqual([true, true]);
    });

    it.each([
      ['a missing record', () => '019a0000-0000-7000-8000-000000000000', 'cover', 404, 'record_not_found'],
      ['an unknown field', (post: string) => post, 'nothing', 400, 'field_invalid'],
      ['a field of another type', (post: string) => post, 'title', 400, 'field_invalid'],
      ['a relation to other records', (post: string) => post, 'chapters', 400, 'field_invalid'],
      ['an invalid record id', () => 'x', 'cover', 404, 'record_not_found'],
    ])('to existing targets only: with %s, the file is not created', async (_what, record, name, status, error) => {
      const post = await make('posts', { title: 'x' });
      const before = stored(world.app);
      const query = `?schema=post&record=${record(post)}&field=${name}`;
      expect(await send(world.app, PNG, { token, query })).toMatchObject({ status, error });
      expect(stored(world.app)).toEqual(before);
      expect(await known(world.app, 'doomed')).toEqual([]);
    });

    it('only with a complete target and permission to change the record', async () => {
      const post = await make('posts', { title: 'x' });
      const partly = await send(world.app, PNG, { token, query: `?schema=post&record=${post}` });
      expect(partly).toMatchObject({ status: 422, error: 'validation_failed' });
      const { client } = await personWith(world.app, [{ resource: 'content.file.create', value: 'allow' }]);
      const query = `?schema=post&record=${post}&field=cover`;
      const refused = await send(world.app, PNG, { token: client.token, query });
      expect(refused).toMatchObject({ status: 403, error: 'permission_denied' });
      expect(await coverOf(post)).toMatchObject({ cover: null });
    });

    it('by its uploader, for every way of writing, and by no other account that cannot see it', async () => {
      const [ann, bob] = [await author(world.app), await author(world.app)];
      const file = await upload('', ann.token);
      const bodies = [{ cover: { id: file } }, { cover: file }, { images: [{ id: file }] }, { images: [file] }];
      for (const body of bodies)
        for (const [who, status] of [
          [ann, 201],
          [bob, 400],
        ] as const) {
          const { client } = who;
          const list = await client.post('/api/content/posts', [{ title: 'x', ...body }]);
          const one = await client.post('/api/content/posts', { title: 'x', ...body });
          const post = await make('posts', { title: 'x' }, client);
          const change = await client.patch(`/api/content/posts/${post}`, body);
          const batch = await client.post('/api/batch', {
            operations: [{ op: 'create', schema: 'post', data: { title: 'x', ...body } }],
          });
          expect([list.status, one.status]).toEqual([status, status]);
          expect(change.status).toBe(status === 201 ? 200 : 400);
          expect(batch.status).toBe(status === 201 ? 200 : 400);
        }
      expect((await bob.client.get(`/api/content/files/${file}`)).status).toBe(403);
    });

    it('by sixteen concurrent records: all have it, and it is kept', async () => {
      const { client, token: own } = await author(world.app);
      const file = await upload('', own);
      const posts = await Promise.all(
        Array.from({ length: 16 }, () => make('posts', { title: 'x', cover: file }, client)),
      );
      for (const post of posts) expect((await coverOf(post)).cover).toEqual({ id: file });
      await sweep(world.app, 100);
      expect(await isThere(file)).toBe(true);
    });

    it('or deleted, but not both, if the sweeper runs at the same time', async () => {
      for (let round = 0; round < 5; round += 1) {
        const file = await upload();
        await sweep(world.app);
        world.app.clock.advance(25 * 3_600);
        const tries = Array.from({ length: 16 }, () => root.post('/api/content/posts', { title: 'x', cover: file }));
        const [, ...answers] = await Promise.all([sweep(world.app), ...tries]);
        const linked = answers.filter(({ status }) => status === 201).map((answer) => idOf(answer as Answer));
        expect(answers.map(({ status }) => status).filter((status) => status !== 201 && status !== 400)).toEqual([]);
        expect(await isThere(file)).toBe(linked.length > 0);
        for (const post of linked) expect((await coverOf(post)).cover).toEqual({ id: file });
      }
    });
  });

  describe('is deleted', () => {
    it('if it is not linked for a day, with an audit entry', async () => {
      const file = await upload();
      await sweep(world.app, 23);
      expect(await isThere(file)).toBe(true);
      await sweep(world.app, 2);
      expect(await isThere(file)).toBe(false);
      expect(await eventsOf(world.app, 'resource = $1', [`file:${file}`])).toMatchObject(
        expect.arrayContaining([expect.objectContaining({ action: 'file.remove', actor: 'system' })]),
      );
    });

    it('with the last record that links it, after a day in which it can be restored', async () => {
      const file = await upload();
      const [one, other] = [
        await make('posts', { title: 'x', cover: file }),
        await make('posts', { title: 'x', images: [file] }),
      ];
      await root.delete(`/api/content/posts/${one}`).expect(200);
      await sweep(world.app, 30);
      await sweep(world.app, 30);
      expect(await isThere(file)).toBe(true);
      await root.delete(`/api/content/posts/${other}`).expect(200);
      await sweep(world.app);
      await sweep(world.app, 23);
      await root.post(`/api/content/posts/${other}/restore`).expect(200);
      await sweep(world.app, 30);
      expect((await coverOf(other)).images).toEqual([{ id: file }]);
      expect(await isThere(file)).toBe(true);
      await root.delete(`/api/content/posts/${other}`).expect(200);
      await sweep(world.app);
      await sweep(world.app, 25);
      expect(await isThere(file)).toBe(false);
      await root.post(`/api/content/posts/${other}/restore`).expect(200);
      expect((await coverOf(other)).images).toEqual([]);
    });

    it('with a record in a cascade or bulk deletion, and with a removed link', async () => {
      const files = [await upload(), await upload(), await upload()];
      const [cascade, bulk, link] = files as [string, string, string];
      const post = await make('posts', { title: 'x', chapters: [{ title: 'y', sketch: cascade }] });
      await make('posts', { title: 'bulk', cover: bulk });
      const kept = await make('posts', { title: 'x', cover: link });
      await root.delete(`/api/content/posts/${post}`).expect(200);
      await root.delete(`/api/content/posts?filter=${encodeURIComponent('{"title":"bulk"}')}`).expect(200);
      await root.patch(`/api/content/posts/${kept}`, { cover: null }).expect(200);
      await sweep(world.app);
      for (const file of files) expect(await isThere(file)).toBe(true);
      await sweep(world.app, 25);
      for (const file of files) expect(await isThere(file)).toBe(false);
    });

    it('with its own record, and restored with it within a day', async () => {
      const file = await upload();
      const post = await make('posts', { title: 'x', cover: file });
      await root.delete(`/api/content/files/${file}`).expect(200);
      expect((await coverOf(post)).cover).toBeNull();
      await sweep(world.app, 23);
      await root.post(`/api/content/files/${file}/restore`).expect(200);
      expect((await coverOf(post)).cover).toEqual({ id: file });
      await root.delete(`/api/content/files/${file}`).expect(200);
      await sweep(world.app, 25);
      expect(await isThere(file)).toBe(false);
      expect((await root.post(`/api/content/files/${file}/restore`)).status).toBe(404);
      expect((await coverOf(post)).cover).toBeNull();
    });

    it('only if no record requires it; a deleted record keeps only its name', async () => {
      const file = await upload();
      const album = await make('albums', { title: 'x', cover: file });
      const refused = await root.delete(`/api/content/files/${file}`);
      expect([refused.status, (refused.body as { data: { error: string } }).data.error]).toEqual([
        409,
        'record_in_use',
      ]);
      await root.delete(`/api/content/albums/${album}`).expect(200);
      await sweep(world.app);
      await sweep(world.app, 25);
      expect(await isThere(file)).toBe(false);
      expect((await root.post(`/api/content/files/${file}/restore`)).status).toBe(404);
      expect((await root.get(`/api/content/files/${file}`)).status).toBe(404);
    });

    it('with a dropped field and a dropped schema, after a day in which an undo restores it', async () => {
      const note = {
        name: 'note',
        namespace: 'notes',
        label_field: 'title',
        fields: [{ type: 'string', name: 'title' }],
      };
      const full = { ...note, fields: [...note.fields, { type: 'file', name: 'paper', optional: true }] };
      await root.post('/api/schema', full).expect(201);
      const file = await upload();
      const id = await make('notes', { title: 'x', paper: file });
      const paper = async () =>
        ((await root.get(`/api/content/notes/${id}?select=paper.id`).expect(200)) as Answer).body.data['paper'];
      await root.put('/api/schema/note?allow_data_loss=true', note).expect(200);
      await sweep(world.app, 12);
      await root.post('/api/schema/undo').expect(200);
      await sweep(world.app, 12);
      await sweep(world.app, 12);
      expect(await paper()).toEqual({ id: file });
      await root.delete('/api/schema/note?allow_data_loss=true').expect(200);
      await sweep(world.app, 12);
      await root.post('/api/schema/undo').expect(200);
      await sweep(world.app, 24);
      expect(await paper()).toEqual({ id: file });
      await root.delete('/api/schema/note?allow_data_loss=true').expect(200);
      await sweep(world.app);
      await sweep(world.app, 25);
      expect(await isThere(file)).toBe(false);
    });

    it('during its upload after a day, with all its partial data', async () => {
      const id = '019a0000-0000-7000-8000-00000000abcd';
      const at = world.app.clock.now();
      await world.app.sql(
        `INSERT INTO file_objects (id, file_id, disk, state, size, created_at, due_at) VALUES ($1, $1, 'local', 'pending', 0, $2, $3)`,
        [id, at, new Date(at.getTime() + 3_600_000)],
      );
      await sweep(world.app);
      expect(await known(world.app, 'pending')).toEqual([id]);
      await sweep(world.app, 2);
      expect(await known(world.app, 'pending')).toEqual([]);
    });
  });

  it('survives the account of its uploader, without an owner', async () => {
    const ann = await author(world.app);
    const file = await upload('', ann.token);
    const post = await make('posts', { title: 'x', cover: file });
    await root.delete(`/api/content/users/${ann.id}`).expect(200);
    await sweep(world.app, 30);
    await sweep(world.app, 30);
    expect(await coverOf(post)).toMatchObject({ cover: { id: file } });
    expect(await world.app.sql('SELECT uploaded_by FROM files WHERE id = $1', [file])).toEqual([{ uploaded_by: null }]);
    expect(await world.app.sql('SELECT owner FROM file_objects WHERE file_id = $1', [file])).toEqual([{ owner: null }]);
  });
});
