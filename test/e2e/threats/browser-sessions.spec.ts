import { CookieJar, OWN_PAGE, proofFor, SIGN_INS, STAYS, sessionsOf } from '../../support/browser-session.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const ENV = { AUTH_ENABLE_REFRESH_TOKEN: 'true', AUTH_OTP_ENABLED: 'true' };
const ME = '/api/auth/me';

/** Headers of requests from other pages. */
const ELSEWHERE: readonly Readonly<Record<string, string>>[] = [
  {},
  { origin: 'null' },
  { origin: '' },
  { origin: 'https://evil.example' },
  { origin: 'http://lintel.test.evil.example' },
  { origin: 'http://evil.example/http://lintel.test' },
  { origin: 'http://lintel.test:8443' },
  { origin: 'http://blog.lintel.test', 'sec-fetch-site': 'same-site' },
  { origin: 'https://friend.example' },
  { origin: 'https://friend.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://lintel.test', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://lintel.test', 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': '' },
  { 'sec-fetch-site': 'same-origin, cross-site' },
  { referer: 'http://lintel.test/dash/login' },
];

describe.each(['true', 'false'])('a browser session with refresh tokens: %s', (refresh) => {
  const env = { ...ENV, AUTH_ENABLE_REFRESH_TOKEN: refresh, CORS_ORIGINS: 'https://friend.example' };
  const world = useTestApp({ env });

  it.each(SIGN_INS)('cannot be started by another site: %s (login CSRF)', async (route) => {
    const { person, body } = await proofFor(world.app, route);
    const victim = new CookieJar(world.app);
    await victim.signIn(await createPerson(world.app));
    const before = victim.header;
    for (const headers of ELSEWHERE) {
      const answer = await victim.post(route, body, { 'lintel-session': 'cookie', ...headers });
      expect([headers, answer.status, answer.body.data.error]).toEqual([headers, 403, 'cross_site_request']);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect(victim.header).toBe(before);
    expect(await sessionsOf(world.app, person)).toEqual([]);
    // The proof was not read, so it is still valid.
    expect((await victim.post(route, body)).status).toBe(200);
  });

  it('cannot be continued or ended by another site', async () => {
    const person = await createPerson(world.app);
    const victim = new CookieJar(world.app);
    const token = await victim.signIn(person);
    const before = victim.header;
    for (const headers of ELSEWHERE) {
      expect((await victim.resume(headers)).body.data.error).toBe('cross_site_request');
      const out = world.app.as(token).post('/api/auth/logout');
      await out.set({ 'lintel-session': 'cookie', ...headers, cookie: before }).expect(403);
    }
    expect(victim.header).toBe(before);
    expect((await victim.resume()).status).toBe(200);
  });

  it('cannot be used by a form', async () => {
    const victim = new CookieJar(world.app);
    await victim.signIn(await createPerson(world.app));
    const { body } = await proofFor(world.app, '/api/auth/local/login');
    for (const path of [...SIGN_INS, '/api/auth/token/resume', '/api/auth/logout']) {
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
        const post = world.app
          .asGuest()
          .post(path)
          .set({ ...STAYS, cookie: victim.header, 'content-type': type });
        const answer = await post.send(new URLSearchParams(body).toString());
        expect([path, type, answer.status]).toEqual([path, type, 415]);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
    }
  });

  it('cannot be used by an allowed origin: its browser may not send the header', async () => {
    const preflight = world.app.asGuest().options('/api/auth/local/login').set({
      origin: 'https://friend.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,lintel-session',
    });
    const { headers } = await preflight;
    expect(String(headers['access-control-allow-headers'])).not.toMatch(/lintel-session/i);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('is not a session that was planted in the browser (fixation)', async () => {
    const [mallory, ann] = [await createPerson(world.app), await createPerson(world.app)];
    const attacker = new CookieJar(world.app);
    const theirs = await attacker.signIn(mallory);
    const victim = new CookieJar(world.app);
    attacker.cookies.forEach((value, name) => victim.cookies.set(name, value));
    const mine = await victim.signIn(ann);
    expect((await world.app.as(mine).get(ME).expect(200)).body.id).toBe(ann.id);
    await world.app.as(theirs).get(ME).expect(401);
    expect((await attacker.resume()).status).toBe(401);
    const resumed = await victim.resume();
    expect(
      (
        await world.app
          .as(resumed.body.token as string)
          .get(ME)
          .expect(200)
      ).body.id,
    ).toBe(ann.id);
  });

  it('uses neither of two cookies with its name (cookie tossing)', async () => {
    const [mallory, ann] = [new CookieJar(world.app), new CookieJar(world.app)];
    await mallory.signIn(await createPerson(world.app));
    const person = await createPerson(world.app);
    await ann.signIn(person);
    for (const cookie of [
      `${mallory.header}; ${ann.header}`,
      `${ann.header}; ${mallory.header}`,
      `${ann.header};${ann.header}`,
      `${ann.header}; ${mallory.header.replace('=', ' =')}`,
      `${ann.header};\t${mallory.header.replace('=', '\t=')}`,
    ]) {
      const answer = await world.app
        .asGuest()
        .post('/api/auth/token/resume', {})
        .set({ ...OWN_PAGE, cookie });
      expect([cookie.length, answer.status, answer.body.data.error]).toEqual([cookie.length, 401, 'token_missing']);
    }
    expect((await ann.resume()).status).toBe(200);
    // Signing in does not end a session that may belong to another user.
    const both = { ...STAYS, cookie: `${mallory.header}; ${ann.header}` };
    const body = { login: person.email, password: PASSWORD };
    await world.app.asGuest().post('/api/auth/local/login', body).set(both).expect(200);
    expect((await mallory.resume()).status).toBe(200);
  });

  it('survives 16 concurrent sign-ins and renewals, and each token belongs to one user', async () => {
    const [ann, bob] = [await createPerson(world.app), await createPerson(world.app)];
    const browser = new CookieJar(world.app);
    await browser.signIn(ann);
    const headers = { ...STAYS, cookie: browser.header };
    const works = Array.from({ length: 16 }, (_, index) =>
      index % 2 === 0
        ? world.app.asGuest().post('/api/auth/token/resume', {}).set(headers)
        : world.app.asGuest().post('/api/auth/local/login', { login: bob.email, password: PASSWORD }).set(headers),
    );
    const answers = await Promise.all(works);
    for (const [index, answer] of answers.entries()) {
      if (index % 2 === 1) expect(answer.status).toBe(200);
      else expect([200, 401]).toContain(answer.status);
    }
    expect(await sessionsOf(world.app, ann)).toEqual([]);
    for (const answer of answers.filter((_, index) => index % 2 === 1)) {
      const { body } = await world.app
        .as(answer.body.token as string)
        .get(ME)
        .expect(200);
      expect(body.id).toBe(bob.id);
    }
  });
});

describe('over https', () => {
  const APP_URL = 'https://id.lintel.test';

  describe('with refresh tokens', () => {
    const world = useTestApp({ env: { ...ENV, APP_URL } });

    it('the cookie has the __Host- prefix, and no other cookie is read', async () => {
      const browser = new CookieJar(world.app);
      await browser.signIn(await createPerson(world.app));
      expect([...browser.cookies.keys()]).toEqual(['__Host-refresh_token']);
      const attributes = browser.given.get('__Host-refresh_token')!.split('; ').filter(Boolean);
      expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure']));
      expect(attributes.some((attribute) => /^domain/i.test(attribute))).toBe(false);
      const value = browser.cookies.get('__Host-refresh_token')!;
      for (const name of ['refresh_token', '__host-refresh_token', '__Secure-refresh_token', 'token', 'session']) {
        const sibling = new CookieJar(world.app);
        sibling.cookies.set(name, value);
        expect([name, (await sibling.resume()).body.data.error]).toEqual([name, 'token_missing']);
      }
      expect((await browser.resume()).status).toBe(200);
    });
  });

  describe('without refresh tokens', () => {
    const world = useTestApp({ env: { APP_URL } });

    it('a token planted by a sibling host is not accepted', async () => {
      const mallory = new CookieJar(world.app);
      const token = await mallory.signIn(await createPerson(world.app));
      expect([...mallory.cookies.keys()]).toEqual(['token', '__Host-session']);
      const victim = new CookieJar(world.app);
      victim.cookies.set('token', token);
      expect((await victim.resume()).body.data.error).toBe('token_missing');
      victim.cookies.set('session', mallory.cookies.get('__Host-session')!);
      expect((await victim.resume()).body.data.error).toBe('token_missing');
      const ann = await createPerson(world.app);
      const own = await victim.signIn(ann);
      victim.cookies.set('token', token);
      expect((await victim.resume()).body.data.error).toBe('token_missing');
      victim.cookies.set('token', own);
      expect((await victim.resume()).body.token).toBe(own);
      // A sign-in does not end it either.
      expect((await mallory.resume()).status).toBe(200);
    });
  });
});
