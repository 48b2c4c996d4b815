import { signedIn } from '../../support/people.js';
import { rawRequest, requestHead } from '../../support/raw-http.js';
import { useTestApp } from '../../support/test-app.js';

const APP = 'https://app.acme.test';
const OTHERS = [
  'https://evil.test',
  'https://app.acme.test.evil.test',
  'http://app.acme.test',
  'https://app.acme.test:444',
  'null',
];

describe('pages of other origins', () => {
  describe('that are configured', () => {
    const world = useTestApp({ env: { CORS_ORIGINS: `${APP}, http://localhost:5173` } });
    const preflight = (origin: string, path = '/api/content/posts') =>
      world.app
        .asGuest()
        .options(path)
        .set({ origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' });

    it('may send a preflight for the methods and headers of the API', async () => {
      const { headers } = await preflight(APP).expect(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': APP,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-max-age': '600',
        vary: expect.stringContaining('Origin'),
      });
      expect(headers['access-control-allow-headers']).toMatch(
        /Authorization, .*Content-Type, Idempotency-Key, If-Match/,
      );
      await preflight('http://localhost:5173').expect(204);
    });

    it('may read responses and errors, without cookies', async () => {
      const { token } = await signedIn(world.app);
      const good = await world.app.as(token).get('/api/auth/me').set('origin', APP).expect(200);
      const bad = await world.app.asGuest().get('/api/auth/me').set('origin', APP).expect(401);
      for (const { headers } of [good, bad]) {
        expect(headers['access-control-allow-origin']).toBe(APP);
        expect(headers['access-control-expose-headers']).toMatch(/ETag.*X-Request-Id/);
        expect(headers['access-control-allow-credentials']).toBeUndefined();
      }
    });

    it.each(OTHERS)('exclude %s', async (origin) => {
      const asked = await preflight(origin);
      const answered = await world.app.asGuest().get('/api/auth/methods').set('origin', origin).expect(200);
      for (const { headers } of [asked, answered]) expect(headers['access-control-allow-origin']).toBeUndefined();
    });

    it('do not change the response for an unknown path', async () => {
      const { body } = await world.app.asGuest().get('/api/nothing').set('origin', APP).expect(404);
      expect(body.data).toEqual({ error: 'route_not_found' });
      await world.app.asGuest().delete('/api/auth/methods').set('origin', APP).expect(405);
    });
  });

  describe('without configuration', () => {
    const world = useTestApp();

    it('may read nothing', async () => {
      const answered = await world.app.asGuest().get('/api/auth/methods').set('origin', APP).expect(200);
      expect(Object.keys(answered.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    });
  });
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const LOGIN = 'POST /api/auth/local/login';

/** Requests that are answered before or instead of a route, with the status and code of the response. */
const EARLY: readonly (readonly [
  name: string,
  status: number,
  code: string,
  parts: (origin: Origin) => readonly string[],
])[] = [
  ['a path that is no text', 400, 'request_malformed', (origin) => [requestHead('GET /api/auth/%zz', origin)]],
  [
    'a parameter that is too long',
    400,
    'request_malformed',
    (origin) => [requestHead(`GET /api/imports/${'a'.repeat(2_000)}`, origin)],
  ],
  [
    'headers that are too large',
    431,
    'headers_too_large',
    (origin) => [requestHead('GET /', { ...origin, 'X-A': 'a'.repeat(40_000) })],
  ],
  ['an unknown method', 400, 'request_malformed', (origin) => [requestHead('BREW /api/auth/me', origin)]],
  [
    'no Host',
    400,
    'request_malformed',
    (origin) => [requestHead('GET /healthz', origin).replace('Host: localhost\r\n', '')],
  ],
  [
    'two Hosts',
    400,
    'request_malformed',
    (origin) => [requestHead('GET /healthz', { Host: 'a', host: 'b', ...origin })],
  ],
  ['an unknown route', 404, 'route_not_found', (origin) => [requestHead('GET /api/nothing', origin)]],
  [
    'a method that a route does not have',
    405,
    'method_not_allowed',
    (origin) => [requestHead('DELETE /api/auth/methods', origin)],
  ],
  [
    'OPTIONS that is no preflight',
    405,
    'method_not_allowed',
    (origin) => [requestHead('OPTIONS /api/auth/methods', origin)],
  ],
  ['OPTIONS of an unknown route', 404, 'route_not_found', (origin) => [requestHead('OPTIONS /api/nothing', origin)]],
  [
    'malformed JSON',
    400,
    'body_malformed',
    (origin) => [requestHead(LOGIN, { ...JSON_TYPE, 'Content-Length': 1, ...origin }), '{'],
  ],
  [
    'a body that is too large',
    413,
    'body_too_large',
    (origin) => [requestHead(LOGIN, { ...JSON_TYPE, 'Content-Length': 2_000_000, ...origin })],
  ],
  [
    'an unknown type',
    415,
    'content_type_unsupported',
    (origin) => [requestHead(LOGIN, { 'Content-Type': 'a/b', 'Content-Length': 1, ...origin }), 'a'],
  ],
  [
    'an unknown encoding',
    415,
    'content_encoding_unsupported',
    (origin) => [requestHead(LOGIN, { ...JSON_TYPE, 'Content-Encoding': 'br', 'Content-Length': 1, ...origin }), 'a'],
  ],
  ['no token', 401, 'token_missing', (origin) => [requestHead('GET /api/auth/me', origin)]],
  [
    'an unknown expectation',
    401,
    'token_missing',
    (origin) => [requestHead('GET /api/auth/me', { Expect: 'wonders', ...origin })],
  ],
];

type Origin = Readonly<Record<string, string>>;

describe.each([
  ['with origins', { CORS_ORIGINS: `https://first.test,${APP}` }],
  ['without origins', {}],
])('early responses %s', (_, env) => {
  const world = useTestApp({ env });
  const isOn = 'CORS_ORIGINS' in env;

  it.each(EARLY)('have the envelope and all headers: %s', async (_name, status, code, parts) => {
    for (const origin of [APP, 'https://evil.test', null]) {
      const response = await rawRequest(world.app.url, ...parts(origin === null ? {} : { Origin: origin }));
      expect(response).toMatchObject({ status });
      expect(JSON.parse(response!.body)).toEqual({
        code: String(status),
        message: expect.any(String),
        data: { error: code },
      });
      expect(response!.headers).toMatchObject({
        'content-type': expect.stringContaining('application/json'),
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'x-request-id': expect.stringMatching(/./),
        ...(isOn ? { vary: expect.stringContaining('Origin') } : {}),
      });
      // The origin of invalid bytes is unknown, unless it was in the same packet.
      if (origin === null) continue;
      const allowed = isOn && origin === APP;
      expect(response!.headers['access-control-allow-origin']).toBe(allowed ? APP : undefined);
      if (allowed) expect(response!.headers['access-control-expose-headers']).toMatch(/WWW-Authenticate, X-Request-Id/);
    }
  });

  it('have them for bytes that are no HTTP request', async () => {
    const response = await rawRequest(world.app.url, '\x16\x03\x01\x02\x00rubbish\r\n\r\n');
    expect(response).toMatchObject({ status: 400, headers: { 'x-frame-options': 'DENY' } });
    expect(response!.headers['access-control-allow-origin']).toBe(isOn ? 'https://first.test' : undefined);
  });

  it('to OPTIONS of a route that has it', async () => {
    const head = requestHead('OPTIONS /api/files/uploads', { Origin: APP });
    const response = await rawRequest(world.app.url, head);
    expect(response).toMatchObject({ status: 204, headers: { 'tus-version': '1.0.0', 'x-frame-options': 'DENY' } });
  });

  it('to a preflight have the security headers and the request id', async () => {
    const asked = { Origin: APP, 'Access-Control-Request-Method': 'PATCH' };
    const response = await rawRequest(world.app.url, requestHead('OPTIONS /api/auth/methods', asked));
    expect(response).toMatchObject({
      status: isOn ? 204 : 405,
      headers: { 'x-frame-options': 'DENY', 'x-request-id': expect.any(String) },
    });
  });
});

describe('CORS_HEADERS', () => {
  const world = useTestApp({ env: { CORS_ORIGINS: APP, CORS_HEADERS: 'X-Tenant, X-Trace' } });

  it('adds request headers that pages may send', async () => {
    const { headers } = await world.app
      .asGuest()
      .options('/api/content/posts')
      .set({ origin: APP, 'access-control-request-method': 'GET' })
      .expect(204);
    expect(headers['access-control-allow-headers']).toMatch(
      /Authorization, .*X-Requested-With, .*traceparent, .*X-Tenant, X-Trace$/,
    );
  });
});
