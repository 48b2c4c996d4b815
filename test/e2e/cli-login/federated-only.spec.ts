import { initiate, nativeApp } from '../../support/native-app.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const ROUTES = ['/api/auth/cli/login/local', '/api/auth/cli/login/otp'];

describe('native-app login in federated-only mode', () => {
  const world = useTestApp({
    env: {
      AUTH_CLI_LOGIN_ENABLED: 'true',
      AUTH_OTP_ENABLED: 'true',
      AUTH_DISABLE_LOCAL_LOGIN: 'true',
      AUTH: JSON.stringify({
        enabled_providers: ['acme'],
        providers: { acme: { client_id: 'id', client_secret: 'secret', issuer: 'http://127.0.0.1:9/' } },
      }),
    },
  });

  it('lets an app start a sign-in that a provider finishes', () => initiate(world.app, nativeApp()));

  it.each(ROUTES)('returns 403 for %s without reading the body', async (route) => {
    const person = await createPerson(world.app);
    const carrier = await initiate(world.app, nativeApp());
    const secrets = { login: person.email, email: person.email, password: PASSWORD, code: '123456' };
    for (const body of [{}, { carrier, ...secrets }]) {
      const answer = await world.app.asGuest().post(route, body).expect(403);
      expect(answer.body.data).toEqual({ error: 'local_login_disabled' });
      expect((await world.app.asGuest().post(route).type('form').send(body)).status).toBe(403);
    }
    expect(await world.app.sql('SELECT * FROM used_carriers')).toEqual([]);
  });
});
