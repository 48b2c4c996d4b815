import { createHash, randomBytes } from 'node:crypto';
import { inFlight, MAX_IN_FLIGHT, PART_BYTES, PartBuffers, partsOf } from './s3-parts.js';

const digestOf = (...parts: readonly Uint8Array[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

async function* chunked(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield await Promise.resolve(bytes.subarray(at, at + length));
}

describe('upload parts', () => {
  it.each([
    [0, 1, [0]],
    [1, 1, [1]],
    [65_537, 1_000, [65_537]],
    [PART_BYTES - 1, 65_536, [PART_BYTES - 1]],
    [PART_BYTES, 65_536, [PART_BYTES]],
    [PART_BYTES + 1, 100_000, [PART_BYTES, 1]],
    [2 * PART_BYTES, PART_BYTES + 7, [PART_BYTES, PART_BYTES]],
  ])('contain all of %d bytes that arrive %d at a time', async (size, length, sizes) => {
    const bytes = randomBytes(size);
    const found: Buffer[] = [];
    for await (const part of partsOf(chunked(bytes, length), new PartBuffers())) found.push(Buffer.from(part));
    expect(found.map((part) => part.length)).toEqual(sizes);
    expect(digestOf(...found)).toBe(digestOf(bytes));
  });

  it('use shared buffers in turn', async () => {
    const buffers = new PartBuffers();
    const seen = new Set<ArrayBufferLike>();
    const used = new Set<ArrayBufferLike>();
    const send = async (bytes: Buffer): Promise<void> => {
      const parts = partsOf(chunked(bytes, 65_536), buffers);
      const digests = await inFlight(parts, MAX_IN_FLIGHT, async (part) => {
        expect(used.has(part.buffer)).toBe(false);
        used.add(part.buffer);
        seen.add(part.buffer);
        await new Promise((sent) => setImmediate(sent));
        const digest = digestOf(part);
        used.delete(part.buffer);
        buffers.release(part);
        return digest;
      });
      const expected = Array.from({ length: digests.length }, (_, at) =>
        digestOf(bytes.subarray(at * PART_BYTES, (at + 1) * PART_BYTES)),
      );
      expect(digests).toEqual(expected);
    };
    const upload = (size: number): Promise<void> => buffers.during(() => send(randomBytes(size)));
    await Promise.all([upload(3 * PART_BYTES), upload(3 * PART_BYTES + 5)]);
    const once = seen.size;
    await upload(4 * PART_BYTES);
    expect(seen.size).toBe(once);
  });
});
