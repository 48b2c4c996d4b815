import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { GIF, makeGallery, PNG, readFile, send, sha256, stored } from '../../support/file-fixture.js';
import { useTestApp } from '../../support/test-app.js';

const TEXT = Buffer.from('0123456789');

describe('a file is served', () => {
  const world = useTestApp();
  let token: string;

  beforeAll(async () => {
    ({ token } = await makeGallery(world.app));
  });

  const upload = async (body: Buffer, type?: string, name = 'a.bin') => {
    const { status, data } = await send(world.app, body, { token, name, ...(type === undefined ? {} : { type }) });
    expect(status).toBe(201);
    return data;
  };
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    readFile(world.app, path, { token, headers, method });

  it('byte by byte, by its id with any name behind it, with its digest as ETag', async () => {
    const { id, sha256: digest } = await upload(PNG, 'image/png', 'ä b.png');
    for (const path of [id, `${id}/whatever.exe`, `${id}/..%2f..%2fx`]) {
      const { status, headers, body } = await get(path);
      expect([status, body, headers.get('etag')]).toEqual([200, PNG, `"${digest}"`]);
      expect(headers.get('content-length')).toBe(String(PNG.length));
      expect(headers.get('content-disposition')).toBe(`inline; filename="? b.png"; filename*=UTF-8''%C3%A4%20b.png`);
    }
  });

  it('without its bytes for HEAD, and with 304 for a matching tag', async () => {
    const { id, sha256: digest } = await upload(PNG, 'image/png');
    const head = await get(id, {}, 'HEAD');
    const whole = await get(id);
    expect([head.status, head.body.length]).toEqual([200, 0]);
    for (const name of ['content-type', 'content-length', 'etag', 'content-disposition', 'accept-ranges'])
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
    for (const known of [`"${digest}"`, `W/"${digest}"`, '*', `"x", "${digest}"`]) {
      const { status, body } = await get(id, { 'if-none-match': known });
      expect([status, body.length]).toEqual([304, 0]);
    }
    expect((await get(id, { 'if-none-match': '"x"' })).status).toBe(200);
  });

  it('by the conditions of RFC 9110, for files, image sizes and signed addresses', async () => {
    const image = await upload(PNG, 'image/png');
    const signed = await world.app.as(token).post(`/api/files/${image.id}/url`, {}).expect(200);
    const { url } = (signed.body as { data: { url: string } }).data;
    const paths = [`/api/files/${image.id}`, url.slice(url.indexOf('/api/')), `/api/files/${image.id}/a.png`];
    const wrong: unknown[] = [];
    for (const path of paths)
      for (const method of ['GET', 'HEAD']) {
        const ask = async (headers: Record<string, string>) => {
          const all = { authorization: `Bearer ${token}`, ...headers };
          const answer = await fetch(world.app.url + path, { method, headers: all });
          await answer.arrayBuffer();
          return answer;
        };
        const tag = (await ask({})).headers.get('etag')!;
        const part = method === 'GET' ? 206 : 200;
        const cases: [Record<string, string>, number][] = [
          [{ 'if-match': tag }, 200],
          [{ 'if-match': '*' }, 200],
          [{ 'if-match': `"x", ${tag}` }, 200],
          [{ 'if-match': '"x"' }, 412],
          [{ 'if-match': `W/${tag}` }, 412],
          [{ 'if-match': '' }, 412],
          [{ 'if-match': '"x"', 'if-none-match': tag }, 412],
          [{ 'if-match': '"x"', range: 'bytes=0-1' }, 412],
          [{ 'if-match': tag, 'if-none-match': tag }, 304],
          [{ 'if-none-match': tag, range: 'bytes=0-1' }, 304],
          [{ range: 'bytes=0-1' }, part],
          [{ range: 'bytes=0-1', 'if-range': tag }, part],
          [{ range: 'bytes=0-1', 'if-range': '"x"' }, 200],
          [{ range: 'bytes=9999-' }, method === 'GET' ? 416 : 200],
        ];
        for (const [headers, status] of cases) {
          const answer = await ask(headers);
          if (answer.status !== status) wrong.push([method, path, headers, answer.status]);
          if (method === 'HEAD' && answer.status === 200 && answer.headers.get('content-length') !== String(PNG.length))
            wrong.push([method, path, headers, answer.headers.get('content-length')]);
        }
      }
    expect(wrong).toEqual([]);
  });

  it('in ranges, as long as it is the same', async () => {
    const { id, sha256: digest } = await upload(TEXT, 'text/plain');
    const cases: [Record<string, string>, number, string, string | null][] = [
      [{ range: 'bytes=2-4' }, 206, '234', 'bytes 2-4/10'],
      [{ range: 'bytes=-2' }, 206, '89', 'bytes 8-9/10'],
      [{ range: 'bytes=5-' }, 206, '56789', 'bytes 5-9/10'],
      [{ range: 'bytes=0-0', 'if-range': `"${digest}"` }, 206, '0', 'bytes 0-0/10'],
      [{ range: 'bytes=0-0', 'if-range': '"other"' }, 200, '0123456789', null],
      [{ range: 'bytes=0-0', 'if-range': `W/"${digest}"` }, 200, '0123456789', null],
      [{ range: 'bytes=0-0', 'if-range': 'Wed, 21 Oct 2026 07:28:00 GMT' }, 200, '0123456789', null],
      [{ range: 'bytes=0-1,4-5' }, 200, '0123456789', null],
      [{ range: 'bytes=10-' }, 416, '', 'bytes */10'],
      [{ range: 'bytes=-0' }, 416, '', 'bytes */10'],
    ];
    for (const [headers, status, text, range] of cases) {
      const answer = await get(id, headers);
      expect([headers, answer.status, answer.body.toString(), answer.headers.get('content-range')]).toEqual([
        headers,
        status,
        text,
        range,
      ]);
    }
    await send(world.app, Buffer.from('abcdefghij'), {
      token,
      type: 'text/plain',
      method: 'PUT',
      path: `/api/files/${id}`,
    });
    const after = await get(id, { range: 'bytes=0-1', 'if-range': `"${digest}"` });
    expect([after.status, after.body.toString()]).toEqual([200, 'abcdefghij']);
  });

  it.each([
    ['an image', 'image/png', PNG, 'image/png', 'inline'],
    ['an image without a type', undefined, GIF, 'image/gif', 'inline'],
    ['an image sent as a page', 'text/html', GIF, 'image/gif', 'inline'],
    ['a page', 'text/html', Buffer.from('<script>alert(1)</script>'), 'application/octet-stream', 'attachment'],
    ['an SVG', 'image/svg+xml', Buffer.from('<svg onload="alert(1)"/>'), 'application/octet-stream', 'attachment'],
    [
      'an SVG after a comment',
      'image/svg+xml',
      Buffer.from('<!-- --><svg/>'),
      'application/octet-stream',
      'attachment',
    ],
    ['XML', 'application/xml', Buffer.from('<?xml version="1.0"?><x/>'), 'application/octet-stream', 'attachment'],
    ['XHTML', 'application/xhtml+xml', Buffer.from('<html/>'), 'application/octet-stream', 'attachment'],
    ['a script', 'text/javascript', Buffer.from('alert(1)'), 'application/octet-stream', 'attachment'],
    ['a script that begins like a GIF', 'text/javascript', Buffer.from('GIF89a=1;alert(1)'), 'image/gif', 'inline'],
    ['a document', 'application/pdf', Buffer.from('%PDF-1.7\n'), 'application/pdf', 'attachment'],
    ['text', 'text/plain; charset=utf-16', TEXT, 'text/plain; charset=utf-8', 'attachment'],
    ['an empty file', undefined, Buffer.alloc(0), 'application/octet-stream', 'attachment'],
  ])('with its content type: %s', async (_what, type, body, contentType, disposition) => {
    const { id } = await upload(body, type, 'x.html');
    const { status, headers, body: read } = await get(id);
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      contentType,
      `${disposition}; filename=x.html`,
    ]);
    expect(read).toEqual(body);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*sandbox$/);
    expect(headers.get('content-security-policy')).not.toMatch(/script|unsafe-eval|allow-/);
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    const saved = await get(`${id}?disposition=attachment`);
    expect(saved.headers.get('content-disposition')).toBe('attachment; filename=x.html');
  });

  it.each([
    ['a film', 'video/webm', Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.from('webm'), Buffer.alloc(64)])],
    ['a sound', 'audio/wav', Buffer.concat([Buffer.from('RIFF    WAVEfmt '), Buffer.alloc(64)])],
  ])('to a media player, without running content: %s', async (_what, type, body) => {
    const { id } = await upload(body, type, 'x.html');
    const policy = async (path: string) => (await get(path)).headers.get('content-security-policy');
    expect((await get(id)).headers.get('content-type')).toBe(type);
    expect(await policy(id)).toMatch(/^default-src 'none';.*; sandbox allow-same-origin$/);
    expect(await policy(id)).not.toMatch(/script|allow-(?!same-origin$)/);
    // A file that only claims to be a medium gets no player.
    const { id: page } = await upload(Buffer.from('<script>alert(1)</script>'), 'text/html', 'x.webm');
    for (const path of [page, `${id}?disposition=attachment`]) expect(await policy(path)).toMatch(/; sandbox$/);
  });

  it('without a line break of its name in a header', async () => {
    const headers = {
      'content-disposition': `attachment; filename*=UTF-8''a%0d%0aSet-Cookie:%20b%22;%20x%e2%80%a8c.png`,
    };
    const { data } = await send(world.app, PNG, { token, headers });
    const answer = await get(data.id);
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null]);
    expect(answer.headers.get('content-disposition')).toMatch(
      /^inline; filename="[^"\r\n]*"(; filename\*=UTF-8''[^"\s]*)?$/,
    );
  });

  it.each([
    'x',
    '..',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e%2f%2e%2e%2fapp.key',
    '..%5c..%5capp.key',
    '%00',
    'files',
    '019a0000-0000-7000-8000-000000000000',
    '019A0000-0000-7000-8000-000000000000',
    "019a0000-0000-7000-8000-000000000000'",
    '019a0000-0000-7000-8000-000000000000.part',
  ])('only by its id: %s is not found', async (id) => {
    for (const path of [id, `${id}/app.key`]) {
      const { status, error } = await get(path);
      expect([path, status, error]).toEqual([
        path,
        404,
        path === '..' || path === '../app.key' ? 'route_not_found' : 'file_not_found',
      ]);
    }
  });

  it('by the id of the file and not by that of its object', async () => {
    const { id } = await upload(TEXT);
    const [row] = await world.app.sql<{ id: string }>('SELECT id FROM file_objects WHERE file_id = $1', [id]);
    expect(await get(row!.id)).toMatchObject({ status: 404, error: 'file_not_found' });
  });

  it('with 404 and a log line if its bytes are missing', async () => {
    const { id } = await upload(TEXT);
    const [row] = await world.app.sql<{ id: string }>('SELECT id FROM file_objects WHERE file_id = $1', [id]);
    expect(stored(world.app)).toContain(row!.id);
    unlinkSync(join(world.app.config.dataDir, 'files', row!.id.slice(-2), row!.id.slice(-4, -2), row!.id));
    expect(await get(id)).toMatchObject({ status: 404, error: 'file_not_found' });
    expect(world.app.log.some((line) => line.includes('The content of a file is missing') && line.includes(id))).toBe(
      true,
    );
  });

  it('from memory and from disk, to callers who can read it at that moment', async () => {
    const { id, sha256: digest } = await upload(PNG, 'image/png');
    const [row] = await world.app.sql<{ id: string }>('SELECT id FROM file_objects WHERE file_id = $1', [id]);
    const fromDisk = await get(id);
    await get(id);
    unlinkSync(join(world.app.config.dataDir, 'files', row!.id.slice(-2), row!.id.slice(-4, -2), row!.id));
    const sixteen = await Promise.all(Array.from({ length: 16 }, () => get(id)));
    const comparableHeaders = (headers: Headers) =>
      [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
    for (const { status, body, headers } of sixteen)
      expect([status, body, comparableHeaders(headers)]).toEqual([200, PNG, comparableHeaders(fromDisk.headers)]);
    const part = await get(id, { range: 'bytes=1-3', 'if-range': `"${digest}"` });
    expect([part.status, part.body, part.headers.get('content-length')]).toEqual([206, PNG.subarray(1, 4), '3']);
    expect((await get(id, {}, 'HEAD')).headers.get('content-length')).toBe(String(PNG.length));
    expect(await readFile(world.app, id)).toMatchObject({ status: 404, error: 'file_not_found' });
    await send(world.app, GIF, { token, type: 'image/gif', method: 'PUT', path: `/api/files/${id}` });
    for (const { body } of await Promise.all(Array.from({ length: 16 }, () => get(id)))) expect(body).toEqual(GIF);
    await world.app.as(token).delete(`/api/content/files/${id}`).expect(200);
    for (const { status } of await Promise.all(Array.from({ length: 16 }, () => get(id)))) expect(status).toBe(404);
  });

  it('completely, though many megabytes are read slowly', async () => {
    const large = Buffer.alloc(8_000_000, 'lintel');
    const { id } = await upload(large);
    const answer = await fetch(`${world.app.url}/api/files/${id}`, { headers: { authorization: `Bearer ${token}` } });
    const parts: Uint8Array[] = [];
    for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) parts.push(part);
    expect(sha256(Buffer.concat(parts))).toBe(sha256(large));
  });
});
