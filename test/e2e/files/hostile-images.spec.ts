import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { OWN_IMAGE_PROGRAM, IMAGE_PROGRAM } from '../../../src/features/files/images/image-process.service.js';
import { GIF, known, makeGallery, PNG, readFile, send } from '../../support/file-fixture.js';
import { TestApp } from '../../support/test-app.js';

/** Simulates the effect of attacks on the real program. The width selects the effect. */
const BRITTLE = `process.on('message', ({ width }) => {
  if (width === 11) process.exit(9);
  if (width === 12) process.kill(process.pid, 'SIGSEGV');
  if (width === 13) {
    process.send = () => true;
    setInterval(() => globalThis.eaten = [globalThis.eaten, Buffer.alloc(67108864, 1)], 5);
  }
  if (width === 14) process.send = () => true;
});
await import(${JSON.stringify(`file://${OWN_IMAGE_PROGRAM}`)});`;

const HUGE = png(20_000, 15_000);

describe('images that cannot be resized', () => {
  let folder: string;
  let app: TestApp;
  let token: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lintel-pictures-'));
    writeFileSync(join(folder, 'brittle.mjs'), BRITTLE);
    app = await TestApp.start({
      env: { FILES_SIZES: 'thumb=32x32,exits=11x,crashes=12x,eats=13x,hangs=14x' },
      override: (builder) => builder.overrideProvider(IMAGE_PROGRAM).useValue(join(folder, 'brittle.mjs')),
    });
    ({ token } = await makeGallery(app));
  });
  afterAll(async () => {
    await app?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const upload = async (bytes: Buffer, type: string, of = app, own = token) => {
    const { status, data } = await send(of, bytes, { token: own, type });
    expect(status).toBe(201);
    return data.id;
  };
  const read = (id: string, size = 'thumb') => readFile(app, `${id}?size=${size}`, { token });
  const complaints = () => app.log.filter((line) => line.includes('An image size could not be created'));

  it.each([
    ['300 million pixels', HUGE, 'image/png'],
    ['10,000 frames', frames(10_000), 'image/gif'],
    ['a truncated image', PNG.subarray(0, 45), 'image/png'],
    ['changed bytes', turned(png(64, 64)), 'image/png'],
    ['a TIFF', Buffer.concat([Buffer.from('49492a0008000000', 'hex'), Buffer.alloc(500, 255)]), 'image/tiff'],
    ['text', Buffer.from('some words'), 'text/plain'],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 'image/svg+xml'],
    ['an SVG after a PNG signature', Buffer.concat([PNG.subarray(0, 8), Buffer.from('<svg/>')]), 'image/png'],
    [
      'a film with the type of an image',
      Buffer.from('000000206674797061766966000000006176696600000000', 'hex'),
      'image/avif',
    ],
  ])('are rejected, and tried once: %s', async (_what, bytes, type) => {
    const file = await upload(bytes, type);
    const before = complaints().length;
    for (let again = 0; again < 3; again += 1)
      expect(await read(file)).toMatchObject({ status: 422, error: 'image_invalid' });
    expect(complaints().length - before).toBeLessThanOrEqual(1);
    expect((await readFile(app, file, { token })).body).toEqual(bytes);
  });

  it('use no memory of the service', async () => {
    const files = [await upload(HUGE, 'image/png'), await upload(frames(10_000), 'image/gif')];
    const before = process.memoryUsage().rss;
    await Promise.all(files.map((file) => read(file)));
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1_048_576);
  });

  it.each(['exits', 'crashes', 'eats'])('crash only their process, which is restarted: %s', async (size) => {
    const file = await upload(PNG, 'image/png');
    expect(await read(file, size)).toMatchObject({ status: 422, error: 'image_invalid' });
    expect((await read(file)).status).toBe(200);
    expect(await known(app, 'pending')).toEqual([]);
  });

  it('do not fail the image that waits behind one that takes too long', async () => {
    const [slow, next] = [await upload(PNG, 'image/png'), await upload(PNG, 'image/png')];
    const refused = read(slow, 'hangs');
    await delay(3_000);
    const created = read(next);
    expect((await refused).status).toBe(422);
    expect((await created).status).toBe(200);
  });

  it('are tried again later if their process crashed', async () => {
    const file = await upload(PNG, 'image/png');
    const before = complaints().length;
    for (let again = 0; again < 2; again += 1) expect((await read(file, 'exits')).status).toBe(422);
    expect(complaints()).toHaveLength(before + 1);
    app.clock.advance(601);
    expect((await read(file, 'exits')).status).toBe(422);
    expect(complaints()).toHaveLength(before + 2);
  });

  it('are served in their original size if there is no library, which the response reports', async () => {
    copyFileSync(OWN_IMAGE_PROGRAM, join(folder, 'alone.mjs'));
    const bare = await TestApp.start({
      override: (builder) => builder.overrideProvider(IMAGE_PROGRAM).useValue(join(folder, 'alone.mjs')),
    });
    try {
      const { token: own } = await makeGallery(bare);
      const file = await upload(GIF, 'image/gif', bare, own);
      for (let again = 0; again < 2; again += 1) {
        const { status, body, headers } = await readFile(bare, `${file}?size=thumb`, { token: own });
        expect([status, body, headers.get('lintel-size')]).toEqual([200, GIF, 'original']);
      }
      expect(bare.log.filter((line) => line.includes('`sharp` is not installed'))).toHaveLength(1);
      const words = await upload(Buffer.from('words'), 'text/plain', bare, own);
      expect((await readFile(bare, `${words}?size=thumb`, { token: own })).status).toBe(422);
      expect(await bare.sql('SELECT 1 FROM file_variants')).toEqual([]);
    } finally {
      await bare.stop();
    }
  });

  it('do not affect the next image of a camera', async () => {
    const photo = await sharp({ create: { width: 4_000, height: 3_000, channels: 3, background: '#456' } })
      .jpeg()
      .toBuffer();
    expect((await read(await upload(photo, 'image/jpeg'))).status).toBe(200);
  });
});

/** Returns a black image of two colours. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height));
  return Buffer.concat([
    PNG.subarray(0, 8),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Returns the same image with changed pixels and the old checksum. */
function turned(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf('IDAT') + 8;
  for (let n = at; n < copy.length - 16; n += 1) copy[n] = ~copy[n]!;
  return copy;
}

/** Returns an animation of 100 by 100 pixels. */
function frames(count: number): Buffer {
  const head = Buffer.from('474946383961640064008000000000 00ffffff'.replace(' ', ''), 'hex');
  const frame = Buffer.from('21f90400000000002c00000000010001000002024401 00'.replace(' ', ''), 'hex');
  return Buffer.concat([head, ...Array.from({ length: count }, () => frame), Buffer.from(';')]);
}
