import { CookieJar, STAYS } from '../../support/browser-session.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { codeAt, halfway, secured, stepNow } from '../../support/second-factors.js';
import { useTestApp } from '../../support/test-app.js';

const LOGIN = '/api/auth/local/login';

describe('two instances on one host over http', () => {
  const first = useTestApp({ env: { APP_URL: 'http://localhost:8000', AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
  const second = useTestApp({ env: { APP_URL: 'http://localhost:8001', AUTH_ENABLE_REFRESH_TOKEN: 'true' } });

  it('keep separate sessions in one browser over three refreshes', async () => {
    const jars = [new CookieJar(first.app), new CookieJar(second.app)];
    // Browsers do not separate cookies by port (RFC 6265 §8.5).
    Object.defineProperty(jars[1], 'cookies', { value: jars[0]!.cookies });
    for (const jar of jars) await jar.signIn(await createPerson(jar.app));
    expect([...jars[0]!.cookies.keys()].sort()).toEqual(['refresh_token_8000', 'refresh_token_8001']);
    for (let round = 0; round < 3; round += 1) {
      for (const jar of jars) {
        const { status, body } = await jar.resume();
        expect(status).toBe(200);
        await jar.app
          .as((body as { token: string }).token)
          .get('/api/auth/me')
          .expect(200);
      }
    }
  });
});

describe('the cookie of a remembered browser', () => {
  const world = useTestApp();

  it.each([
    ['http://lintel.test', ['remembered'], ['__Host-remembered', '__Secure-remembered', 'remembered_8000']],
    ['https://lintel.test', ['__Host-remembered'], ['remembered', '__Secure-remembered', 'remembered_8000']],
    ['http://localhost:8000', ['remembered_8000'], ['remembered', '__Host-remembered', 'remembered_8001']],
    ['http://127.0.0.1:8000', ['remembered_8000'], ['remembered', 'remembered_8001']],
    ['http://[::1]:8000', ['remembered_8000'], ['remembered', 'remembered_8001']],
    ['https://localhost:8000', ['__Host-remembered'], ['remembered', 'remembered_8000']],
  ])('of %s is %j, and no other name is read', async (appUrl, good, bad) => {
    const { person, secret } = await secured(world.app);
    const app = await world.app.secondInstance({ env: { APP_URL: appUrl } });
    try {
      const jar = new CookieJar(app);
      const body = { mfa_token: await halfway(app, person), method: 'totp', code: codeAt(secret, stepNow(app)) };
      expect((await jar.post('/api/auth/mfa/verify', { ...body, remember: true })).status).toBe(200);
      const names = [...jar.cookies.keys()].filter((name) => name.includes('remembered'));
      expect(names).toEqual(good);
      const value = jar.cookies.get(names[0]!)!;
      const statusWith = async (name: string): Promise<number> => {
        const request = app.asGuest().post(LOGIN, { login: person.email, password: PASSWORD });
        return (await request.set({ ...STAYS, cookie: `${name}=${value}` })).status;
      };
      for (const name of good) expect([name, await statusWith(name)]).toEqual([name, 200]);
      for (const name of bad) expect([name, await statusWith(name)]).toEqual([name, 401]);
    } finally {
      await app.stop();
    }
  });
});
