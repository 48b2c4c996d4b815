import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { FileCheck } from '../../../src/features/files/file-check.service.js';
import { personWith } from '../../support/content-fixture.js';
import {
  known,
  makeGallery,
  PNG,
  readFile,
  send,
  type SendOptions,
  stored,
  sweep,
} from '../../support/file-fixture.js';
import { signIn, signedIn } from '../../support/people.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const FILES_SIZES = 'thumb=32x32, wide=50x, card=40x20:cover';
const RED = { r: 200, g: 30, b: 30 };

describe('a resized image', () => {
  const world = useTestApp({ env: { FILES_SIZES } });
  let root: TestClient;
  let token: string;
  let landscape: Buffer;

  beforeAll(async () => {
    ({ root, token } = await makeGallery(world.app));
    const sizes = { tiny: { width: 8 }, card: { width: 10, height: 10, fit: 'cover' } };
    await root
      .post('/api/schema', {
        schemas: [
          schema('badge', [field('file', 'face', { optional: true, file: { sizes } })]),
          schema('stamp', [field('file', 'face', { optional: true, file: { sizes: { card: { height: 15 } } } })]),
        ],
      })
      .expect(201);
    landscape = await sharp({ create: { width: 120, height: 60, channels: 3, background: RED } })
      .jpeg()
      .toBuffer();
  });

  const upload = async (bytes: Buffer = landscape, type = 'image/jpeg', query = '', name = 'a.jpg') =>
    (await send(world.app, bytes, { token, type, query, name })).data.id;
  const read = (id: string, size: string, options: SendOptions = {}) =>
    readFile(world.app, `${id}?size=${size}`, { token, ...options });
  const sizeOf = async (bytes: Buffer) => {
    const { width, height } = await sharp(bytes).metadata();
    return [width, height];
  };
  const make = async (by: string, body: object): Promise<string> =>
    ((await root.post(`/api/content/${by}`, { title: 'x', ...body }).expect(201)).body as { data: { id: string } }).data
      .id;

  it.each([
    ['thumb', [32, 16]],
    ['wide', [50, 25]],
    ['card', [40, 20]],
  ])('%s has its declared size', async (size, expected) => {
    const { status, body, headers } = await read(await upload(), size);
    expect([status, await sizeOf(body), headers.get('lintel-size')]).toEqual([200, expected, size]);
    expect(headers.get('content-type')).toBe('image/jpeg');
    expect(headers.get('content-disposition')).toBe('inline; filename=a.jpg');
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  it('is not larger than the original', async () => {
    const { body } = await read(await upload(PNG, 'image/png'), 'wide');
    expect(await sizeOf(body)).toEqual([1, 1]);
  });

  it('is rotated as the camera held it, without its location', async () => {
    const exif = { IFD0: { Artist: 'Somebody' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } };
    const turned = await sharp(landscape).withMetadata({ orientation: 6 }).withExifMerge(exif).toBuffer();
    expect(turned.includes('Somebody')).toBe(true);
    const file = await upload(turned);
    for (const accept of ['*/*', 'image/webp', 'image/avif']) {
      const { body } = await read(file, 'thumb', { headers: { accept } });
      const { width, height, orientation, exif: left, xmp, iptc } = await sharp(body).metadata();
      expect([width, height, orientation, left, xmp, iptc]).toEqual([
        16,
        32,
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
    }
    const { body } = await root.get(`/api/content/files/${file}?select=width,height`).expect(200);
    expect((body as { data: unknown }).data).toEqual({ width: 60, height: 120 });
  });

  it.each([
    ['image/avif,image/webp,image/*,*/*;q=0.8', 'image/avif'],
    ['image/webp,*/*', 'image/webp'],
    ['image/avif;q=0, image/webp', 'image/webp'],
    ['image/avif;q=0,image/webp;q=0', 'image/jpeg'],
    ['IMAGE/WEBP', 'image/webp'],
    ['image/*', 'image/jpeg'],
    ['*/*', 'image/jpeg'],
    ['x'.repeat(5_000), 'image/jpeg'],
  ])('has the best format of Accept: %s', async (accept, type) => {
    const file = await upload();
    const { headers, body } = await read(file, 'thumb', { headers: { accept } });
    expect([headers.get('content-type'), headers.get('vary')]).toEqual([type, expect.stringContaining('Accept')]);
    expect(`image/${(await sharp(body).metadata()).format?.replace('heif', 'avif')}`).toBe(type);
    expect(headers.get('content-disposition')).toContain(`a.${type === 'image/jpeg' ? 'jpg' : type.slice(6)}`);
  });

  it('keeps transparency', async () => {
    const clear = await sharp({ create: { width: 80, height: 80, channels: 4, background: { ...RED, alpha: 0.5 } } })
      .png()
      .toBuffer();
    const { headers, body } = await read(await upload(clear, 'image/png'), 'thumb');
    expect([headers.get('content-type'), (await sharp(body).metadata()).hasAlpha]).toEqual(['image/png', true]);
  });

  it('is created once for concurrent requests on two instances', async () => {
    const file = await upload();
    const other = await world.app.secondInstance({ env: { FILES_SIZES, DATA_DIR: world.app.config.dataDir } });
    try {
      const before = await known(world.app, 'variant');
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, at) => readFile(at % 2 ? other : world.app, `${file}?size=thumb`, { token })),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(1);
      expect(await known(world.app, 'variant')).toHaveLength(before.length + 1);
      await read(file, 'thumb');
      expect(await known(world.app, 'variant')).toHaveLength(before.length + 1);
    } finally {
      await other.stop();
    }
  });

  it('supports ranges, HEAD and conditional requests', async () => {
    const file = await upload();
    const whole = await read(file, 'thumb');
    const etag = whole.headers.get('etag') ?? '';
    expect(etag).not.toBe((await readFile(world.app, file, { token })).headers.get('etag'));
    const part = await read(file, 'thumb', { headers: { range: 'bytes=2-5', 'if-range': etag } });
    expect([part.status, part.body]).toEqual([206, whole.body.subarray(2, 6)]);
    const head = await read(file, 'thumb', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.body.length)]);
    expect((await read(file, 'thumb', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('is readable by readers of the file only', async () => {
    const file = await upload();
    const { client } = await personWith(world.app, [{ resource: 'content.post.*', value: 'allow' }]);
    const stranger = { token: client.token ?? '' };
    for (const [id, size] of [
      [file, 'thumb'],
      [file, 'nothing'],
      ['0190a3f0-0000-7000-8000-000000000001', 'thumb'],
      ["x' OR 1=1", 'thumb'],
    ] as const)
      expect(await read(id, size, stranger)).toMatchObject({ status: 404, error: 'file_not_found' });
    expect(await read(file, 'thumb', { token: undefined })).toMatchObject({ status: 404, error: 'file_not_found' });
    await make('posts', { cover: file });
    expect((await read(file, 'thumb', stranger)).status).toBe(200);
  });

  it.each(['nothing', '', 'tiny', 'THUMB', '__proto__', 'constructor', '../thumb', "'; SELECT 1; --"])(
    'is rejected in an unknown size: %j',
    async (size) => {
      const { status, error, body } = await read(await upload(), encodeURIComponent(size));
      expect([status, error, body.toString()]).toEqual([422, 'validation_failed', expect.stringContaining('size')]);
    },
  );

  it('has the sizes of the field that links it before those of the service', async () => {
    const [badge, stamp] = [await upload(), await upload()];
    await make('badges', { face: badge });
    await make('stamps', { face: stamp });
    expect(await sizeOf((await read(badge, 'tiny')).body)).toEqual([8, 4]);
    expect(await sizeOf((await read(badge, 'card')).body)).toEqual([10, 10]);
    expect(await sizeOf((await read(stamp, 'card')).body)).toEqual([30, 15]);
    expect(await sizeOf((await read(stamp, 'thumb')).body)).toEqual([32, 16]);
    expect((await read(stamp, 'tiny')).status).toBe(422);
  });

  it('does not reveal by its sizes which hidden records link it', async () => {
    const file = await upload();
    await make('badges', { face: file });
    await make('posts', { cover: file });
    const { client } = await personWith(world.app, [{ resource: 'content.post.*', value: 'allow' }]);
    const reader = { token: client.token ?? '' };
    expect((await read(file, 'tiny', reader)).status).toBe(422);
    expect(await sizeOf((await read(file, 'card', reader)).body)).toEqual([40, 20]);
  });

  it('has its own ETag', async () => {
    const file = await upload();
    const sign = async (body: object) => {
      const { data } = (await root.post(`/api/files/${file}/url`, body).expect(200)).body as { data: { url: string } };
      return data.url.slice(world.app.config.appUrl.length);
    };
    const path = await sign({ size: 'thumb' });
    for (const more of ['', '&size=wide', '&size=', '&size=original'])
      expect(await sizeOf((await readFile(world.app, path + more)).body)).toEqual([32, 16]);
    const whole = await sign({});
    expect(await sizeOf((await readFile(world.app, whole)).body)).toEqual([120, 60]);
    expect(await sizeOf((await readFile(world.app, `${whole}&size=wide`)).body)).toEqual([50, 25]);
    await root.post(`/api/files/${file}/url`, { size: 'nothing' }).expect(422);
  });

  it('is deleted with the bytes it was created from', async () => {
    const { token: fresh } = await signedIn(world.app, { roles: ['admin'] });
    const file = await upload();
    const before = (await read(file, 'thumb')).headers.get('etag');
    await sweep(world.app);
    const kept = stored(world.app).length;
    const square = await sharp({ create: { width: 90, height: 90, channels: 3, background: RED } })
      .png()
      .toBuffer();
    const options = { token: fresh, type: 'image/png', method: 'PUT', path: `/api/files/${file}` };
    expect((await send(world.app, square, options)).status).toBe(200);
    const after = await read(file, 'thumb');
    expect([await sizeOf(after.body), after.headers.get('etag') === before]).toEqual([[32, 32], false]);
    await sweep(world.app);
    // The old bytes remain for a while. The two files have one resized image.
    expect(stored(world.app)).toHaveLength(kept + 1);
    expect((await world.app.get(FileCheck).run({ reads: true })).faults).toEqual([]);
  });

  it('is created again if its bytes are lost', async () => {
    const file = await upload();
    const before = new Set(stored(world.app));
    await read(file, 'thumb');
    const [key = ''] = stored(world.app).filter((name) => !before.has(name));
    rmSync(join(world.app.config.dataDir, 'files', key.slice(-2), key.slice(-4, -2), key));
    expect((await read(file, 'thumb')).status).toBe(503);
    expect((await read(file, 'thumb')).status).toBe(200);
  });

  it('is created when truncated bytes are complete again', async () => {
    const file = await upload();
    const [row] = await world.app.sql<{ id: string }>('SELECT id FROM file_objects WHERE file_id = $1', [file]);
    const path = join(world.app.config.dataDir, 'files', row!.id.slice(-2), row!.id.slice(-4, -2), row!.id);
    writeFileSync(path, landscape.subarray(0, 100));
    expect(await read(file, 'thumb')).toMatchObject({ status: 503, error: 'server_busy' });
    writeFileSync(path, landscape);
    expect((await read(file, 'thumb')).status).toBe(200);
  });

  it('is deleted with the file, and leaves nothing in the storage', async () => {
    const file = await upload();
    await read(file, 'thumb');
    await read(file, 'wide', { headers: { accept: 'image/webp' } });
    await root.delete(`/api/content/files/${file}`).expect(200);
    expect((await read(file, 'thumb')).status).toBe(404);
    await root.post(`/api/content/files/${file}/restore`).expect(200);
    expect((await read(file, 'thumb')).status).toBe(200);
    await root.delete(`/api/content/files/${file}`).expect(200);
    await sweep(world.app, 25);
    const rows = await world.app.sql('SELECT id FROM file_objects WHERE file_id = $1', [file]);
    expect([rows, await known(world.app, 'doomed')]).toEqual([[], []]);
    expect((await world.app.get(FileCheck).run({ reads: false })).faults).toEqual([]);
    token = await signIn(world.app, await signedIn(world.app, { roles: ['admin'] }).then(({ person }) => person));
  });
});
