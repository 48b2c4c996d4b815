import { Readable } from 'node:stream';
import sharp from 'sharp';
import { makeGallery, PNG, send } from '../../support/file-fixture.js';
import type { TestClient } from '../../support/test-client.js';
import { useTestApp } from '../../support/test-app.js';

describe('a file', () => {
  const world = useTestApp();
  let token: string;
  let root: TestClient;

  beforeAll(async () => {
    ({ token, root } = await makeGallery(world.app));
  });

  it('has the dimensions of its image, for any chunks, and after a replacement', async () => {
    const sides = async (id: string) =>
      ((await root.get(`/api/content/files/${id}?select=width,height`)).body as { data: unknown }).data;
    const whole = sharp({ create: { width: 640, height: 480, channels: 3, background: '#abc' } });
    const photo = await whole.jpeg().withMetadata({ orientation: 8 }).toBuffer();
    const bytes = Readable.from(Array.from(photo, (byte) => Buffer.from([byte])));
    const { data } = await send(world.app, Readable.toWeb(bytes) as never, { token, type: 'image/jpeg' });
    expect([data, await sides(data.id)]).toMatchObject([
      { width: 480, height: 640 },
      { width: 480, height: 640 },
    ]);
    const replace = { token, method: 'PUT', path: `/api/files/${data.id}` };
    expect((await send(world.app, PNG, { ...replace, type: 'image/png' })).data).toMatchObject({ width: 1, height: 1 });
    expect(await sides(data.id)).toEqual({ width: 1, height: 1 });
    const words = await send(world.app, 'words', { ...replace, type: 'text/plain' });
    expect([words.data, await sides(data.id)]).toMatchObject([
      { width: null, height: null },
      { width: null, height: null },
    ]);
  });
});
