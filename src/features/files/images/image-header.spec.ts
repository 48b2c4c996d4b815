import fc from 'fast-check';
import sharp from 'sharp';
import { dimensionsOf } from './image-header.js';

const image = (width = 300, height = 200) =>
  sharp({ create: { width, height, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0.5 } } });

describe('the header of an image', () => {
  it.each([
    ['image/png', () => image().png()],
    ['image/gif', () => image().gif()],
    ['image/jpeg', () => image().jpeg()],
    ['image/jpeg', () => image().jpeg({ progressive: true })],
    ['image/webp', () => image().webp()],
    ['image/webp', () => image().webp({ lossless: true })],
    ['image/webp', () => image().flatten().webp()],
    ['image/avif', () => image().avif({ effort: 0 })],
    ['image/avif', () => image().flatten().avif({ effort: 0, lossless: true })],
  ])('contains its dimensions: %s', async (type, encode) => {
    expect(dimensionsOf(type, await encode().toBuffer())).toEqual({ width: 300, height: 200 });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('contains its displayed dimensions, rotated by %d', async (orientation) => {
    const bytes = await image().jpeg().withMetadata({ orientation }).toBuffer();
    const expected = orientation < 5 ? { width: 300, height: 200 } : { width: 200, height: 300 };
    expect(dimensionsOf('image/jpeg', bytes)).toEqual(expected);
  });

  it('contains the dimensions of an AVIF after its rotation', async () => {
    const bytes = await image().avif({ effort: 0 }).toBuffer();
    expect(dimensionsOf('image/avif', withRotation(bytes, 1))).toEqual({ width: 200, height: 300 });
    expect(dimensionsOf('image/avif', withRotation(bytes, 2))).toEqual({ width: 300, height: 200 });
  });

  it('is ignored for unsupported transformations', async () => {
    const bytes = await image().webp().withMetadata({ orientation: 6 }).toBuffer();
    expect(dimensionsOf('image/webp', bytes)).toBeNull();
  });

  it('is found behind large metadata', async () => {
    const bytes = await image().jpeg().toBuffer();
    const filler = Buffer.concat([Buffer.from('ffe2fffe', 'hex'), Buffer.alloc(0xfffc)]);
    const large = Buffer.concat([bytes.subarray(0, 2), filler, bytes.subarray(2)]);
    expect(dimensionsOf('image/jpeg', large)).toEqual({ width: 300, height: 200 });
  });

  it.each(['image/png', 'image/gif', 'image/jpeg', 'image/webp', 'image/avif', 'text/plain', null])(
    'that is truncated or invalid causes no error, and has no zero dimension: %s',
    async (type) => {
      const complete = await image(20, 10)
        .toFormat(type === null || type === 'text/plain' ? 'png' : (type.slice(6) as 'png'))
        .toBuffer();
      for (let length = 0; length <= Math.min(complete.length, 700); length += 1)
        dimensionsOf(type, complete.subarray(0, length));
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(60), (bytes, at) => {
          const head = Buffer.concat([complete.subarray(0, at), bytes]);
          const found = dimensionsOf(type, head);
          if (found !== null) for (const side of [found.width, found.height]) expect(side).toBeGreaterThan(0);
        }),
      );
    },
  );
});

/** Replaces the pixel information (`pixi`) of an AVIF with the property `irot`. The replaced property is as long or longer. */
function withRotation(bytes: Buffer, angle: number): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf('pixi');
  expect(at).toBeGreaterThan(0);
  copy.write('irot', at, 'latin1');
  copy[at + 4] = angle;
  return copy;
}
