import { CookieJar, OWN_PAGE, sessionsOf } from '../../support/browser-session.js';
import { nativeApp } from '../../support/native-app.js';
import { createPerson, type Person } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const APP = 'http://localhost:5173/';

describe.each(['true', 'false'])('an exchange into a cookie, with refresh tokens: %s', (refresh) => {
  const world = useTestApp({
    env: {
      AUTH_CLI_LOGIN_ENABLED: 'true',
      AUTH_CLI_ALLOWED_REDIRECT_URIS: APP,
      AUTH_ENABLE_REFRESH_TOKEN: refresh,
    },
  });

  /** Returns the body to exchange a code that an app got through the session of a browser. */
  async function codeBy(browser: CookieJar): Promise<{ code: string; code_verifier: string }> {
    const { redirectUri, correlation, challenge, verifier } = nativeApp({ redirectUri: APP });
    const query = { redirect_uri: redirectUri, state: correlation, code_challenge: challenge };
    const text = new URLSearchParams({ ...query, code_challenge_method: 'S256' }).toString();
    const { headers } = await world.app.asGuest().get(`/api/auth/authorize?${text}`).expect(302);
    const carrier = new URL(headers['location'] as string, APP).searchParams.get('cli')!;
    const answer = await browser.post('/api/auth/cli/login/session', { carrier }, OWN_PAGE);
    const code = new URL(answer.headers['location'] as string).searchParams.get('code')!;
    return { code, code_verifier: verifier };
  }

  async function expectSignedIn(browser: CookieJar, token: string, person: Person): Promise<void> {
    expect((await world.app.as(token).get('/api/auth/me').expect(200)).body).toMatchObject({ id: person.id });
    const resumed = await browser.resume();
    expect(resumed.status).toBe(200);
    await world.app
      .as((resumed.body as { token: string }).token)
      .get('/api/auth/me')
      .expect(200);
  }

  it('of the current session keeps it valid', async () => {
    const person = await createPerson(world.app);
    const browser = new CookieJar(world.app);
    await browser.signIn(person);
    const answer = await browser.post('/api/auth/exchange', await codeBy(browser));
    await expectSignedIn(browser, (answer.body as { token: string }).token, person);
    expect(await sessionsOf(world.app, person)).toHaveLength(1);
  });

  it('of another session revokes the one of the browser', async () => {
    const [person, former] = [await createPerson(world.app), await createPerson(world.app)];
    const [browser, target] = [new CookieJar(world.app), new CookieJar(world.app)];
    await browser.signIn(person);
    await target.signIn(former);
    const answer = await target.post('/api/auth/exchange', await codeBy(browser));
    await expectSignedIn(target, (answer.body as { token: string }).token, person);
    expect(await sessionsOf(world.app, former)).toEqual([]);
    expect(await sessionsOf(world.app, person)).toHaveLength(1);
  });

  it('in a browser without a session starts one', async () => {
    const person = await createPerson(world.app);
    const [browser, target] = [new CookieJar(world.app), new CookieJar(world.app)];
    await browser.signIn(person);
    const answer = await target.post('/api/auth/exchange', await codeBy(browser));
    await expectSignedIn(target, (answer.body as { token: string }).token, person);
  });
});
