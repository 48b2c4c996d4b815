import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { FileStorage, ObjectMissing } from '../features/files/storage/file-storage.port.js';
import { newId } from '../kernel/keys/random.js';
import { type ContractTest, contractOf, type Make, sixteen } from './port-contracts.js';

const PART = 65_536;

/** Returns tests of a `FileStorage`. Each test removes the objects that it writes. */
export function fileStorageContract(make: Make<FileStorage>): ContractTest[] {
  return [...contractOf(make, WHOLE), ...contractOf(make, BROKEN)];
}

type Promises = Readonly<Record<string, (storage: FileStorage) => Promise<void>>>;

const WHOLE: Promises = {
  'answers what was written, byte by byte, and knows its size': async (storage) => {
    for (const parts of [[], [''], ['abc'], ['a', '', 'bc']]) {
      const bytes = Buffer.from(parts.join(''));
      await kept(storage, async (key) => {
        await storage.write(key, partsOf(parts.map((part) => Buffer.from(part))));
        assert.deepEqual(await storage.find(key), { key, size: bytes.length });
        assert.deepEqual(await buffer(await storage.read(key)), bytes);
      });
    }
  },
  'answers a part, both ends included': async (storage) => {
    await kept(storage, async (key) => {
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
  'takes sixteen at once, of many parts, each its own': async (storage) => {
    await sixteen((at) =>
      kept(storage, async (key) => {
        const parts = Array.from({ length: 20 }, (_, part) => Buffer.alloc(PART, at * 20 + part));
        await storage.write(key, partsOf(parts));
        assert.deepEqual(await buffer(await storage.read(key)), Buffer.concat(parts));
      }),
    );
  },
  'asks for bytes no faster than it writes them': async (storage) => {
    await kept(storage, async (key) => {
      let [open, most] = [0, 0];
      const bytes = (async function* () {
        for (let asked = 0; asked < 200; asked += 1) {
          most = Math.max(most, (open += 1));
          yield Buffer.alloc(PART);
          open -= 1;
        }
      })();
      await storage.write(key, bytes);
      assert.equal(most, 1);
      assert.equal((await storage.find(key))?.size, 200 * PART);
    });
  },
};

const BROKEN: Promises = {
  'throws on what its bytes throw, and has no such object then': async (storage) => {
    await kept(storage, async (key) => {
      const broken = new Error('The sender is gone.');
      await assert.rejects(storage.write(key, partsOf([Buffer.alloc(PART)], broken)), (error) => error === broken);
      assert.equal(await storage.find(key), null);
      await assert.rejects(storage.read(key), ObjectMissing);
    });
  },
  'removes a whole object, a part of one, and one that is not there': async (storage) => {
    const [whole, part] = [newId(), newId()];
    await storage.write(whole, partsOf([Buffer.from('x')]));
    await storage.write(part, partsOf([Buffer.from('x')], new Error('cut'))).catch(() => undefined);
    for (const key of [whole, part, newId(), whole]) await storage.remove(key);
    assert.equal(await storage.find(whole), null);
    await assert.rejects(storage.read(whole), ObjectMissing);
    const left = await listed(storage);
    assert.deepEqual([left.has(whole), left.has(part)], [false, false]);
  },
  'lists everything that is there': async (storage) => {
    await kept(storage, async (one) => {
      await kept(storage, async (other) => {
        await storage.write(one, partsOf([Buffer.from('abc')]));
        await storage.write(other, partsOf([]));
        const found = await listed(storage);
        assert.deepEqual([found.get(one), found.get(other)], [3, 0]);
      });
    });
  },
  'refuses a key that is no UUID': async (storage) => {
    for (const key of ['', '..', '../x', 'a/b', `${newId()}/..`, `${newId()}.part`])
      for (const ask of [() => storage.read(key), () => storage.find(key), () => storage.remove(key)])
        await assert.rejects(async () => void (await ask()));
  },
};

async function kept(storage: FileStorage, work: (key: string) => Promise<void>): Promise<void> {
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

async function listed(storage: FileStorage): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for await (const { key, size } of storage.list()) found.set(key, size);
  return found;
}
