import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { newId } from '../../kernel/keys/random.js';
import { type ByteRange, ObjectMissing } from './storage/file-storage.port.js';
import { LocalFileStorage } from './storage/local-file-storage.js';
import { ObjectBytes, SMALL_BYTES } from './storage/object-bytes.service.js';

class CountedStorage extends LocalFileStorage {
  reads = 0;

  override read(key: string, range?: ByteRange): Promise<Readable> {
    this.reads += 1;
    return super.read(key, range);
  }
}

describe('cached bytes of an object', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lintel-bytes-'));
  let storage: CountedStorage;
  let objects: ObjectBytes;

  beforeEach(() => {
    storage = new CountedStorage({ dataDir });
    objects = new ObjectBytes(storage);
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  const write = async (bytes: Buffer, key = newId()) => {
    await storage.write(key, Readable.from([bytes]));
    return key;
  };
  const read = async (key: string, size: number, start = 0, end = size - 1) => {
    const bytes = await objects.read(key, size, { start, end });
    return Buffer.isBuffer(bytes) ? bytes : buffer(bytes);
  };
  /** Reads the object twice: then it is cached if it can be. */
  const load = async (key: string, size: number) => {
    for (let times = 0; times < 2; times += 1) await read(key, size);
    storage.reads = 0;
  };

  it('are kept for small, repeatedly requested objects, complete and in ranges, and read once for concurrent requests', async () => {
    const key = await write(Buffer.from('0123456789'));
    expect((await read(key, 10, 2, 4)).toString()).toBe('234');
    const sixteen = await Promise.all(Array.from({ length: 16 }, (_, at) => read(key, 10, at % 10, 9)));
    expect(sixteen.map(String)).toEqual(sixteen.map((_, at) => '0123456789'.slice(at % 10)));
    expect(storage.reads).toBe(2);
    await storage.remove(key);
    expect((await read(key, 10, 9, 9)).toString()).toBe('9');
  });

  it('are not kept for large objects, or sequential reads of many', async () => {
    const large = Buffer.alloc(SMALL_BYTES + 1, 'lintel');
    const key = await write(large);
    for (let times = 0; times < 3; times += 1) expect(await read(key, large.length)).toEqual(large);
    expect(storage.reads).toBe(3);
    const many = await Promise.all(Array.from({ length: 40 }, () => write(Buffer.from('x'))));
    for (const one of [...many, ...many]) await read(one, 1);
    expect(storage.reads).toBe(83);
  });

  it('are limited in total: the most recently requested stay', async () => {
    const size = SMALL_BYTES;
    const key = await write(Buffer.alloc(size));
    const keys = [key];
    while (keys.length < 140) keys.push(await write(Buffer.alloc(size)));
    for (const one of keys) {
      await load(one, size);
      await read(key, size);
      expect(storage.reads).toBe(0);
    }
    storage.reads = 0;
    for (const one of keys) await read(one, size);
    expect(storage.reads).toBeGreaterThan(140 - 16_777_216 / size);
  });

  it('are dropped with it; a missing or truncated object is not cached', async () => {
    const key = await write(Buffer.from('abc'));
    await load(key, 3);
    objects.forget(key);
    await storage.remove(key);
    for (let times = 0; times < 3; times += 1) await expect(read(key, 3)).rejects.toThrow(ObjectMissing);
    await write(Buffer.from('ab'), key);
    await expect(read(key, 3)).rejects.toThrow(ObjectMissing);
    await storage.remove(key);
    await write(Buffer.from('abc'), key);
    expect((await read(key, 3)).toString()).toBe('abc');
  });
});
