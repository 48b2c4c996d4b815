import { OTP_CODE } from '../../../src/sign-in/otp/otp.service.js';
import { OneTimeSecrets } from '../../../src/identity/secrets/one-time-secrets.port.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const ENV = { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_OTP_ENABLED: 'true', CORS_ORIGINS: 'https://www.lintel.test' };

describe('a sign-in to an app from a page', () => {
  const world = useTestApp({ env: ENV });

  async function send(path: string, headers: Record<string, string>, kind: string): Promise<[number, string?]> {
    const { id, email } = await createPerson(world.app);
    const request = {
      purpose: OTP_CODE,
      userId: id,
      lifetimeSeconds: 300,
      length: 6,
      attempts: 3,
      data: { email },
    } as const;
    const { secret: code } = await world.app.get(OneTimeSecrets).issueCode(world.app.database.manager, request);
    const proof = path === 'local' ? { login: email, password: PASSWORD } : { email, code };
    const body = { carrier: await initiate(world.app, nativeApp()), ...proof };
    const post = world.app.asGuest().post(`/api/auth/cli/login/${path}`).set(headers);
    const answer = await (kind === 'form' ? post.type('form').send(body) : post.send(body));
    return [answer.status, answer.body?.data?.error as string | undefined];
  }

  describe.each(['local', 'otp'])('cli/login/%s', (path) => {
    it.each<Record<string, string>>([
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'https://lintel.test.evil.example' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'https://blog.lintel.test' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    ])('rejects %j, as form and as JSON, and creates no code', async (headers) => {
      expect(await send(path, headers, 'form')).toEqual([403, 'cross_site_request']);
      expect(await send(path, headers, 'json')).toEqual([403, 'cross_site_request']);
      expect(await world.app.sql(`SELECT 1 FROM one_time_secrets WHERE purpose = 'exchange'`)).toEqual([]);
    });
  });

  // Our own page sends no referrer, so browsers send the origin "null". Then `Sec-Fetch-Site` decides.
  it.each<Record<string, string>>([
    {},
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
    { origin: 'http://lintel.test' },
    { origin: 'https://www.lintel.test', 'sec-fetch-site': 'same-site' },
  ])('accepts %j', async (headers) => {
    for (const path of ['local', 'otp']) expect((await send(path, headers, 'form'))[0]).toBe(302);
  });
});
