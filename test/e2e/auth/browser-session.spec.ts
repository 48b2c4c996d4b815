import { AccountService } from '../../../src/identity/auth/account.service.js';
import { CookieJar, OWN_PAGE, proofFor, SIGN_INS, STAYS, sessionsOf } from '../../support/browser-session.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const ENV = { AUTH_ENABLE_REFRESH_TOKEN: 'true', AUTH_OTP_ENABLED: 'true' };
const ME = '/api/auth/me';
const LOGOUT = '/api/auth/logout';

describe('a browser session', () => {
  const world = useTestApp({ env: ENV });
  const jar = () => new CookieJar(world.app);

  it.each(SIGN_INS)('starts by %s: the refresh token is only in an HttpOnly cookie', async (route) => {
    const { person, body } = await proofFor(world.app, route);
    const browser = jar();
    const answer = await browser.post(route, body);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body as object).sort()).toEqual(['expires', 'token']);
    expect([...browser.cookies.keys()]).toEqual(['refresh_token']);
    expect(browser.cookies.get('refresh_token')).toMatch(/^[\w-]{43}$/);
    const attributes = browser.given.get('refresh_token')!.split('; ').filter(Boolean).sort();
    expect(attributes).toEqual([
      'HttpOnly',
      expect.stringMatching(/^Max-Age=60479\d$|^Max-Age=604800$/),
      'Path=/',
      'SameSite=Lax',
    ]);
    const { token } = answer.body as { token: string };
    expect((await world.app.as(token).get(ME).expect(200)).body.id).toBe(person.id);
  });

  it.each(SIGN_INS)('is not started by %s without the request', async (route) => {
    const { body } = await proofFor(world.app, route);
    const answer = await world.app.asGuest().post(route, body).set(OWN_PAGE).expect(200);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.body.refresh_token).toMatch(/^[\w-]{43}$/);
  });

  it('continues after a reload, with a new refresh token each time', async () => {
    const person = await createPerson(world.app);
    const browser = jar();
    await browser.signIn(person);
    const seen = new Set([browser.cookies.get('refresh_token')]);
    for (let reload = 0; reload < 3; reload += 1) {
      world.app.clock.advance(86_400);
      const answer = await browser.resume();
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.body as object).sort()).toEqual(['expires', 'token']);
      expect(
        (
          await world.app
            .as(answer.body.token as string)
            .get(ME)
            .expect(200)
        ).body.id,
      ).toBe(person.id);
      seen.add(browser.cookies.get('refresh_token'));
    }
    expect(seen.size).toBe(4);
    expect(await sessionsOf(world.app, person)).toHaveLength(1);
  });

  it('continues in 16 concurrent tabs, with one valid branch', async () => {
    const person = await createPerson(world.app);
    const browser = jar();
    await browser.signIn(person);
    const before = browser.header;
    const resume = () =>
      world.app
        .asGuest()
        .post('/api/auth/token/resume', {})
        .set({ ...OWN_PAGE, cookie: before });
    const answers = await Promise.all(Array.from({ length: 16 }, resume));
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect(new Set(answers.map(({ headers }) => headers['set-cookie']?.[0]?.split(';')[0])).size).toBe(1);
    const living = await world.app.sql(
      'SELECT 1 FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE s.user_id = $1 AND t.used_at IS NULL',
      [person.id],
    );
    expect(living).toHaveLength(1);
  });

  it('survives aborted and late requests of closed pages', async () => {
    const person = await createPerson(world.app);
    const browser = jar();
    await browser.signIn(person);
    const left: CookieJar[] = [];
    for (let page = 0; page < 4; page += 1) {
      const before = jar();
      browser.cookies.forEach((value, name) => before.cookies.set(name, value));
      left.push(before);
      expect((await browser.resume()).status).toBe(200);
      world.app.clock.advance(2);
    }
    for (const before of [left[1]!, left[0]!, left[3]!]) {
      expect((await before.resume()).status).toBe(200);
      expect(before.header).toBe(browser.header);
    }
    const late = await Promise.all(Array.from({ length: 16 }, (_, at) => left[at % 4]!.resume()));
    expect(late.map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect(await sessionsOf(world.app, person)).toHaveLength(1);
    expect((await browser.resume()).status).toBe(200);
  });

  it('is revoked when an earlier cookie is reused, however young its successors are', async () => {
    const person = await createPerson(world.app);
    const browser = jar();
    await browser.signIn(person);
    const stolen = jar();
    browser.cookies.forEach((value, name) => stolen.cookies.set(name, value));
    await browser.resume();
    world.app.clock.advance(11);
    expect((await browser.resume()).status).toBe(200);
    expect((await stolen.resume()).body.data.error).toBe('refresh_token_reused');
    expect((await browser.resume()).body.data.error).toBe('refresh_token_invalid');
  });

  it('is revoked when its cookie is reused after the grace period of two tabs', async () => {
    const person = await createPerson(world.app);
    const browser = jar();
    const token = await browser.signIn(person);
    const stolen = jar();
    browser.cookies.forEach((value, name) => stolen.cookies.set(name, value));
    expect((await browser.resume()).status).toBe(200);
    world.app.clock.advance(9);
    expect((await stolen.resume()).status).toBe(200);
    world.app.clock.advance(2);
    browser.cookies.forEach((value, name) => stolen.cookies.set(name, value));
    expect((await browser.resume()).status).toBe(200);
    world.app.clock.advance(11);
    expect((await stolen.resume()).body.data.error).toBe('refresh_token_reused');
    expect((await browser.resume()).body.data.error).toBe('refresh_token_invalid');
    await world.app.as(token).get(ME).expect(401);
  });

  it('has a cookie that only obtains tokens', async () => {
    const browser = jar();
    const person = await createPerson(world.app);
    await browser.signIn(person);
    const before = browser.header;
    const cookie = { ...STAYS, cookie: before };
    for (const path of [ME, '/api/auth/sessions', '/api/auth/identities', '/api/content/user', '/api/schema']) {
      expect((await world.app.asGuest().get(path).set(cookie).expect(401)).body.data.error).toBe('token_missing');
    }
    expect((await world.app.asGuest().post(LOGOUT).set(cookie).expect(401)).body.data.error).toBe('token_missing');
    await world.app.asGuest().post('/api/auth/token/refresh', {}).set(cookie).expect(422);
    const value = browser.cookies.get('refresh_token')!;
    await world.app.as(value).get(ME).expect(401);
    await world.app.asGuest().get(ME).set('cookie', `token=${value}`).expect(401);
    expect((await browser.resume()).status).toBe(200);
  });

  it('is one per browser: a new sign-in revokes the previous session of any user', async () => {
    const [ann, bob] = [await createPerson(world.app), await createPerson(world.app)];
    const browser = jar();
    const first = await browser.signIn(ann);
    const second = await browser.signIn(ann);
    await world.app.as(first).get(ME).expect(401);
    const { body } = await world.app.as(second).get('/api/auth/sessions').expect(200);
    expect((body.data as { current: boolean }[]).map(({ current }) => current)).toEqual([true]);
    await browser.signIn(bob);
    expect(await sessionsOf(world.app, ann)).toEqual([]);
    expect((await browser.resume()).status).toBe(200);
    // A wrong password ends no session.
    const refused = await browser.post('/api/auth/local/login', { login: ann.email, password: 'not the password' });
    expect(refused.status).toBe(401);
    expect(refused.headers['set-cookie']).toBeUndefined();
    expect(await sessionsOf(world.app, bob)).toHaveLength(1);
    // Another browser and an app have separate sessions.
    await jar().signIn(bob);
    await world.app.asGuest().post('/api/auth/local/login', { login: bob.email, password: PASSWORD }).expect(200);
    expect(await sessionsOf(world.app, bob)).toHaveLength(3);
  });

  it('ends by signing out in every tab, and deletes the cookie', async () => {
    const browser = jar();
    const token = await browser.signIn(await createPerson(world.app));
    const other = (await browser.resume()).body.token as string;
    const kept = browser.header;
    const answer = await world.app
      .as(token)
      .post(LOGOUT)
      .set({ ...STAYS, cookie: browser.header })
      .expect(200);
    browser.keep(answer);
    expect(browser.header).toBe('');
    for (const one of [token, other]) await world.app.as(one).get(ME).expect(401);
    const stale = await world.app
      .asGuest()
      .post('/api/auth/token/resume', {})
      .set({ ...OWN_PAGE, cookie: kept });
    expect([stale.status, stale.body.data.error]).toEqual([401, 'refresh_token_invalid']);
    expect((await browser.resume()).body.data.error).toBe('token_missing');
  });

  it('ends with its account, and does not return with it', async () => {
    const accounts = world.app.get(AccountService);
    const person = await createPerson(world.app);
    const browser = jar();
    await browser.signIn(person);
    await accounts.deactivate(person.id);
    expect(await sessionsOf(world.app, person)).toEqual([]);
    expect((await browser.resume()).status).toBe(401);
    await accounts.activate(person.id);
    expect((await browser.resume()).status).toBe(401);
    await browser.signIn(person);
    await accounts.setPassword(person.id, 'another sturdy walnut');
    expect((await browser.resume()).status).toBe(401);
  });

  it('expires', async () => {
    const browser = jar();
    await browser.signIn(await createPerson(world.app));
    world.app.clock.advance(604_800);
    expect((await browser.resume()).body.data.error).toBe('refresh_token_expired');
  });

  it('is requested by one exact value', async () => {
    const { body } = await proofFor(world.app, '/api/auth/local/login');
    for (const value of ['Cookie', 'token', '1', 'cookie, cookie', '']) {
      const headers = { ...OWN_PAGE, 'lintel-session': value };
      const answer = await world.app.asGuest().post('/api/auth/local/login', body).set(headers).expect(422);
      expect(answer.body.data.errors).toEqual([
        { field: 'Lintel-Session', code: 'value_invalid', message: 'must be cookie' },
      ]);
    }
  });

  it('leaves no trace of its cookie in the log or a table', async () => {
    const browser = jar();
    await browser.signIn(await createPerson(world.app));
    await browser.resume();
    const value = browser.cookies.get('refresh_token')!;
    expect(world.app.log.join('')).not.toContain(value);
    expect(JSON.stringify(await world.app.sql('SELECT * FROM refresh_tokens'))).not.toContain(value);
  });
});

