import { OTP_CODE } from '../../../src/sign-in/otp/otp.service.js';
import { OneTimeSecrets } from '../../../src/identity/secrets/one-time-secrets.port.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { TestOidcProvider } from '../../support/oidc-provider.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { APP, comeBack, freshBrowser, startSocialApp } from '../../support/social-fixture.js';
import type { TestApp } from '../../support/test-app.js';

const ENV = { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_OTP_ENABLED: 'true' };
const TARGET = 'https://cli.example.com/cb';

describe('a carrier whose host was removed from the list', () => {
  const provider = new TestOidcProvider([`${APP}/api/auth/acme/callback`]);
  let before: TestApp;
  let after: TestApp;
  const fresh = (): Promise<string> => initiate(before, nativeApp({ redirectUri: TARGET }));

  beforeAll(async () => {
    await provider.start();
    provider.signsIn = { sub: 'ann', email: 'ann@example.com', email_verified: true };
    const providers = { acme: provider.settings() };
    const allowed = { AUTH_CLI_ALLOWED_REDIRECT_HOSTS: 'cli.example.com,other.example.com' };
    before = await startSocialApp(providers, { env: { ...ENV, ...allowed } });
    const { connection, clock } = before;
    const shorter = { AUTH_CLI_ALLOWED_REDIRECT_HOSTS: 'other.example.com,example.com' };
    after = await startSocialApp(providers, { connection, clock, env: { ...ENV, ...shorter } });
  });

  afterAll(async () => {
    await after?.stop();
    await before?.stop();
    await provider.stop();
  });

  const codes = () => before.sql(`SELECT 1 FROM one_time_secrets WHERE purpose = 'exchange'`);

  it.each(['json', 'form'])('gets no code for a correct password, by %s', async (kind) => {
    const person = await createPerson(before);
    const body = { carrier: await fresh(), login: person.email, password: PASSWORD };
    const request = after.asGuest().post('/api/auth/cli/login/local');
    const { status, headers } = await (kind === 'form' ? request.type('form').send(body) : request.send(body));
    if (kind === 'json') expect(status).toBe(400);
    else expect(headers['location']).toBe(`/dash/login?cli=${body.carrier}#error=carrier_invalid`);
    expect(await codes()).toEqual([]);
  });

  it('gets no code for a correct mailed code, which stays valid', async () => {
    const { id, email } = await createPerson(before);
    const request = {
      purpose: OTP_CODE,
      userId: id,
      lifetimeSeconds: 300,
      length: 6,
      attempts: 3,
      data: { email },
    } as const;
    const { secret: code } = await after.get(OneTimeSecrets).issueCode(before.database.manager, request);
    const refused = { carrier: await fresh(), email, code };
    const { body } = await after.asGuest().post('/api/auth/cli/login/otp', refused).expect(400);
    expect(body.data).toEqual({ error: 'carrier_invalid' });
    expect(await codes()).toEqual([]);
    await after.asGuest().post('/api/auth/otp/verify', { email, code }).expect(200);
  });

  it('is not redirected to a provider, and gets no code from an earlier redirect', async () => {
    const carrier = await fresh();
    await after.asGuest().get(`/api/auth/acme/login?cli=${carrier}`).expect(400);
    const browser = freshBrowser(before);
    const back = new URL(await comeBack(browser, 'acme', `?cli=${carrier}`));
    const cookie = browser
      .cookies(APP)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const { body } = await after.asGuest().get(`${back.pathname}${back.search}`).set('cookie', cookie).expect(400);
    expect(body.data).toEqual({ error: 'carrier_invalid' });
    expect(await codes()).toEqual([]);
  });

  it('is not in the content security policy of a page', async () => {
    const carrier = await fresh();
    const policy = async (app: TestApp): Promise<unknown> =>
      (await app.asGuest().get(`/dash/login?cli=${carrier}`)).headers['content-security-policy'];
    expect(await policy(before)).toContain('https://cli.example.com');
    expect(await policy(after)).not.toContain('cli.example.com');
  });

  it('is valid if the host is listed, like one of a remaining host', async () => {
    const person = await createPerson(before);
    const signIn = (app: TestApp, carrier: string) =>
      app.asGuest().post('/api/auth/cli/login/local', { carrier, login: person.email, password: PASSWORD });
    await signIn(before, await fresh()).expect(302);
    await signIn(after, await initiate(before, nativeApp({ redirectUri: 'https://other.example.com/' }))).expect(302);
    await signIn(after, await initiate(before, nativeApp())).expect(302);
  });
});
