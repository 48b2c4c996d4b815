import { personWith } from '../../support/content-fixture.js';
import { GIF, known, makeGallery, PNG, send, sha256, stored, sweep } from '../../support/file-fixture.js';
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

  const upload = async () => {
    const { status, data } = await send(world.app, PNG, { token, type: 'image/png', name: 'a.png' });
    expect(status).toBe(201);
    return data.id;
  };
  const make = async (schema: string, body: object) =>
    idOf(await root.post(`/api/content/${schema}`, body).expect(201));

  describe('whose bytes are replaced', () => {
    const replace = (file: string, by: string, body = GIF, type = 'image/gif') =>
      send(world.app, body, { token: by, type, method: 'PUT', path: `/api/files/${file}` });

    it('keeps its id with the new bytes; the old ones are kept for a day', async () => {
      const file = await upload();
      const post = await make('posts', { title: 'x', cover: file });
      const before = stored(world.app);
      const { status, data } = await replace(file, token);
      expect([status, data]).toMatchObject([200, { id: file, name: 'a.png', type: 'image/gif', sha256: sha256(GIF) }]);
      const { body } = (await root.get(`/api/content/posts/${post}?select=cover.id`).expect(200)) as Answer;
      expect(body.data).toEqual({ cover: { id: file } });
      expect(stored(world.app)).toHaveLength(before.length + 1);
      await sweep(world.app, 23);
      expect(await known(world.app, 'doomed')).toHaveLength(1);
      await sweep(world.app, 2);
      expect(await known(world.app, 'doomed')).toEqual([]);
      expect(stored(world.app)).toEqual(await known(world.app, 'live'));
    });

    it('has the bytes of one of sixteen concurrent requests, and all others are deleted', async () => {
      const file = await upload();
      await make('posts', { title: 'x', cover: file });
      const bodies = Array.from({ length: 16 }, (_, at) => Buffer.from(`body ${at}`));
      const answers = await Promise.all(bodies.map((body) => replace(file, token, body, 'text/plain')));
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      const [row] = await world.app.sql<{ sha256: string; path: string }>(
        'SELECT sha256, path FROM files WHERE id = $1',
        [file],
      );
      const live = await world.app.sql(`SELECT id, sha256 FROM file_objects WHERE file_id = $1 AND state = 'live'`, [
        file,
      ]);
      expect(live).toEqual([{ id: row!.path, sha256: row!.sha256 }]);
    });

    it('needs the permission to update it, before and after, and an existing file', async () => {
      const file = await upload();
      const small = await personWith(world.app, [
        { resource: 'content.file.update', value: `record.type == 'image/png'` },
      ]);
      const other = await personWith(world.app, [
        { resource: 'content.file.update', value: 'record.uploaded_by == auth.id' },
      ]);
      const none = await personWith(world.app, [{ resource: 'content.file.create', value: 'allow' }]);
      const before = stored(world.app);
      expect(await replace(file, small.client.token!)).toMatchObject({ status: 403, error: 'permission_denied' });
      expect(await replace(file, other.client.token!)).toMatchObject({ status: 404, error: 'file_not_found' });
      expect(await replace(file, none.client.token!)).toMatchObject({ status: 403, error: 'permission_denied' });
      for (const id of ['x', '019a0000-0000-7000-8000-000000000000', '..%2f..%2fx', file.toUpperCase()])
        expect(await replace(id, token)).toMatchObject({ status: 404, error: 'file_not_found' });
      expect(stored(world.app)).toEqual(before);
      expect((await replace(file, small.client.token!, PNG, 'image/png')).status).toBe(200);
    });
  });
});
