import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventsOf } from '../../support/audit-log.js';
import { personWith } from '../../support/content-fixture.js';
import { author, GIF, known, makeGallery, PNG, send, sendForm, sha256, stored } from '../../support/file-fixture.js';
import type { TestClient } from '../../support/test-client.js';
import { useTestApp } from '../../support/test-app.js';

const file = (): Blob => new Blob([PNG]);

describe('uploading a file', () => {
  const world = useTestApp({ env: { FILES_MAX_SIZE: '3000000' } });
  let token: string;
  let root: TestClient;

  beforeAll(async () => {
    ({ token, root } = await makeGallery(world.app));
  });

  it('returns its type by its bytes, its name, its size and its digest', async () => {
    const { status, data } = await send(world.app, PNG, { token, type: 'image/png', name: 'a b.png' });
    expect(status).toBe(201);
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'a b.png',
      type: 'image/png',
      size: PNG.length,
      sha256: sha256(PNG),
      width: 1,
      height: 1,
      url: `${world.app.config.appUrl}/api/files/${data.id}/a%20b.png`,
    });
    const record = await root.get(`/api/content/files/${data.id}`).expect(200);
    expect(record.body).toMatchObject({ data: { id: data.id, type: 'image/png', size: PNG.length, deleted_at: null } });
  });

  it('to the bucket is not available if files are on local disk, and the response says so', async () => {
    const body = { size: PNG.length, part_size: 5_242_880, checksums: [sha256(PNG)] };
    const refusal = { data: { error: 'upload_not_direct' } };
    expect(await root.post('/api/files/direct', body).expect(409)).toMatchObject({ body: refusal });
    for (const path of ['x', '019a0000-0000-7000-8000-000000000000'])
      expect(await root.get(`/api/files/direct/${path}`).expect(409)).toMatchObject({ body: refusal });
    expect(await known(world.app, 'pending')).toEqual([]);
  });

  it('accepts a form too, with a checksum before the file', async () => {
    const form = await sendForm(
      world.app,
      (one) => {
        one.append('sha256', sha256(GIF));
        one.append('file', new Blob([GIF], { type: 'image/gif' }), 'grüße.gif');
      },
      { token },
    );
    expect([form.status, form.data.name, form.data.type, form.data.sha256]).toEqual([
      201,
      'grüße.gif',
      'image/gif',
      sha256(GIF),
    ]);
  });

  it('accepts a body of any length in chunks, and an empty one', async () => {
    const part = Buffer.alloc(65_536, 7);
    const parts = Array.from({ length: 40 }, () => part);
    const long = await send(world.app, Readable.toWeb(Readable.from(parts)) as never, { token });
    expect([long.status, long.data.size]).toEqual([201, 40 * 65_536]);
    expect(long.data.sha256).toBe(createHash('sha256').update(Buffer.concat(parts)).digest('hex'));
    expect((await send(world.app, Buffer.alloc(0), { token })).data).toMatchObject({
      size: 0,
      sha256: sha256(Buffer.alloc(0)),
    });
  });

  it('accepts types that other routes parse: JSON, forms, archives', async () => {
    for (const [type, body] of [
      ['application/json', '{"a":'],
      ['application/x-www-form-urlencoded', 'a=%'],
      ['text/plain', 'x'],
    ] as const) {
      const { status, data } = await send(world.app, Buffer.from(body), { token, type });
      expect([status, data.type, data.size]).toEqual([201, type, body.length]);
    }
  });

  it('records the uploader and the file in the audit log, in the same transaction', async () => {
    const { id, token: own } = await author(world.app);
    const { data } = await send(world.app, PNG, { token: own });
    expect(await eventsOf(world.app, 'resource = $1', [`file:${data.id}`])).toMatchObject([
      { action: 'file.upload', actor: `account:${id}`, changes: { sha256: { after: sha256(PNG) } } },
    ]);
  });

  it.each([
    ['a guest', undefined, 401, 'token_missing'],
    ['somebody without a permission', 'nothing', 403, 'permission_denied'],
  ])('is rejected for %s, and leaves nothing', async (_who, role, status, error) => {
    const own = role === undefined ? undefined : (await personWith(world.app, [])).client.token;
    const before = stored(world.app);
    expect(await send(world.app, PNG, { token: own })).toMatchObject({ status, error });
    expect(stored(world.app)).toEqual(before);
  });

  it('respects the rule of the permission, which receives type and size', async () => {
    const rule = `record.type == 'image/png' && record.size < 1000`;
    const { client } = await personWith(world.app, [{ resource: 'content.file.create', value: rule }]);
    const before = stored(world.app);
    expect((await send(world.app, PNG, { token: client.token })).status).toBe(201);
    for (const body of [GIF, Buffer.concat([PNG, Buffer.alloc(1_000)])])
      expect(await send(world.app, body, { token: client.token })).toMatchObject({ error: 'permission_denied' });
    expect(stored(world.app)).toHaveLength(before.length + 1);
    expect(await known(world.app, 'pending')).toEqual([]);
  });

  describe('rejects', () => {
    let before: string[];
    beforeEach(() => {
      before = stored(world.app);
    });
    afterEach(async () => {
      expect(stored(world.app)).toEqual(before);
      expect(await known(world.app, 'pending')).toEqual([]);
      expect(await known(world.app, 'doomed')).toEqual([]);
    });

    it('a file that is too large, by its announced and by its real length', async () => {
      const large = Buffer.alloc(3_000_001);
      expect(await send(world.app, large, { token })).toMatchObject({ status: 413, error: 'file_too_large' });
      const stream = Readable.toWeb(Readable.from([large, large])) as never;
      expect(await send(world.app, stream, { token })).toMatchObject({ status: 413, error: 'file_too_large' });
      const form = await sendForm(world.app, (one) => one.append('file', new Blob([large])), { token });
      expect(form).toMatchObject({ status: 413, error: 'file_too_large' });
    });

    it.each([
      ['image/png', '<html><script>alert(1)</script>'],
      ['image/gif', PNG],
      ['image/jpeg', 'x'],
      ['application/pdf', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
      ['video/mp4', ''],
      ['IMAGE/PNG; charset=x', 'GIF89'],
      ['image/x-png', 'x'],
    ])('a file with the type %s and other content', async (type, body) => {
      const answer = await send(world.app, Buffer.from(body), { token, type });
      expect(answer).toMatchObject({ status: 422, error: 'file_type_not_allowed' });
    });

    it('a file with another checksum', async () => {
      const digest = `sha-256=:${createHash('sha256').update('other').digest('base64')}:`;
      for (const [headers, error] of [
        [{ 'content-digest': digest }, 'checksum_mismatch'],
        [{ 'content-digest': `sha-512=:x:, ${digest}` }, 'checksum_mismatch'],
        [{ 'content-digest': 'sha-256=:short:' }, 'validation_failed'],
        [{ 'content-digest': 'sha-512=:x:' }, 'validation_failed'],
      ] as const)
        expect(await send(world.app, PNG, { token, headers })).toMatchObject({ status: 422, error });
      const wrong = (sum: string) =>
        sendForm(world.app, (one) => (one.append('sha256', sum), one.append('file', new Blob([PNG]))), { token });
      expect(await wrong(sha256(GIF))).toMatchObject({ status: 422, error: 'checksum_mismatch' });
      expect(await wrong('x')).toMatchObject({ status: 422, error: 'validation_failed' });
    });

    it('a form without a file, with another part, and an invalid form', async () => {
      const form = (fill: (one: FormData) => void) => sendForm(world.app, fill, { token });
      expect(await form((one) => one.append('a', 'b'))).toMatchObject({ status: 422, error: 'validation_failed' });
      expect(await form((one) => one.append('other', new Blob(['x']), 'x'))).toMatchObject({ status: 422 });
      const type = 'multipart/form-data';
      expect(await send(world.app, 'x', { token, type })).toMatchObject({ status: 400, error: 'body_malformed' });
      const cut = await send(world.app, '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc', {
        token,
        type: `${type}; boundary=x`,
      });
      expect(cut).toMatchObject({ status: 400, error: 'upload_incomplete' });
    });

    it.each<[string, (one: FormData) => void, string, string]>([
      ['a second file', (one) => (one.append('file', file()), one.append('file', file())), 'file', 'repeated_field'],
      [
        'a file of another name',
        (one) => (one.append('file', file()), one.append('other', file())),
        'other',
        'unknown_field',
      ],
      ['an unknown field', (one) => (one.append('folder', 'x'), one.append('file', file())), 'folder', 'unknown_field'],
      [
        'an unknown field at the end',
        (one) => (one.append('file', file()), one.append('dry_run', '1')),
        'dry_run',
        'unknown_field',
      ],
      ['two checksums', (one) => (one.append('sha256', 'a'), one.append('sha256', 'b')), 'sha256', 'repeated_field'],
      [
        'a checksum after the file',
        (one) => (one.append('file', file()), one.append('sha256', 'a')),
        'sha256',
        'order_invalid',
      ],
    ])('a form with %s', async (_name, fill, field, code) => {
      const form = new FormData();
      fill(form);
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${world.app.url}/api/files`, { method: 'POST', headers, body: form });
      const { data } = (await answer.json()) as { data: { error: string; errors: unknown[] } };
      expect(answer.status).toBe(422);
      expect(data).toEqual({ error: 'validation_failed', errors: [{ field, code, message: expect.any(String) }] });
    });

    it('an encoded body', async () => {
      const answer = await send(world.app, PNG, { token, headers: { 'content-encoding': 'gzip' } });
      expect(answer).toMatchObject({ status: 415, error: 'content_encoding_unsupported' });
    });

    it.each(['Content-Length: 5000', 'Transfer-Encoding: chunked'])('a truncated body: %s', async (length) => {
      const { port } = world.app.server.address() as { port: number };
      const socket = connect(port, '127.0.0.1');
      const chunk = length.startsWith('T') ? '800\r\n' : '';
      socket.write(
        `POST /api/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${length}\r\n\r\n${chunk}`,
      );
      socket.write(Buffer.alloc(1_500, 1));
      while ((await known(world.app, 'pending')).length === 0) await sleep(10);
      socket.destroy();
      for (const state of ['pending', 'doomed']) while ((await known(world.app, state)).length > 0) await sleep(10);
    });
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['..\\\\..\\\\boot.ini', 'boot.ini'],
    ['/etc/shadow', 'shadow'],
    ['..', 'file'],
    ['', 'file'],
    ['...', 'file'],
    ['a<b>|c?.txt', 'a_b__c_.txt'],
  ])('stores %j as %j, without a path', async (given, name) => {
    const { status, data } = await send(world.app, PNG, { token, name: given });
    expect([status, data.name]).toEqual([201, name]);
    expect(stored(world.app).every((one) => /^[0-9a-f-]{36}$/.test(one))).toBe(true);
  });

  it.each([
    ['turned%E2%80%AEgnp.exe', 'turnedgnp.exe'],
    ['line%0D%0ASet-Cookie:%20x', 'lineSet-Cookie_ x'],
    ['z%E2%80%8Bero%00.png', 'zero.png'],
    [`${'%F0%9F%94%91'.repeat(100)}.png`, `${'🔑'.repeat(62)}.png`],
    ['%C0%AE%C0%AE%2Fx', 'file'],
  ])('removes invisible characters from the name %s', async (given, name) => {
    const headers = { 'content-disposition': `attachment; filename*=UTF-8''${given}` };
    const { status, data } = await send(world.app, PNG, { token, headers });
    expect([status, data.name]).toEqual([201, name]);
  });

  it('does not change other routes: a stream there has an unknown type', async () => {
    for (const type of [
      'application/octet-stream',
      'application/vnd.lintel.streamed',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await send(world.app, PNG, { token, type, path: '/api/content/posts' });
      expect(answer).toMatchObject({ status: 415, error: 'content_type_unsupported' });
    }
  });
});
