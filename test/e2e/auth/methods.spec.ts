import { parseAppConfig } from '../../../src/app.module.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const METHODS = '/api/auth/methods';
const AUTH = JSON.stringify({
  enabled_providers: ['acme', 'other'],
  providers: {
    acme: { client_id: 'a', client_secret: 'the secret of acme', issuer: 'http://127.0.0.1:9' },
    other: { client_id: 'b', client_secret: 'the secret of other', issuer: 'http://127.0.0.1:9' },
    unused: { client_id: 'c', client_secret: 'd', issuer: 'http://127.0.0.1:9' },
  },
});

describe('GET /api/auth/methods', () => {
  const plain = useTestApp();
  const full = useTestApp({ env: { AUTH, AUTH_OTP_ENABLED: 'true' } });

  it('lists the sign-in methods: names, without secrets, without local', async () => {
    expect((await plain.app.asGuest().get(METHODS).expect(200)).body).toEqual({
      providers: [],
      local: true,
      otp: false,
    });
    const { body } = await full.app.asGuest().get(METHODS).expect(200);
    expect(body).toEqual({ providers: ['acme', 'other'], local: true, otp: true });
  });
});

describe('federated-only mode', () => {
  const world = useTestApp({
    env: { AUTH, AUTH_OTP_ENABLED: 'true', AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_DISABLE_LOCAL_LOGIN: 'true' },
  });
  const post = (path: string, body: unknown = {}) => world.app.asGuest().post(path, body);

  it('offers neither passwords nor codes', async () => {
    expect((await world.app.asGuest().get(METHODS).expect(200)).body).toEqual({
      providers: ['acme', 'other'],
      local: false,
      otp: false,
    });
  });

  it('rejects local login and the native-app logins with 403, for existing accounts too', async () => {
    const person = await createPerson(world.app);
    const body = { login: person.email, password: person.password };
    expect((await post('/api/auth/local/login', body).expect(403)).body.data).toEqual({
      error: 'local_login_disabled',
    });
    expect((await post('/api/auth/local/login').expect(403)).body.data).toEqual({ error: 'local_login_disabled' });
    expect((await post('/api/auth/cli/login/local', { carrier: 'x', ...body }).expect(403)).body.data).toEqual({
      error: 'local_login_disabled',
    });
    expect(
      (await post('/api/auth/cli/login/otp', { carrier: 'x', email: person.email, code: '1' }).expect(403)).body.data,
    ).toEqual({ error: 'local_login_disabled' });
    expect((await post('/api/auth/otp/request', { email: person.email }).expect(403)).body.data).toEqual({
      error: 'otp_disabled',
    });
    expect(await world.app.sql('SELECT * FROM sessions')).toEqual([]);
  });

  it.each(['register', 'activate', 'activate/send', 'recover', 'recover/check', 'recover/reset'])(
    'does not register local/%s',
    async (path) => {
      const { body } = await post(`/api/auth/local/${path}`, {
        email: 'a@example.com',
        password: PASSWORD,
        password_confirmation: PASSWORD,
        token: 'x',
      }).expect(404);
      expect(body.data).toEqual({ error: 'route_not_found' });
    },
  );

  it('keeps the e-mail change', async () => {
    await post('/api/auth/local/email/change', {}).expect(401);
    expect((await post('/api/auth/local/email/confirm', { token: 'x' }).expect(400)).body.data).toEqual({
      error: 'token_invalid',
    });
  });

  it('refuses to start without a social provider', () => {
    expect(() => parseAppConfig({ AUTH_DISABLE_LOCAL_LOGIN: 'true' })).toThrow(
      /AUTH_DISABLE_LOCAL_LOGIN must not be true without a social provider/,
    );
  });
});
