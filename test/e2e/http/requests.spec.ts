import { connect } from 'node:net';
import { Controller, Get, Module } from '@nestjs/common';
import { Public } from '../../../src/identity/auth/access/access.decorators.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const LOGIN = '/api/auth/local/login';

@Controller('test')
class FaultyController {
  @Get('fault')
  @Public()
  fault(): never {
    throw new Error('SELECT secret FROM /etc/passwd');
  }
}

@Module({ controllers: [FaultyController] })
class FaultyModule {}

describe('invalid requests', () => {
  const world = useTestApp({ modules: [FaultyModule] });

  function raw(bytes: string | Buffer): Promise<string> {
    const { port } = new URL(world.app.url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.end(bytes));
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    });
  }

  const post = (body: string, type = 'application/json') =>
    world.app.asGuest().post(LOGIN).set('content-type', type).send(body);

  it('returns 404 for an unknown route, with any method', async () => {
    for (const request of [
      world.app.asGuest().get('/nope'),
      world.app.asGuest().post('/api/nope', {}),
      world.app.asGuest().delete('/nothing/at/all'),
    ]) {
      const { body, headers } = await request.expect(404);
      expect(body).toEqual({ code: '404', message: expect.any(String), data: { error: 'route_not_found' } });
      expect(headers['x-request-id']).toBeDefined();
    }
  });

  it('returns 405 with the allowed methods for an unsupported method', async () => {
    const { body, headers } = await world.app.asGuest().put('/api/auth/me').expect(405);
    expect(body.data).toEqual({ error: 'method_not_allowed' });
    expect(headers['allow']).toBe('GET, HEAD, DELETE, PATCH');
  });

  it.each(['{', '{"login":}', '', 'null', '[]', '"text"', '1', '{"__proto__":{"admin":true},"login":"a"}', '{"a":1}}'])(
    'returns 400 or 422 for the body %j, and no 500',
    async (text) => {
      const { status, body } = await post(text);
      expect([status, body.data.error]).toEqual(text === '' ? [422, 'validation_failed'] : [400, 'body_malformed']);
    },
  );

  it.each(['br', 'gzip', 'deflate', 'zstd', 'identity, br', 'GZIP', 'x-nothing'])(
    'does not read a body with the encoding %s as plain text',
    async (encoding) => {
      for (const body of ['{"login":"a","password":"b"}', '{']) {
        const answer = await world.app
          .asGuest()
          .post(LOGIN)
          .set({ 'content-type': 'application/json', 'content-encoding': encoding })
          .send(body)
          .expect(415);
        expect(answer.body).toMatchObject({ code: '415', data: { error: 'content_encoding_unsupported' } });
        expect(answer.headers['accept-encoding']).toBe('identity');
      }
    },
  );

  it('accepts the encoding identity, and ignores encodings without a body', async () => {
    const plain = world.app
      .asGuest()
      .post(LOGIN)
      .set({ 'content-type': 'application/json', 'content-encoding': 'Identity' });
    await plain.send('{"login":"a","password":"b"}').expect(401);
    await world.app.asGuest().get('/healthz').set('content-encoding', 'br').expect(200);
  });

  it('returns a client error for invalid UTF-8, deep nesting and too many bytes', async () => {
    const head = `POST ${LOGIN} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n`;
    const broken = Buffer.concat([Buffer.from(head), Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])]);
    expect(await raw(broken)).toMatch(/^HTTP\/1\.1 400 .*body_malformed/s);
    expect((await post(`{"login":${'['.repeat(300_000)}`).expect(400)).body.data.error).toBe('body_too_deep');
    expect((await post(JSON.stringify({ login: 'x'.repeat(1_100_000) })).expect(413)).body.data.error).toBe(
      'body_too_large',
    );
  });

  const members = (count: number, value: unknown = 1): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));

  it.each<[string, unknown]>([
    ['one object', members(1_001)],
    ['one object that is as large as a body can be', members(60_000)],
    ['an object within', { login: members(1_001) }],
    ['an object in a list', { login: [[members(1_001)]] }],
    ['all objects', { login: members(20, members(600)) }],
    ['all objects of a list', { login: Array.from({ length: 200 }, () => members(60)) }],
  ])('rejects too many members in %s before parsing them', async (_, body) => {
    // The time to create instances grows with the square of the members: 50,000 take two seconds.
    expect((await post(JSON.stringify(body)).expect(413)).body.data.error).toBe('body_too_large');
  });

  it('rejects many unknown members, and names the first ones', async () => {
    const { body } = await post(JSON.stringify({ ...members(998), login: 'a', password: 'b' })).expect(422);
    expect(body.data.errors).toHaveLength(20);
    expect(body.data.errors[0]).toMatchObject({ field: 'k0', code: 'unknown_member' });
    // Lists have a separate limit: 20,000 items in total.
    const withList = (items: number) => post(JSON.stringify({ login: Array<number>(items).fill(1), password: 'b' }));
    await withList(20_000).expect(422);
    expect((await withList(20_001).expect(413)).body.data.error).toBe('body_too_large');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
    '*/*',
  ])('rejects a body of type %s', async (type) => {
    const { body } = await post('login=a&password=b', type).expect(415);
    expect(body.data).toEqual({ error: 'content_type_unsupported' });
  });

  it('returns only the request id of an unexpected error, and logs the rest', async () => {
    const { body, headers } = await world.app.asGuest().get('/test/fault').expect(500);
    expect(body).toEqual({
      code: '500',
      message: 'An internal error occurred.',
      data: { error: 'internal_error', request_id: headers['x-request-id'] },
    });
    const line = world.app.log.find(
      (text) => text.includes(String(headers['x-request-id'])) && text.includes('passwd'),
    );
    expect(line).toBeDefined();
  });

  it('survives bytes that are not HTTP, large headers, unknown methods and invalid URLs', async () => {
    expect(await raw('\x16\x03\x01\x02\x00rubbish\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*request_malformed/s);
    expect(await raw(`GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 .*headers_too_large/s,
    );
    expect(await raw('BREW /api/auth/me HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*request_malformed/s);
    expect(await raw('PURGE /api/auth/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 40[45] /,
    );
    for (const path of [
      '/api/auth/%zz',
      '/%',
      '/api/auth/%00',
      '/../../etc/passwd',
      '//',
      '/api/auth/me%2f',
      '/api//auth/me',
    ]) {
      expect(await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 (400|401|404) .*"data":\{"error":/s,
      );
    }
    await world.app.asGuest().get('/healthz').expect(200);
  });

  it('sends the security headers', async () => {
    const { headers } = await world.app.asGuest().get('/api/auth/methods').expect(200);
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['server']).toBeUndefined();
  });

  it('ignores the request id of the client unless a proxy is trusted', async () => {
    const { headers } = await world.app.asGuest().get('/healthz').set('x-request-id', 'mine').expect(200);
    expect(headers['x-request-id']).not.toBe('mine');
  });

  it.each([
    ['10.0.0.0/8', false],
    ['127.0.0.0/8', true],
  ])('keeps the request id of a proxy in TRUST_PROXY only: %s', async (trusted, isKept) => {
    const app = await TestApp.start({ env: { TRUST_PROXY: trusted } });
    const { headers } = await app.asGuest().get('/healthz').set('x-request-id', 'mine').expect(200);
    expect(headers['x-request-id'] === 'mine').toBe(isKept);
    await app.stop();
  });

  it('logs no body, query, token or cookie', async () => {
    await world.app
      .asGuest()
      .post(`${LOGIN}?query-secret=query-secret`, { login: 'login-secret', password: 'password-secret' })
      .expect(400);
    await world.app.asGuest().post(LOGIN, { login: 'login-secret', password: 'password-secret' }).expect(401);
    await world.app
      .asGuest()
      .get('/api/auth/me')
      .set('authorization', 'Bearer header-secret')
      .set('cookie', 'token=cookie-secret');
    expect(world.app.log.join('\n')).not.toMatch(/(query|login|password|header|cookie)-secret/);
  });
});
