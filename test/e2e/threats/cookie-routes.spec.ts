import type { Response } from 'supertest';
import { createPerson, PASSWORD, signedIn } from '../../support/people.js';
import { CookieJar } from '../../support/browser-session.js';
import { useTestApp } from '../../support/test-app.js';

const UNSAFE = ['post', 'put', 'patch', 'delete'] as const;
type Unsafe = (typeof UNSAFE)[number];

interface Route {
  readonly method: Unsafe;
  readonly path: string;
}

/** Headers of requests from another site, with a form and without. */
const ELSEWHERE: readonly Readonly<Record<string, string>>[] = [
  { origin: 'http://evil.test' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://blog.lintel.test', 'sec-fetch-site': 'same-site' },
  {},
];

describe.each(['true', 'false'])('every route that writes, with refresh tokens: %s', (refresh) => {
  const world = useTestApp({
    env: {
      AUTH_ENABLE_REFRESH_TOKEN: refresh,
      AUTH_OTP_ENABLED: 'true',
      AUTH_CLI_LOGIN_ENABLED: 'true',
      RATE_LIMIT_ENABLED: 'false',
    },
  });
  let routes: readonly Route[];
  let cookies: string;
  let token: string;

  beforeAll(async () => {
    const { token: bearer, person } = await signedIn(world.app, { roles: ['admin'] });
    token = bearer;
    const { paths } = (await world.app.as(token).get('/api/openapi.json').expect(200)).body as {
      paths: Record<string, Record<string, unknown>>;
    };
    routes = Object.entries(paths).flatMap(([path, operations]) =>
      UNSAFE.filter((method) => method in operations).map((method) => ({
        method,
        path: path.replace(/\{\w+\}/g, '00000000-0000-7000-8000-0000000000ff'),
      })),
    );
    const browser = new CookieJar(world.app);
    await browser.signIn(person);
    // Without refresh tokens, the cookie of the browser contains the access token itself.
    cookies = refresh === 'true' ? `${browser.header}; token=${token}` : browser.header;
  });

  const send = ({ method, path }: Route, headers: Readonly<Record<string, string>>): Promise<Response> =>
    Promise.resolve(
      method === 'delete'
        ? world.app.asGuest().delete(path).set(headers)
        : world.app.asGuest()[method](path, {}).set(headers),
    );
  const comparable = ({ status, body, headers }: Response) => {
    // Each response has another challenge.
    const { request_id: _, challenge: _new, ...data } = (Object(body) as { data?: Record<string, unknown> }).data ?? {};
    return { status, data, cookie: headers['set-cookie'] };
  };

  it('ignores the cookies of another site or rejects the request', async () => {
    expect(routes.length).toBeGreaterThan(60);
    const state = () =>
      world.app
        .sql(`SELECT (SELECT count(*) FROM sessions WHERE true) AS sessions, (SELECT count(*) FROM users) AS users,
        (SELECT count(*) FROM one_time_secrets) AS secrets, (SELECT count(*) FROM api_keys) AS keys`);
    const before = await state();
    let refused = 0;
    for (const route of routes) {
      const guest = comparable(await send(route, {}));
      for (const headers of ELSEWHERE) {
        const answer = comparable(await send(route, { ...headers, cookie: cookies }));
        const isRefused = answer.status === 403 && answer.data['error'] === 'cross_site_request';
        if (isRefused) refused += 1;
        else expect({ route, headers, ...answer }).toEqual({ route, headers, ...guest });
        expect([route, answer.cookie]).toEqual([route, undefined]);
      }
    }
    // All routes that require a signed-in user.
    expect(refused).toBeGreaterThan(40 * ELSEWHERE.length);
    expect(await state()).toEqual(before);
    await world.app.as(token).get('/api/auth/me').expect(200);
  });

  it('rejects a form of another site, with any name', async () => {
    const person = await createPerson(world.app);
    const form = new URLSearchParams({ login: person.email, password: PASSWORD, email: person.email }).toString();
    for (const { path } of routes.filter(({ method }) => method === 'post')) {
      const answer: Response = await world.app
        .asGuest()
        .post(path)
        .set({ cookie: cookies, origin: 'http://evil.test', 'content-type': 'text/plain' })
        .send(form);
      expect([path, answer.status >= 400 && answer.status < 500]).toEqual([path, true]);
      expect([path, answer.headers['set-cookie']]).toEqual([path, undefined]);
    }
  });
});
