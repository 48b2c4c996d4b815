import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { FileStorage, ObjectMissing } from '../features/files/storage/file-storage.port.js';
import { newId } from '../kernel/keys/random.js';
import { type ContractTest, contractOf, type Factory, runConcurrently } from './port-contracts.js';

const PART = 65_536;

/** Returns tests of a `FileStorage`. Each test removes the objects that it writes. */
export function fileStorageContract(create: Factory<FileStorage>): ContractTest[] {
  return [...contractOf(create, EXPECTED), ...contractOf(create, BROKEN)];
}

type Promises = Readonly<Record<string, (storage: FileStorage) => Promise<void>>>;

const EXPECTED: Promises = {
  'returns the written bytes and their size': async (storage) => {
    for (const parts of [[], [''], ['abc'], ['a', '', 'bc']]) {
      const bytes = Buffer.from(parts.join(''));
      await withObject(storage, async (key) => {
        await storage.write(key, partsOf(parts.map((part) => Buffer.from(part))));
        assert.deepEqual(await storage.find(key), { key, size: bytes.length });
        assert.deepEqual(await buffer(await storage.read(key)), bytes);
      });
    }
  },
  'returns a range, both ends included': async (storage) => {
    await withObject(storage, async (key) => {
      await storage.write(key, partsOf([Buffer.from('0123456789')]));
      for (const [start, end, text] of [
        [0, 0, '0'],
        [2, 4, '234'],
        [9, 9, '9'],
        [0, 9, '0123456789'],
      ] as const)
        assert.equal((await buffer(await storage.read(key, { start, end }))).toString(), text);
    });
  },
  'stores 16 objects of many chunks concurrently': async (storage) => {
    await runConcurrently((at) =>
      withObject(storage, async (key) => {
        const parts = Array.from({ length: 20 }, (_, part) => Buffer.alloc(PART, at * 20 + part));
        await storage.write(key, partsOf(parts));
        assert.deepEqual(await buffer(await storage.read(key)), Buffer.concat(parts));
      }),
    );
  },
  'reads its source no faster than it writes': async (storage) => {
    await withObject(storage, async (key) => {
      let [open, peak] = [0, 0];
      const bytes = (async function* () {
        for (let attempt = 0; attempt < 200; attempt += 1) {
          peak = Math.max(peak, (open += 1));
          yield Buffer.alloc(PART);
          open -= 1;
        }
      })();
      await storage.write(key, bytes);
      assert.equal(peak, 1);
      assert.equal((await storage.find(key))?.size, 200 * PART);
    });
  },
};

const BROKEN: Promises = {
  'fails if its source fails, and stores no object then': async (storage) => {
    await withObject(storage, async (key) => {
      const broken = new Error('The sender has disconnected.');
      await assert.rejects(storage.write(key, partsOf([Buffer.alloc(PART)], broken)), (error) => error === broken);
      assert.equal(await storage.find(key), null);
      await assert.rejects(storage.read(key), ObjectMissing);
    });
  },
  'removes complete, partial and missing objects': async (storage) => {
    const [whole, part] = [newId(), newId()];
    await storage.write(whole, partsOf([Buffer.from('x')]));
    await storage.write(part, partsOf([Buffer.from('x')], new Error('cut'))).catch(() => undefined);
    for (const key of [whole, part, newId(), whole]) await storage.remove(key);
    assert.equal(await storage.find(whole), null);
    await assert.rejects(storage.read(whole), ObjectMissing);
    const remaining = await listObjects(storage);
    assert.deepEqual([remaining.has(whole), remaining.has(part)], [false, false]);
  },
  'lists all objects': async (storage) => {
    await withObject(storage, async (one) => {
      await withObject(storage, async (other) => {
        await storage.write(one, partsOf([Buffer.from('abc')]));
        await storage.write(other, partsOf([]));
        const found = await listObjects(storage);
        assert.deepEqual([found.get(one), found.get(other)], [3, 0]);
      });
    });
  },
  'rejects a key that is not a UUID': async (storage) => {
    for (const key of ['', '..', '../x', 'a/b', `${newId()}/..`, `${newId()}.part`])
      for (const operation of [() => storage.read(key), () => storage.find(key), () => storage.remove(key)])
        await assert.rejects(async () => void (await operation()));
  },
};

async function withObject(storage: FileStorage, work: (key: string) => Promise<void>): Promise<void> {
  const key = newId();
  try {
    await work(key);
  } finally {
    await storage.remove(key);
  }
}

async function* partsOf(parts: readonly Uint8Array[], fault?: Error): AsyncGenerator<Uint8Array> {
  yield* parts;
  if (fault !== undefined) throw fault;
}

async function listObjects(storage: FileStorage): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for await (const { key, size } of storage.list()) found.set(key, size);
  return found;
}
