import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import { FileCheck } from '../../../src/features/files/file-check.service.js';
import { S3Client } from '../../../src/features/files/storage/s3/s3-client.js';
import { S3FileStorage } from '../../../src/features/files/storage/s3/s3-file-storage.js';
import { newId } from '../../../src/kernel/keys/random.js';
import { eventsOf } from '../../support/audit-log.js';
import {
  announce,
  complete,
  PART,
  piecesOf,
  put,
  putAll,
  sendDirect,
  stateOf,
  outcomeOf,
} from '../../support/direct-uploads.js';
import { AwayScanner, DirectUploadFixture } from '../../support/direct-upload-fixture.js';
import { PNG, readFile, sha256, sweep } from '../../support/file-fixture.js';
import { VERSITYGW } from '../../support/s3-store.js';

const described = VERSITYGW === '' ? describe.skip : describe;

described('a direct upload to the bucket', () => {
  const world = DirectUploadFixture.use();

  it('creates an ordinary file, with checked and linked bytes and an audit entry', async () => {
    const post = await world.ann.client.post('/api/content/posts', { title: 'x' }).expect(201);
    const { id } = (post.body as { data: { id: string } }).data;
    const bytes = Buffer.concat([PNG, randomBytes(2 * PART)]);
    const place = { schema: 'post', record: id, field: 'images' };
    const announced = await announce(world.ann.client, bytes, { name: '../a\u202e.png', type: 'image/png', ...place });
    expect([announced.status, announced.data.parts.map(({ size }) => size)]).toEqual([201, [PART, PART, PNG.length]]);
    expect(await world.app.sql('SELECT size::int FROM file_objects WHERE owner = $1', [world.ann.id])).toEqual([
      { size: bytes.length },
    ]);
    world.store.seen.length = 0;
    const parts = await putAll(announced.data, bytes);
    expect(world.store.seen).toHaveLength(3);
    const { status, data } = await complete(world.ann.client, announced.data.id, parts);
    const made = { id: announced.data.id, name: 'a.png', type: 'image/png', size: bytes.length, width: 1, height: 1 };
    expect([status, data]).toMatchObject([201, { ...made, sha256: sha256(bytes) }]);
    const read = await readFile(world.app, announced.data.id, { token: world.ann.token });
    expect([read.status, sha256(read.body), read.headers.get('etag')]).toEqual([
      200,
      sha256(bytes),
      `"${sha256(bytes)}"`,
    ]);
    const [event] = await eventsOf(world.app, `action = 'file.upload'`);
    expect(event).toMatchObject({ resource: `file:${announced.data.id}` });
    expect(await world.app.get(FileCheck).run({ reads: true })).toMatchObject({ faults: [] });
  });

  it('works with the example of the documentation, on a page without libraries', async () => {
    const page = readFileSync('docs/guides/data/large-uploads.md', 'utf8');
    const [, example = ''] = /```js\n(async function sendDirect[^]*?)```/.exec(page) ?? [];
    expect(example).not.toBe('');
    const run = compileFunction(`${example}; return sendDirect;`, ['fetch']) as (
      own: typeof fetch,
    ) => (file: Blob, token: string) => Promise<{ id: string; sha256: string }>;
    const bytes = randomBytes(8 * 1_048_576 + 3);
    const here = (url: string, init?: RequestInit) => fetch(url.startsWith('/') ? world.app.url + url : url, init);
    const file = await run(here as typeof fetch)(new File([bytes], 'a.bin'), world.ann.token);
    expect(file.sha256).toBe(sha256(bytes));
  });

  it('works from another origin, with the CORS rule of the documentation', async () => {
    const [, json = ''] =
      /```json\n(\[\s+\{\s+"AllowedOrigins"[^]*?)```/.exec(readFileSync('docs/guides/data/large-uploads.md', 'utf8')) ??
      [];
    const [rule] = JSON.parse(json) as [Record<string, string[]>];
    const singular = (name: string): string => name.replace(/(?<!Second)s$/, '');
    const lines = Object.entries(rule).flatMap(([name, values]) =>
      [values].flat().map((value) => `<${singular(name)}>${value}</${singular(name)}>`),
    );
    const body = Buffer.from(`<CORSConfiguration><CORSRule>${lines.join('')}</CORSRule></CORSConfiguration>`);
    const digest = { 'x-amz-checksum-sha256': Buffer.from(sha256(body), 'hex').toString('base64') };
    await new S3Client(world.store.settings).headers({ method: 'PUT', query: { cors: '' }, headers: digest, body });
    const { data } = await announce(world.ann.client, PNG);
    const [{ url, headers }] = data.parts as [(typeof data.parts)[0]];
    const origin = rule['AllowedOrigins']![0]!;
    const asks = {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': Object.keys(headers).join(),
    };
    const preflight = await fetch(url, { method: 'OPTIONS', headers: asks });
    const answer = await fetch(url, { method: 'PUT', headers: { ...headers, origin }, body: PNG });
    expect([preflight.status, answer.status]).toEqual([200, 200]);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/etag/i);
    await world.ann.client.delete(`/api/files/direct/${data.id}`).expect(204);
  });

  it('continues after a reload: uploaded parts are listed, and the rest has new URLs', async () => {
    const bytes = randomBytes(2 * PART + 1);
    const { data } = await announce(world.ann.client, bytes);
    const { etag } = await put(data.parts[1]!, piecesOf(bytes)[1]!);
    const again = await stateOf(world.ann.client, data.id);
    const sent = again.data.parts.map((part) => [part.etag === null, part.url === null]);
    expect([again.status, sent]).toEqual([
      200,
      [
        [true, false],
        [false, true],
        [true, false],
      ],
    ]);
    expect(`"${again.data.parts[1]!.etag}"`).toBe(etag);
    for (const at of [0, 2]) expect((await put(again.data.parts[at]!, piecesOf(bytes)[at]!)).status).toBe(200);
    const { parts } = (await stateOf(world.ann.client, data.id)).data;
    const { status, data: file } = await complete(world.ann.client, data.id, parts);
    expect([status, file['sha256']]).toEqual([201, sha256(bytes)]);
    // The first response may have been lost.
    expect((await stateOf(world.ann.client, data.id)).data.file).toEqual(file);
  });

  it('has URLs without secrets that are valid for minutes, one part, one length and one digest', async () => {
    const bytes = randomBytes(PART + 10);
    const [first, last] = piecesOf(bytes);
    const { data } = await announce(world.ann.client, bytes);
    const { parts } = data;
    const url = new URL(parts[1]!.url);
    expect(JSON.stringify(data)).not.toContain(world.store.settings.secretAccessKey);
    expect(Number(url.searchParams.get('X-Amz-Expires'))).toBe(900);
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host;x-amz-checksum-sha256');
    const left = Date.parse(data.urls_expire_at) - world.app.clock.nowMs();
    expect([left > 840_000, left <= 900_000]).toEqual([true, true]);
    const altered = (name: string, value: string): { url: string; headers: Record<string, string> } => {
      const other = new URL(url);
      other.searchParams.set(name, value);
      return { ...parts[1]!, url: other.href };
    };
    const old = new S3FileStorage(world.store.settings, () => Date.now() - 901_000).multipart;
    const expired = await old.address(data.id, 'x', { number: 2, size: last!.length, sha256: 'x' });
    const other = (await announce(world.ann.client, bytes)).data.parts[1]!;
    const checksum = Buffer.from(sha256(Buffer.from(first!)), 'hex').toString('base64');
    const tries: readonly [string, { url: string; headers: Record<string, string> }, Uint8Array][] = [
      ['other bytes', parts[1]!, randomBytes(last!.length)],
      ['more bytes', parts[1]!, Buffer.concat([last!, last!])],
      ['fewer bytes', parts[1]!, last!.subarray(1)],
      ['no digest', { ...parts[1]!, headers: {} }, last!],
      ['another digest', { ...parts[1]!, headers: { 'x-amz-checksum-sha256': checksum } }, last!],
      ['another part', altered('partNumber', '1'), last!],
      ['another upload', altered('uploadId', new URL(other.url).searchParams.get('uploadId')!), last!],
      ['a longer time', altered('X-Amz-Expires', '86400'), last!],
      ['no signature', altered('X-Amz-Signature', ''), last!],
      ['a time that is over', expired, last!],
    ];
    const taken: string[] = [];
    for (const [what, part, body] of tries) if ((await put(part, body)).status < 400) taken.push(what);
    expect(taken).toEqual([]);
    const read = await fetch(parts[1]!.url, { headers: parts[1]!.headers });
    expect(read.status).toBeGreaterThanOrEqual(400);
    expect((await stateOf(world.ann.client, data.id)).data.parts.map(({ etag }) => etag)).toEqual([null, null]);
  });

  it('is completed by another instance after a crash during the completion', async () => {
    const bytes = randomBytes(PART + 1);
    const { data } = await announce(world.ann.client, bytes);
    const parts = await putAll(data, bytes);
    // The object was created, then the store became unavailable.
    world.store.obstacle = ({ method, url = '' }, response) => {
      const isRead = method === 'GET' && !url.includes('uploadId');
      if (isRead) response.destroy();
      return isRead;
    };
    expect(outcomeOf(await complete(world.ann.client, data.id, parts))).toEqual([503, 'service_unavailable']);
    world.store.obstacle = () => false;
    const died = `UPDATE file_uploads SET claim = $1, claimed_until = $2 WHERE id = $3`;
    await world.app.sql(died, [newId(), new Date(world.app.clock.nowMs() + 60_000), data.id]);
    expect(outcomeOf(await complete(world.ann.client, data.id, parts))).toEqual([409, 'upload_offset']);
    world.app.clock.advance(61);
    expect((await complete(world.ann.client, data.id, parts)).data['sha256']).toBe(sha256(bytes));
  });

  it('is blocked until it is scanned, and is deleted with the account of its uploader', async () => {
    AwayScanner.isActive = true;
    const { status, data } = await sendDirect(world.ann.client, PNG, { type: 'image/png' });
    AwayScanner.isActive = false;
    expect(status).toBe(201);
    const begun = (await announce(world.ann.client, PNG)).data;
    expect(await readFile(world.app, data.id, { token: world.token })).toMatchObject({
      status: 409,
      error: 'file_held',
    });
    await world.root.delete(`/api/content/users/${world.ann.id}`).expect(200);
    expect(await world.app.sql('SELECT id FROM file_uploads WHERE id = $1', [begun.id])).toEqual([]);
    await sweep(world.app, 25);
    await world.nothingStays();
  });
});
