import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { Upload, type UploadOptions } from 'tus-js-client';
import { FileCheck } from '../../../src/features/files/file-check.service.js';
import { personWith } from '../../support/content-fixture.js';
import { known, makeGallery, PNG, readFile, sha256, stored, sweep } from '../../support/file-fixture.js';
import { signedIn } from '../../support/people.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

const VERSION = { 'tus-resumable': '1.0.0' };
const PATH = '/api/files/uploads';

describe('a resumable upload', () => {
  const world = useTestApp({ env: { FILES_QUOTA: '50000000', FILES_MAX_SIZE: '40000000' } });
  let token: string;

  beforeAll(async () => {
    await makeGallery(world.app);
  });
  beforeEach(async () => {
    ({ token } = await signedIn(world.app, { roles: ['admin'] }));
  });
  afterEach(async () => {
    expect((await world.app.get(FileCheck).run({ reads: true })).faults).toEqual([]);
  });

  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: Buffer,
    { own = token, app = world.app }: { own?: string; app?: TestApp } = {},
  ) => {
    const all = { ...VERSION, authorization: `Bearer ${own}`, ...headers };
    const answer = await fetch(app.url + path, { method, headers: all, body } as RequestInit);
    const text = await answer.text();
    const { data } = (text === '' ? {} : JSON.parse(text)) as { data?: { error: string } };
    return { status: answer.status, headers: answer.headers, error: data?.error };
  };
  const metadata = (values: Record<string, string>): string =>
    Object.entries(values)
      .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
      .join(',');
  const begin = async (size: number, values: Record<string, string> = {}, own = token): Promise<string> => {
    const headers = { 'upload-length': String(size), 'upload-metadata': metadata({ filename: 'a.bin', ...values }) };
    const answer = await ask('POST', PATH, headers, undefined, { own });
    expect([answer.status, answer.headers.get('tus-resumable')]).toEqual([201, '1.0.0']);
    return answer.headers.get('location')!;
  };
  const patch = (path: string, offset: number, body: Buffer, more: { own?: string; app?: TestApp } = {}) =>
    ask(
      'PATCH',
      path,
      { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      body,
      more,
    );
  const offset = async (path: string) => Number((await ask('HEAD', path)).headers.get('upload-offset'));
  const read = async (path: string, own = token) => readFile(world.app, path.split('/').at(-1)!, { token: own });
  const upload = (bytes: Buffer, options: Partial<UploadOptions> = {}): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent: Upload = new Upload(bytes, {
        endpoint: world.app.url + PATH,
        headers: { authorization: `Bearer ${token}` },
        metadata: { filename: 'large.bin', filetype: 'application/octet-stream' },
        retryDelays: [0, 50, 100, 200, 500],
        onError: reject,
        onSuccess: () => resolve(new URL(sent.url!).pathname),
        ...options,
      });
      sent.start();
    });
  const breakOff = (path: string, at: number, bytes: Buffer, length: number): Promise<void> =>
    new Promise((resolve) => {
      const headers = {
        ...VERSION,
        authorization: `Bearer ${token}`,
        'upload-offset': String(at),
        'content-length': String(length),
        'content-type': 'application/offset+octet-stream',
      };
      const sent = request(world.app.url + path, { method: 'PATCH', headers });
      sent.on('error', () => resolve());
      sent.write(bytes, () => setTimeout(() => sent.destroy(new Error('cut')), 200));
    });

  it.each([
    ['in one piece', 5_000_000, Infinity],
    ['in pieces', 5_000_000, 700_001],
    ['of one byte', 1, Infinity],
    ['of none', 0, Infinity],
  ])('of the official client becomes a file: %s', async (_what, size, chunkSize) => {
    const bytes = randomBytes(size);
    const path = await upload(bytes, { chunkSize });
    const answer = await read(path);
    expect([answer.status, sha256(answer.body)]).toEqual([200, sha256(bytes)]);
    expect(answer.headers.get('content-disposition')).toContain('large.bin');
    expect(await ask('HEAD', path)).toMatchObject({ status: 200 });
    expect(await offset(path)).toBe(size);
    await sweep(world.app);
    expect([await known(world.app, 'pending'), await known(world.app, 'doomed')]).toEqual([[], []]);
    expect(stored(world.app)).toEqual(await known(world.app, 'live'));
  });

  it.each(['text/plain', 'application/octet-stream', undefined, 'application/offset+octet-streams', ''])(
    'rejects a part of the content type %j',
    async (type) => {
      const path = await begin(4);
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const answer = await ask('PATCH', path, { 'upload-offset': '0', ...headers }, Buffer.from('abcd'));
      expect([answer.status, answer.error]).toEqual([415, 'content_type_unsupported']);
      expect(await offset(path)).toBe(0);
    },
  );

  it('continues after an interruption, within a request, and on another instance', async () => {
    const bytes = randomBytes(3_000_000);
    const path = await begin(bytes.length);
    await breakOff(path, 0, bytes.subarray(0, 1_000_000), bytes.length);
    let at = 0;
    for (let tries = 0; tries < 50 && at === 0; tries += 1) {
      at = await offset(path);
      if (at === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(at).toBe(1_000_000);
    const second = await world.app.secondInstance({ env: { DATA_DIR: world.app.config.dataDir } });
    try {
      expect((await patch(path, at, bytes.subarray(at), { app: second })).status).toBe(204);
    } finally {
      await second.stop();
    }
    expect(sha256((await read(path)).body)).toBe(sha256(bytes));
  });

  it('of the official client survives lost responses', async () => {
    const bytes = randomBytes(2_000_000);
    let broken = 0;
    const path = await upload(bytes, {
      chunkSize: 300_000,
      onAfterResponse: () => {
        broken += 1;
        if (broken === 3 || broken === 6) throw new Error('the answer is lost');
      },
    });
    expect(broken).toBeGreaterThan(6);
    expect(sha256((await read(path)).body)).toBe(sha256(bytes));
  });

  it('is continued by one of sixteen requests at one offset', async () => {
    const bytes = Array.from({ length: 16 }, () => randomBytes(100_000));
    const path = await begin(100_000);
    const answers = await Promise.all(bytes.map((body) => patch(path, 0, body)));
    const done = answers.flatMap(({ status }, at) => (status === 204 ? [at] : []));
    expect(done).toHaveLength(1);
    for (const { status, error } of answers)
      if (status !== 204) expect([status, error]).toEqual([409, 'upload_offset']);
    expect((await read(path)).body).toEqual(bytes[done[0]!]);
    await sweep(world.app);
    expect(stored(world.app)).toEqual(await known(world.app, 'live'));
  });

  it('continues only at its offset, and accepts no more than announced', async () => {
    const path = await begin(10);
    for (const [at, size, error] of [
      [1, 1, 'upload_offset'],
      [11, 1, 'upload_offset'],
      [0, 11, 'file_too_large'],
    ] as const)
      expect((await patch(path, at, Buffer.alloc(size))).error).toBe(error);
    expect((await patch(path, 0, Buffer.alloc(4))).headers.get('upload-offset')).toBe('4');
    expect(await patch(path, 0, Buffer.alloc(4))).toMatchObject({ status: 409, error: 'upload_offset' });
    expect((await patch(path, 4, Buffer.alloc(6))).status).toBe(204);
    expect(await patch(path, 10, Buffer.alloc(0))).toMatchObject({ status: 409 });
  });

  it('keeps its connection usable after a rejection during the body', async () => {
    const path = await begin(1_000_000);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const asked = (method: string, headers: Record<string, string>, parts: Buffer[]) =>
      new Promise<[number | undefined, number | undefined]>((resolve, reject) => {
        const all = { ...VERSION, authorization: `Bearer ${token}`, ...headers };
        const sent = request(world.app.url + path, { method, agent, headers: all }, (answer) => {
          const { localPort } = answer.socket;
          answer.resume().on('end', () => resolve([answer.statusCode, localPort]));
        });
        sent.on('error', reject);
        for (const part of parts) sent.write(part);
        sent.end();
      });
    const headers = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    const many = Array.from({ length: 60 }, () => Buffer.alloc(100_000));
    const [status, port] = await asked('PATCH', headers, many);
    expect(status).toBe(413);
    expect(await asked('HEAD', {}, [])).toEqual([200, port]);
    agent.destroy();
  });

  it('is linked as its metadata specifies, and checked like every file', async () => {
    const { body } = await world.app.as(token).post('/api/content/posts', { title: 'x' }).expect(201);
    const { id } = (body as { data: { id: string } }).data;
    const place = { schema: 'post', record: id, field: 'cover' };
    const path = await begin(PNG.length, { filetype: 'image/png', sha256: sha256(PNG), ...place });
    expect((await patch(path, 0, PNG)).status).toBe(204);
    const post = await world.app.as(token).get(`/api/content/posts/${id}?select=cover.id`).expect(200);
    expect((post.body as { data: unknown }).data).toEqual({ cover: { id: path.split('/').at(-1) } });
    for (const [values, error] of [
      [{ filetype: 'image/gif' }, 'file_type_not_allowed'],
      [{ sha256: '0'.repeat(64) }, 'checksum_mismatch'],
      [{ ...place, record: '019a0000-0000-7000-8000-000000000000' }, 'record_not_found'],
    ] as const) {
      const wrong = await begin(PNG.length, values);
      expect((await patch(wrong, 0, PNG)).error).toBe(error);
      expect((await ask('HEAD', wrong)).status).toBe(404);
    }
  });

  it('is rejected before its first byte if it could not be accepted', async () => {
    for (const [headers, status, error] of [
      [{ 'upload-length': '40000001' }, 413, 'file_too_large'],
      [{ 'upload-length': '-1' }, 422, 'validation_failed'],
      [{}, 422, 'validation_failed'],
      [{ 'upload-length': '1', 'upload-metadata': metadata({ schema: 'post' }) }, 422, 'validation_failed'],
      [{ 'upload-length': '1', 'upload-metadata': metadata({ sha256: 'x' }) }, 422, 'validation_failed'],
      [{ 'upload-length': '1', 'tus-resumable': '0.2.2' }, 412, 'upload_version'],
    ] as const)
      expect(await ask('POST', PATH, headers)).toMatchObject({ status, error });
    const { client } = await personWith(world.app, []);
    expect(await ask('POST', PATH, { 'upload-length': '1' }, undefined, { own: client.token! })).toMatchObject({
      status: 403,
      error: 'permission_denied',
    });
    const options = await fetch(world.app.url + PATH, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('tus-extension')]).toEqual([204, 'creation,expiration,termination']);
  });

  it('reserves its whole size from the start, and frees it', async () => {
    const path = await begin(30_000_000);
    expect(await ask('POST', PATH, { 'upload-length': '30000000' })).toMatchObject({
      status: 507,
      error: 'quota_exceeded',
    });
    expect((await ask('DELETE', path)).status).toBe(204);
    await begin(30_000_000);
  });

  it('is not visible to other accounts, and is deleted by its uploader', async () => {
    const path = await begin(10);
    await patch(path, 0, Buffer.alloc(5));
    const { token: own } = await signedIn(world.app, { roles: ['admin'] });
    for (const method of ['HEAD', 'DELETE']) expect((await ask(method, path, {}, undefined, { own })).status).toBe(404);
    expect(await patch(path, 5, Buffer.alloc(5), { own })).toMatchObject({ status: 404, error: 'file_not_found' });
    for (const id of ['x', '019a0000-0000-7000-8000-000000000000', '..%2f'])
      expect((await ask('HEAD', `${PATH}/${id}`)).status).toBe(404);
    expect((await ask('DELETE', path)).status).toBe(204);
    expect((await ask('HEAD', path)).status).toBe(404);
    await sweep(world.app);
    expect(await known(world.app, 'doomed')).toEqual([]);
  });

  it('expires after a day and leaves nothing', async () => {
    const path = await begin(10);
    await patch(path, 0, Buffer.alloc(5));
    await sweep(world.app, 25);
    ({ token } = await signedIn(world.app, { roles: ['admin'] }));
    expect((await ask('HEAD', path)).status).toBe(404);
    await sweep(world.app);
    expect([await known(world.app, 'pending'), await known(world.app, 'doomed')]).toEqual([[], []]);
    expect(await world.app.sql('SELECT 1 FROM file_uploads')).toEqual([]);
    expect(stored(world.app)).toEqual(await known(world.app, 'live'));
  });
});
