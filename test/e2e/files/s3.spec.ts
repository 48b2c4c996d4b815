import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { FileCheck } from '../../../src/features/files/file-check.service.js';
import { ObjectMissing } from '../../../src/features/files/storage/file-storage.port.js';
import { S3FileStorage } from '../../../src/features/files/storage/s3/s3-file-storage.js';
import { PART_BYTES } from '../../../src/features/files/storage/s3/s3-parts.js';
import type { S3Settings } from '../../../src/features/files/storage/s3/s3-client.js';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import { newId } from '../../../src/kernel/keys/random.js';
import { fileStorageContract } from '../../../src/testing.js';
import { known, makeGallery, PNG, readFile, send, sha256, sweep } from '../../support/file-fixture.js';
import { signedIn } from '../../support/people.js';
import { S3Store, VERSITYGW } from '../../support/s3-store.js';
import { TestApp } from '../../support/test-app.js';

function cut(response: ServerResponse): boolean {
  response.destroy();
  return true;
}

const described = VERSITYGW === '' ? describe.skip : describe;
if (VERSITYGW === '')
  process.stdout.write(
    'Files on S3 are not tested: VERSITYGW_PATH names no program (.ci/versitygw builds it, with Go).\n',
  );

described('files on an S3 store', () => {
  let store: S3Store;

  beforeAll(async () => {
    store = await S3Store.start();
  });
  afterEach(() => {
    store.obstacle = () => false;
    store.loses = () => false;
    store.seen.length = 0;
    store.mostAtOnce = 0;
  });
  afterAll(() => store.stop());

  const storage = (settings: Partial<S3Settings> = {}, now?: () => number) =>
    new S3FileStorage({ ...store.settings, ...settings }, now);
  const listed = async (): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of storage().list()) keys.push(key);
    return keys;
  };
  const codeOf = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.then(
      () => 'no error',
      (thrown: unknown) => thrown,
    );
    return error instanceof AppError ? error.code : String(error);
  };
  async function* slices(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  }

  describe('meets the storage contract', () => {
    const tests = fileStorageContract(() => storage());
    it.each(tests.map(({ name, run }) => [name, run] as const))('%s', async (_name, run) => run());
  });

  it.each([
    ['a part and no byte more', PART_BYTES],
    ['a byte less than a part', PART_BYTES - 1],
    ['several parts', 5 * PART_BYTES + 1],
  ])('sends %s, a few parts at a time', async (_what, size) => {
    const [key, bytes] = [newId(), randomBytes(size)];
    await storage().write(key, slices(bytes, 1_000_003));
    expect(await storage().find(key)).toEqual({ key, size });
    expect(sha256(await buffer(await storage().read(key)))).toBe(sha256(bytes));
    const range = { start: PART_BYTES - 3, end: Math.min(size - 1, PART_BYTES + 2) };
    expect(await buffer(await storage().read(key, range))).toEqual(bytes.subarray(range.start, range.end + 1));
    expect(store.mostAtOnce).toBeLessThanOrEqual(3);
    await storage().remove(key);
    expect(await listed()).toEqual([]);
  });

  it('leaves nothing of an aborted multipart upload, or of one whose sender crashed', async () => {
    const key = newId();
    const broken = new Error('The sender has disconnected.');
    const bytes = async function* () {
      yield* slices(randomBytes(2 * PART_BYTES));
      throw broken;
    };
    await expect(storage().write(key, bytes())).rejects.toBe(broken);
    expect(await listed()).toEqual([]);
    // Simulates the death of the process: the object is not removed.
    store.obstacle = ({ method }, response) => method === 'DELETE' && cut(response);
    await expect(storage().write(key, bytes())).rejects.toBe(broken);
    store.obstacle = () => false;
    expect(await listed()).toEqual([key]);
    expect(await storage().find(key)).toBeNull();
    await storage().remove(key);
    expect(await listed()).toEqual([]);
  });

  it('rejects another key, and logs neither', async () => {
    const wrong = storage({ secretAccessKey: 'another-secret-of-somebody' });
    for (const work of [
      wrong.write(newId(), slices(PNG)),
      wrong.find(newId()),
      wrong.read(newId()),
      wrong.remove(newId()),
    ])
      expect(await codeOf(work)).toBe('service_unavailable');
    expect(await listed()).toEqual([]);
  });

  it('reports that its clock is wrong, in both directions', async () => {
    for (const hours of [-5, 5]) {
      const key = newId();
      const off = storage({}, () => Date.now() + hours * 3_600_000);
      store.seen.length = 0;
      await off.write(key, slices(PNG));
      expect(store.seen.length).toBe(2);
      expect(await buffer(await off.read(key))).toEqual(PNG);
      await off.remove(key);
    }
  });

  it('retries if the store is busy, and gives up when it stays busy', async () => {
    const busy = (times: number) => {
      let left = times;
      store.obstacle = (request, response) => {
        if (left-- <= 0) return false;
        request.resume();
        response.writeHead(503, { 'content-type': 'application/xml' });
        response.end('<?xml version="1.0"?><Error><Code>SlowDown</Code></Error>');
        return true;
      };
    };
    const key = newId();
    busy(2);
    await storage().write(key, slices(PNG));
    busy(2);
    expect(await buffer(await storage().read(key))).toEqual(PNG);
    busy(1_000);
    expect(await codeOf(storage().write(newId(), slices(PNG)))).toBe('service_unavailable');
    store.obstacle = () => false;
    await storage().remove(key);
  });

  it('retries after connections cut during a part, and after a lost last response', async () => {
    const bytes = randomBytes(3 * PART_BYTES);
    const key = newId();
    let cuts = 0;
    store.obstacle = (request, response) => {
      if (request.method !== 'PUT' || cuts >= 3) return false;
      cuts += 1;
      request.once('data', () => response.destroy());
      return true;
    };
    let losses = 0;
    store.loses = ({ method, url = '' }) => method === 'POST' && url.includes('uploadId') && (losses += 1) === 1;
    await storage().write(key, slices(bytes));
    expect(losses).toBeGreaterThan(1);
    expect([cuts, sha256(await buffer(await storage().read(key)))]).toEqual([3, sha256(bytes)]);
    await storage().remove(key);
  });

  it('distinguishes a missing object from an unavailable store', async () => {
    await expect(storage().read(newId())).rejects.toBeInstanceOf(ObjectMissing);
    const away = storage({ endpoint: 'http://127.0.0.1:9' });
    expect(await codeOf(away.read(newId()))).toBe('service_unavailable');
  });

  describe('in an application', () => {
    const world = {} as { app: TestApp };

    beforeAll(async () => {
      const { endpoint, bucket, accessKeyId, secretAccessKey } = store.settings;
      const access = { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey };
      const env = { FILES_DISK: 's3', S3_ENDPOINT: endpoint, S3_BUCKET: bucket, ...access };
      world.app = await TestApp.start({ env });
    });
    afterAll(() => world.app?.stop());

    it('stores, serves in parts, replaces, deletes and lists files', async () => {
      const { token, root } = await makeGallery(world.app);
      const large = randomBytes(2 * PART_BYTES + 5);
      const { data } = await send(world.app, large, { token });
      expect([data.size, data.sha256]).toEqual([large.length, sha256(large)]);
      const part = await readFile(world.app, data.id, {
        token,
        headers: { range: `bytes=${PART_BYTES - 1}-${PART_BYTES}` },
      });
      expect([part.status, part.body]).toEqual([206, large.subarray(PART_BYTES - 1, PART_BYTES + 1)]);
      await send(world.app, PNG, { token, method: 'PUT', path: `/api/files/${data.id}` });
      expect((await readFile(world.app, data.id, { token })).body).toEqual(PNG);
      expect(await world.app.get(FileCheck).run({ reads: true })).toEqual({ objects: 2, rows: 1, faults: [] });
      const refused = await send(world.app, randomBytes(3 * PART_BYTES), {
        token,
        headers: { 'content-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` },
      });
      expect(refused).toMatchObject({ status: 422, error: 'checksum_mismatch' });
      await root.delete(`/api/content/files/${data.id}`).expect(200);
      await sweep(world.app, 25);
      expect([await listed(), await known(world.app, 'doomed')]).toEqual([[], []]);
    });

    it('returns 503 while the store is unavailable, and leaves nothing for the sweeper', async () => {
      const { token } = await signedIn(world.app, { roles: ['admin'] });
      const { data } = await send(world.app, PNG, { token });
      store.obstacle = (_request, response) => cut(response);
      expect(await send(world.app, PNG, { token })).toMatchObject({ status: 503, error: 'service_unavailable' });
      expect(await readFile(world.app, data.id, { token })).toMatchObject({ status: 503 });
      store.obstacle = () => false;
      expect((await readFile(world.app, data.id, { token })).body).toEqual(PNG);
      await sweep(world.app, 25);
      expect((await world.app.get(FileCheck).run({ reads: true })).faults).toEqual([]);
    });
  });
});