describe('without refresh tokens', () => {
  const world = useTestApp({ env: { AUTH_OTP_ENABLED: 'true' } });

  it.each(SIGN_INS)('stores the access token in the cookie `token`, by %s', async (route) => {
    const { person, body } = await proofFor(world.app, route);
    const browser = new CookieJar(world.app);
    const answer = await browser.post(route, body);
    const { token } = answer.body as { token: string };
    expect(browser.header).toBe(`token=${token}`);
    const attributes = browser.given.get('token')!.split('; ').filter(Boolean).sort();
    expect(attributes).toEqual([
      'HttpOnly',
      expect.stringMatching(/^Max-Age=60(479\d|4800)$/),
      'Path=/',
      'SameSite=Lax',
    ]);
    const resumed = await browser.resume();
    expect(resumed.body).toEqual(answer.body);
    expect((await world.app.asGuest().get(ME).set('cookie', browser.header).expect(200)).body.id).toBe(person.id);
    await browser.signIn(person);
    expect(await sessionsOf(world.app, person)).toHaveLength(1);
    await world.app.as(token).get(ME).expect(401);
  });

  it('removes a rejected token from the browser', async () => {
    const ends: ((browser: CookieJar, token: string) => Promise<unknown>)[] = [
      async (_browser, token) => world.app.as(token).post(LOGOUT).expect(200),
      async () => world.app.clock.advance(604_801),
    ];
    for (const end of ends) {
      const browser = new CookieJar(world.app);
      await end(browser, await browser.signIn(await createPerson(world.app)));
      expect((await browser.resume()).status).toBe(401);
      expect(browser.header).toBe('');
    }
  });

  it('rejects anything that is not a valid access token', async () => {
    const { refreshToken } = { refreshToken: 'x'.repeat(43) };
    for (const value of ['', 'x', 'a.b.c', refreshToken, 'eyJhbGciOiJub25lIn0.e30.', 'x'.repeat(5_000)]) {
      const browser = new CookieJar(world.app);
      browser.cookies.set('token', value);
      expect((await browser.resume()).body.data.error).toBe('token_missing');
    }
  });
});
