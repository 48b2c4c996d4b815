import { Controller, Module, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import type { ErrorCode } from '../../../src/kernel/errors/error-catalogue.js';
import { Public } from '../../../src/identity/auth/access/access.decorators.js';
import { AcceptsStream } from '../../../src/platform/http/input/accepts.decorators.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { bodyParts } from '../../../src/platform/http/http.public.js';
import { makeGallery } from '../../support/file-fixture.js';
import { RawConnection, requestHead } from '../../support/raw-http.js';
import { useTestApp } from '../../support/test-app.js';

const LARGE = Buffer.alloc(16_000_000, 'a');
const PING = requestHead('GET /healthz');
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** How a handler stops reading the body. */
const READERS: Readonly<Record<string, (body: Readable) => Promise<void>>> = {
  nothing: () => Promise.resolve(),
  'one part': async (body) => {
    for await (const _ of bodyParts(body)) return;
  },
  'a pipe': (body) => new Promise((resolve) => void body.once('data', () => resolve())),
};
const CODES = ['token_invalid', 'body_too_large', 'rate_limited', 'server_busy', 'storage_full'] as const;

@Controller('early')
class EarlyController {
  @Post()
  @Public()
  @RateLimit('general')
  @AcceptsStream()
  async refuse(
    @Req() { body }: FastifyRequest,
    @Query('code') code: string,
    @Query('read') read: string,
  ): Promise<void> {
    await READERS[read]!(body as Readable);
    throw new AppError(code as ErrorCode);
  }
}

@Module({ controllers: [EarlyController] })
class EarlyModule {}

describe('a response before the end of the body', () => {
  const world = useTestApp({
    modules: [EarlyModule],
    env: {
      FILES_MAX_SIZE: '1000000',
      FILES_QUOTA: '500000',
      CONTENT_MAX_IMPORT_BYTES: '100000',
      IMPORT_MAX_BYTES: '100000',
      RATE_LIMIT_ENABLED: 'true',
    },
  });

  let bearer: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const { root } = await makeGallery(world.app);
    bearer = { Authorization: `Bearer ${root.token}`, 'Content-Type': 'text/csv' };
  });

  /** Sends a request with a large body, then a second request on the same connection. */
  async function both(line: string, headers: Readonly<Record<string, string | number>> = {}, body = LARGE) {
    const connection = await RawConnection.open(world.app.url);
    const isChunked = 'Transfer-Encoding' in headers;
    connection.send(requestHead(line, isChunked ? headers : { 'Content-Length': body.length, ...headers }));
    connection.send(...(isChunked ? chunked(body) : [body]), PING);
    const first = await connection.next();
    const second = first?.headers['connection'] === 'close' ? null : await connection.next();
    connection.close();
    return { first, second, error: connection.error };
  }

  function chunked(body: Buffer): Buffer[] {
    return [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')];
  }

  async function assertBoth(expected: number, ...request: Parameters<typeof both>): Promise<void> {
    const { first, second, error } = await both(...request);
    expect({ first: first?.status, second: second?.status, error }).toEqual({
      first: expected,
      second: 200,
      error: null,
    });
    expect(JSON.parse(first!.body)).toMatchObject({ code: String(expected), data: { error: expect.any(String) } });
  }

  it.each(CODES.flatMap((code) => Object.keys(READERS).map((read) => [code, read] as const)))(
    'leaves the connection usable: %s after reading %s',
    async (code, read) => {
      const line = `POST /early?code=${code}&read=${encodeURIComponent(read)}`;
      const { status } = new AppError(code);
      await assertBoth(status, line);
      await assertBoth(status, line, { 'Transfer-Encoding': 'chunked' });
    },
  );

  it('leaves the connection usable after an error in a parsed body', async () => {
    const login = 'POST /api/auth/local/login';
    await assertBoth(413, login, JSON_TYPE);
    await assertBoth(413, login, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' });
    await assertBoth(415, login, { 'Content-Type': 'text/plain' });
    await assertBoth(415, login, { ...JSON_TYPE, 'Content-Encoding': 'br' });
    await assertBoth(404, 'POST /api/nothing', { 'Content-Type': 'text/plain' });
    await assertBoth(400, 'POST /api/auth/%zz', JSON_TYPE);
    await assertBoth(400, login, { ...JSON_TYPE, Host: 'a b' });
  });

  it('leaves the connection usable after errors of uploads and imports', async () => {
    await assertBoth(401, 'POST /api/files', { Authorization: 'Bearer wrong', 'Content-Type': 'image/png' });
    await assertBoth(413, 'POST /api/files', bearer);
    await assertBoth(413, 'POST /api/files', { ...bearer, 'Transfer-Encoding': 'chunked' });
    await assertBoth(507, 'POST /api/files', bearer, LARGE.subarray(0, 900_000));
    const form = { ...bearer, 'Content-Type': 'multipart/form-data; boundary=x' };
    await assertBoth(422, 'POST /api/files', form, Buffer.concat([Buffer.from(WRONG_PART), LARGE]));
    await assertBoth(400, 'POST /api/imports?schema=post&unknown=1', bearer);
    await assertBoth(413, 'POST /api/content/post/import?format=csv', { ...bearer, 'Transfer-Encoding': 'chunked' });
    await assertBoth(413, 'POST /api/imports?schema=post&format=csv', bearer);
    await assertBoth(400, 'POST /api/content/post/import', { ...bearer, 'Content-Encoding': 'gzip' });
  });

  it('leaves the connection usable when there are too many imports', async () => {
    const path = 'POST /api/content/post/import';
    const head = requestHead(path, { ...bearer, 'Content-Length': 50_000 });
    const waiting = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(world.app.url)));
    for (const connection of waiting) connection.send(head, 'title\n');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await assertBoth(503, path, bearer);
    for (const connection of waiting) connection.close();
  });

  it('leaves the connection usable after a rate limit', async () => {
    const body = Buffer.from(JSON.stringify({ login: 'a'.repeat(900_000), password: 'b' }));
    for (let tries = 0; tries < 110; tries += 1) {
      const { first } = await both('POST /api/auth/local/register', JSON_TYPE, Buffer.from('{}'));
      if (first?.status === 429) break;
    }
    await assertBoth(429, 'POST /api/auth/local/register', JSON_TYPE, body);
  });

  it('reaches a client that sends Connection: close and is still sending', async () => {
    for (const line of ['POST /api/auth/local/login', 'POST /early?code=server_busy&read=nothing']) {
      const connection = await RawConnection.open(world.app.url);
      connection.send(requestHead(line, { ...JSON_TYPE, 'Content-Length': LARGE.length, Connection: 'close' }));
      for (let at = 0; at < LARGE.length; at += 1_000_000) {
        connection.send(LARGE.subarray(at, at + 1_000_000));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const answer = await connection.next();
      expect([answer?.status, connection.error]).toEqual([line.includes('early') ? 503 : 413, null]);
      connection.close();
    }
  });

  it('reaches a client that is still sending headers that are too large', async () => {
    const connection = await RawConnection.open(world.app.url);
    connection.send('GET / HTTP/1.1\r\nHost: x\r\nX-A: ');
    for (let at = 0; at < 50; at += 1) {
      connection.send('a'.repeat(20_000));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const answer = await connection.next();
    expect([answer?.status, connection.error]).toEqual([431, null]);
    connection.close();
  });
});

const WRONG_PART = '--x\r\nContent-Disposition: form-data; name="other"; filename="a"\r\n\r\n';
