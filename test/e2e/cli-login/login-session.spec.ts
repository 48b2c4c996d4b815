import { CookieJar, OWN_PAGE, sessionsOf } from '../../support/browser-session.js';
import { race } from '../../support/flows.js';
import { initiate, type NativeApp, nativeApp } from '../../support/native-app.js';
import { createPerson, PASSWORD, type Person } from '../../support/people.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

const ME = '/api/auth/me';
const BY_SESSION = '/api/auth/cli/login/session';
const APP = 'http://localhost:5173/';
const OTHER_APP = 'https://other.example.com/in';
const ENV = {
  AUTH_CLI_LOGIN_ENABLED: 'true',
  AUTH_OTP_ENABLED: 'true',
  AUTH_CLI_ALLOWED_REDIRECT_URIS: `${APP}, ${OTHER_APP}`,
  CORS_ORIGINS: 'http://localhost:5173',
};
/** Headers of requests from other pages. */
const ELSEWHERE: readonly Readonly<Record<string, string>>[] = [
  {},
  { origin: 'null' },
  { origin: 'https://evil.example' },
  { origin: 'http://localhost:5173' },
  { origin: 'http://localhost:5173', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://blog.lintel.test', 'sec-fetch-site': 'same-site' },
  { origin: 'http://lintel.test', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://lintel.test.evil.example' },
  { origin: 'http://lintel.test:8443' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': '' },
  { 'sec-fetch-site': 'same-origin, cross-site' },
  { referer: 'http://lintel.test/dash/login' },
];

/** Opens the link of an app, and returns its carrier. */
async function linked(app: TestApp, { redirectUri, correlation, challenge }: NativeApp): Promise<string> {
  const query = { redirect_uri: redirectUri, state: correlation, code_challenge: challenge };
  const text = new URLSearchParams({ ...query, code_challenge_method: 'S256' }).toString();
  const { headers } = await app.asGuest().get(`/api/auth/authorize?${text}`).expect(302);
  return new URL(headers['location'] as string, app.url).searchParams.get('cli')!;
}

/** A web app whose user is on the Lintel page, and the response that returns to the app. */
class WebApp {
  readonly native: NativeApp;

  constructor(
    readonly app: TestApp,
    redirectUri = APP,
  ) {
    this.native = nativeApp({ redirectUri });
  }

  carrier(): Promise<string> {
    return linked(this.app, this.native);
  }

  exchange(location: string) {
    const address = new URL(location);
    expect(address.origin + address.pathname).toBe(this.native.redirectUri);
    expect(address.searchParams.get('state')).toBe(this.native.correlation);
    const body = { code: address.searchParams.get('code'), code_verifier: this.native.verifier };
    return this.app.asGuest().post('/api/auth/exchange', body);
  }

  /** Returns the tokens that the app gets after "Continue as …". */
  async continueIn(browser: CookieJar): Promise<{ token: string; refresh_token?: string }> {
    const answer = await browser.post(BY_SESSION, { carrier: await this.carrier() }, OWN_PAGE);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([302, undefined]);
    return (await this.exchange(answer.headers['location'] as string).expect(200)).body;
  }
}

describe.each(['true', 'false'])('a web app and the browser session, with refresh tokens: %s', (refresh) => {
  const world = useTestApp({ env: { ...ENV, AUTH_ENABLE_REFRESH_TOKEN: refresh } });
  const me = (token: string) => world.app.as(token).get(ME);

  async function signedInBrowser(): Promise<{ browser: CookieJar; person: Person; token: string }> {
    const [browser, person] = [new CookieJar(world.app), await createPerson(world.app)];
    return { browser, person, token: await browser.signIn(person) };
  }

  it('a sign-in to the app on the Lintel page also signs in there: it is one session', async () => {
    const [browser, person, web] = [new CookieJar(world.app), await createPerson(world.app), new WebApp(world.app)];
    const form = { carrier: await web.carrier(), login: person.email, password: PASSWORD };
    const answer = await browser.post('/api/auth/cli/login/local', form, OWN_PAGE);
    expect(answer.status).toBe(302);
    const { body } = await web.exchange(answer.headers['location'] as string).expect(200);
    expect((await me(body.token).expect(200)).body.id).toBe(person.id);
    expect((await browser.resume()).status).toBe(200);
    expect(await sessionsOf(world.app, person)).toHaveLength(1);
    for (const [, attributes] of browser.given) expect(attributes).toMatch(/HttpOnly/);
  });

  it('continues without a password: reloads, tabs and other apps leave no session behind', async () => {
    const { browser, person } = await signedInBrowser();
    const [one, other] = [new WebApp(world.app), new WebApp(world.app, OTHER_APP)];
    const sets = [await one.continueIn(browser), await one.continueIn(browser), await other.continueIn(browser)];
    for (const { token } of sets) expect((await me(token).expect(200)).body.id).toBe(person.id);
    expect(await sessionsOf(world.app, person)).toHaveLength(1);
    if (refresh === 'false') return;
    // Each has separate tokens: a refresh in one tab affects neither the other tab nor the page.
    for (const { refresh_token } of sets)
      await world.app.asGuest().post('/api/auth/token/refresh', { refresh_token }).expect(200);
    expect((await browser.resume()).status).toBe(200);
  });

  it.each<[string, (world: { browser: CookieJar; token: string; appToken: string }) => Promise<unknown>]>([
    ['on the Lintel page', ({ browser, token }) => logout(browser, token)],
    ['in the app', ({ appToken }) => world.app.as(appToken).post('/api/auth/logout').expect(200)],
    ['in another tab of the app', ({ appToken }) => world.app.as(appToken).post('/api/auth/logout').expect(200)],
  ])('signing out %s signs out of both', async (_where, leave) => {
    const { browser, person, token } = await signedInBrowser();
    const tabs = [await new WebApp(world.app).continueIn(browser), await new WebApp(world.app).continueIn(browser)];
    await leave({ browser, token, appToken: tabs[0]!.token });
    for (const tab of [{ token }, ...tabs]) await me(tab.token).expect(401);
    for (const { refresh_token } of tabs.filter((tab) => tab.refresh_token))
      await world.app.asGuest().post('/api/auth/token/refresh', { refresh_token }).expect(401);
    expect((await browser.resume()).status).toBe(401);
    expect(await sessionsOf(world.app, person)).toEqual([]);
  });

  const logout = (browser: CookieJar, token: string) =>
    world.app
      .as(token)
      .post('/api/auth/logout')
      .set({ ...OWN_PAGE, 'lintel-session': 'cookie', cookie: browser.header })
      .expect(200);

  it('a code whose session ended is invalid', async () => {
    const { browser, token } = await signedInBrowser();
    const web = new WebApp(world.app);
    const answer = await browser.post(BY_SESSION, { carrier: await web.carrier() }, OWN_PAGE);
    await logout(browser, token);
    const { body } = await web.exchange(answer.headers['location'] as string).expect(401);
    expect(body.data.error).toBe('code_invalid');
  });

  it('cannot be requested by other pages: not by a form, a script, or an app of CORS_ORIGINS', async () => {
    const { browser } = await signedInBrowser();
    const carrier = await new WebApp(world.app).carrier();
    for (const headers of ELSEWHERE) {
      for (const kind of ['form', 'json']) {
        const post = world.app.asGuest().post(BY_SESSION).type(kind);
        const answer = await post.set({ ...headers, cookie: browser.header }).send({ carrier });
        expect([headers, kind, answer.status]).toEqual([headers, kind, 403]);
        expect(answer.body.data.error).toBe('cross_site_request');
        expect(answer.headers['location']).toBeUndefined();
      }
    }
    await world.app
      .asGuest()
      .get(`${BY_SESSION}?carrier=${carrier}`)
      .set({ cookie: browser.header })
      .expect((answer) => expect([404, 405]).toContain(answer.status));
    // The carrier was not read, so it is still valid.
    expect((await browser.post(BY_SESSION, { carrier }, OWN_PAGE)).status).toBe(302);
  });

  it('another site cannot sign in the browser here', async () => {
    const mallory = await createPerson(world.app);
    const FRIEND = { origin: 'http://localhost:5173', 'sec-fetch-site': 'cross-site' };
    for (const headers of [{}, FRIEND] as Readonly<Record<string, string>>[]) {
      const victim = new CookieJar(world.app);
      const form = { carrier: await new WebApp(world.app).carrier(), login: mallory.email, password: PASSWORD };
      const answer = await victim.post('/api/auth/cli/login/local', form, headers);
      expect([answer.status, answer.headers['set-cookie']]).toEqual([302, undefined]);
    }
  });

  it('a carrier is valid for one sign-in, also for 16 concurrent requests', async () => {
    const { browser, person } = await signedInBrowser();
    const web = new WebApp(world.app);
    const carrier = await web.carrier();
    const locations: string[] = [];
    const outcome = await race(16, async () => {
      const answer = await browser.post(BY_SESSION, { carrier }, OWN_PAGE);
      if (answer.status === 302) locations.push(answer.headers['location'] as string);
      return answer;
    });
    expect(outcome).toEqual({ 302: 1, 400: 15 });
    const exchanges = await race(16, () => web.exchange(locations[0]!));
    expect(exchanges).toEqual({ 200: 1, 401: 15 });
    expect(await sessionsOf(world.app, person)).toHaveLength(1);
  });

  it('a native app is not continued to: its user signs in', async () => {
    const { browser } = await signedInBrowser();
    for (const redirectUri of ['http://127.0.0.1:49152/callback', APP]) {
      const carrier = await initiate(world.app, nativeApp({ redirectUri }));
      const answer = await browser.post(BY_SESSION, { carrier }, OWN_PAGE);
      expect([answer.status, answer.body.data.error]).toEqual([400, 'carrier_invalid']);
    }
    // The sign-in of a native app does not leave a session in the browser either.
    const [person, fresh] = [await createPerson(world.app), new CookieJar(world.app)];
    const form = { carrier: await initiate(world.app, nativeApp()), login: person.email, password: PASSWORD };
    const answer = await fresh.post('/api/auth/cli/login/local', form, OWN_PAGE);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([302, undefined]);
  });

  it('a modified carrier is rejected: the mark of a web app is signed', async () => {
    const { browser } = await signedInBrowser();
    const [text = '', signature = ''] = (await initiate(world.app, nativeApp())).split('.');
    const payload = JSON.parse(Buffer.from(text, 'base64url').toString()) as object;
    const marked = Buffer.from(JSON.stringify({ ...payload, linked: true })).toString('base64url');
    const good = await new WebApp(world.app).carrier();
    for (const carrier of [
      `${marked}.${signature}`,
      `${good}x`,
      `x${good}`,
      good.split('.')[0]!,
      '',
      '.',
      'x'.repeat(9_000),
    ]) {
      const answer = await browser.post(BY_SESSION, { carrier }, OWN_PAGE);
      expect([carrier.slice(0, 9), [400, 422].includes(answer.status)]).toEqual([carrier.slice(0, 9), true]);
    }
  });

  it.each<[string, (browser: CookieJar, name: string) => Promise<void> | void]>([
    ['no cookie', (browser) => browser.cookies.clear()],
    ['an empty one', (browser, name) => void browser.cookies.set(name, '')],
    ['an unknown one', (browser, name) => void browser.cookies.set(name, 'x'.repeat(43))],
    ['an over-long one', (browser, name) => void browser.cookies.set(name, 'x'.repeat(4_097))],
    ['two of them', (browser, name) => void browser.cookies.set(` ${name}`, 'x'.repeat(43))],
  ])('%s is rejected; a form returns to the page, which asks for a password', async (_name, spoil) => {
    const { browser } = await signedInBrowser();
    await spoil(browser, [...browser.cookies.keys()][0]!);
    const carrier = await new WebApp(world.app).carrier();
    const json = await browser.post(BY_SESSION, { carrier }, OWN_PAGE);
    expect([json.status, json.body.data.error]).toEqual([401, 'token_missing']);
    const form = world.app
      .asGuest()
      .post(BY_SESSION)
      .type('form')
      .set({ ...OWN_PAGE, cookie: browser.header });
    const answer = await form.send({ carrier }).expect(303);
    expect(answer.headers['location']).toBe(`/dash/login?cli=${carrier}#error=token_missing`);
  });

  it('an expired session or one of a deactivated account is rejected', async () => {
    const { browser, person } = await signedInBrowser();
    const web = new WebApp(world.app);
    await world.app.sql(`UPDATE sessions SET expires_at = now() - interval '1 day' WHERE user_id = $1`, [person.id]);
    expect((await browser.post(BY_SESSION, { carrier: await web.carrier() }, OWN_PAGE)).status).toBe(401);
    const other = await signedInBrowser();
    await world.app.sql('UPDATE users SET activated = false WHERE id = $1', [other.person.id]);
    expect((await other.browser.post(BY_SESSION, { carrier: await web.carrier() }, OWN_PAGE)).status).toBe(401);
  });
});

describe('an earlier refresh cookie', () => {
  const world = useTestApp({ env: { ...ENV, AUTH_ENABLE_REFRESH_TOKEN: 'true' } });

  it('is valid for ten seconds after its successor was issued, and is not consumed by this', async () => {
    const [browser, web] = [new CookieJar(world.app), new WebApp(world.app)];
    await browser.signIn(await createPerson(world.app));
    const earlier = browser.header;
    await browser.resume();
    const ask = async () =>
      world.app
        .asGuest()
        .post(BY_SESSION, { carrier: await web.carrier() })
        .set({ ...OWN_PAGE, cookie: earlier });
    expect((await ask()).status).toBe(302);
    world.app.clock.advance(10_001);
    expect((await ask()).status).toBe(401);
    expect((await browser.post(BY_SESSION, { carrier: await web.carrier() }, OWN_PAGE)).status).toBe(302);
    expect((await browser.resume()).status).toBe(200);
  });
});
