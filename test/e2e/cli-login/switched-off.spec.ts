import { CliLoginModule } from '../../../src/sign-in/cli-login/cli-login.module.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const ROUTES = ['/api/auth/cli/initiate', '/api/auth/cli/login/local', '/api/auth/cli/login/otp'];

describe('native-app login, switched off', () => {
  const world = useTestApp();

  it.each(ROUTES)('returns 403 for %s without reading the body', async (route) => {
    for (const body of [{}, undefined, [], { carrier: 7 }]) {
      const answer = await world.app.asGuest().post(route, body).expect(403);
      expect(answer.body.data).toEqual({ error: 'cli_login_disabled' });
    }
  });

  it('returns 403 for a form too', async () => {
    const route = '/api/auth/cli/login/local';
    const { body } = await world.app.asGuest().post(route).type('form').send({ carrier: 'a.b' }).expect(403);
    expect(body.data).toEqual({ error: 'cli_login_disabled' });
  });

  it('rejects a carrier that was created while it was on', async () => {
    const on = await world.app.secondInstance({ env: { AUTH_CLI_LOGIN_ENABLED: 'true' } });
    try {
      const carrier = await initiate(on, nativeApp());
      const person = await createPerson(world.app);
      const input = { carrier, login: person.email, password: PASSWORD };
      await world.app.asGuest().post('/api/auth/cli/login/local', input).expect(403);
      await on.asGuest().post('/api/auth/cli/login/local', input).expect(302);
    } finally {
      await on.stop();
    }
  });

  it('is switched on by the module options, which override the configuration', async () => {
    const settings = { enabled: true, allowedRedirectHosts: ['App.example.com'] };
    const env = { AUTH_CLI_LOGIN_ENABLED: 'false', AUTH_CLI_ALLOWED_REDIRECT_HOSTS: 'other.example' };
    const app = await TestApp.start({ clock: world.app.clock, env, modules: [CliLoginModule.forRoot(settings)] });
    try {
      await initiate(app, nativeApp({ redirectUri: 'https://app.example.com/callback' }));
      const { challenge } = nativeApp();
      const other = { redirect_uri: 'https://other.example/callback', correlation: 'x', code_challenge: challenge };
      await app.asGuest().post('/api/auth/cli/initiate', other).expect(400);
    } finally {
      await app.stop();
    }
  });
});
