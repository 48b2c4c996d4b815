import { ExchangeCodes } from '../../../src/identity/auth/exchange/exchange-codes.service.js';
import { EMAIL_CANCEL, EMAIL_CHANGE } from '../../../src/sign-in/local/email-change/email-change.service.js';
import { MAILED_SECRET } from '../../../src/sign-in/local/verification/verification-mailer.service.js';
import { OTP_CODE } from '../../../src/sign-in/otp/otp.service.js';
import { OneTimeSecrets, type SecretPurpose } from '../../../src/identity/secrets/one-time-secrets.port.js';
import { until } from '../../support/mailbox.js';
import { createPerson, PASSWORD, type Person, signedIn } from '../../support/people.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const ENV = { AUTH_ENABLE_REFRESH_TOKEN: 'true', AUTH_OTP_ENABLED: 'true' };
const NEW = 'another walnut 48';

/** Creates a credential for a user. The returned function uses it and returns the status. */
type Grant = (app: TestApp, person: Person) => Promise<() => Promise<number>>;

const post = async (app: TestApp, path: string, body: unknown): Promise<number> =>
  (await app.asGuest().post(`/api/auth/${path}`, body)).status;

const secret = <Data extends object>(
  app: TestApp,
  userId: string,
  purpose: SecretPurpose<Data>,
  data: Data,
): Promise<string> =>
  app
    .get(OneTimeSecrets)
    .issueToken(app.database.manager, { purpose, userId, lifetimeSeconds: 600, data })
    .then((issued) => issued.secret);

const GRANTS: Record<string, Grant> = {
  'a recovery link': async (app, { id, email }) => {
    const token = await secret(app, id, MAILED_SECRET.recovery, { email });
    return () => post(app, 'local/recover/reset', { token, password: NEW, password_confirmation: NEW });
  },
  'a change of address under way': async (app, { id, email }) => {
    const token = await secret(app, id, EMAIL_CHANGE, { newEmail: `new.${email}` });
    return () => post(app, 'local/email/confirm', { token });
  },
  'a mailed code': async (app, { id, email }) => {
    const request = {
      purpose: OTP_CODE,
      userId: id,
      lifetimeSeconds: 600,
      length: 6,
      attempts: 5,
      data: { email },
    } as const;
    const { secret: code } = await app.get(OneTimeSecrets).issueCode(app.database.manager, request);
    return async () => {
      const [row] = await app.sql<{ email: string }>('SELECT email FROM users WHERE id = $1', [id]);
      return post(app, 'otp/verify', { email: row?.email ?? email, code });
    };
  },
  'a code of a sign-in that was proven': async (app, { id }) => {
    const client = { device: null, address: '127.0.0.1' };
    const session = { userId: id, provider: 'otp', client, credentialsVersion: 0 };
    const code = await app.get(ExchangeCodes).issue(session, { codeChallenge: null });
    return () => post(app, 'exchange', { code });
  },
  'a refresh token': async (app, { email, password }) => {
    const { body } = await app.asGuest().post('/api/auth/local/login', { login: email, password });
    return () => post(app, 'token/refresh', { refresh_token: body.refresh_token });
  },
  'an access token': async (app, { email, password }) => {
    const { body } = await app.asGuest().post('/api/auth/local/login', { login: email, password });
    return async () => (await app.as(body.token).get('/api/auth/me')).status;
  },
};

const CHANGES: Record<string, (root: TestClient, person: Person) => Promise<{ status: number }>> = {
  'a new password': (root, { id }) => root.patch(`/api/content/users/${id}`, { password: 'third walnut 49' }),
  'a new address': (root, { id, email }) => root.patch(`/api/content/users/${id}`, { email: `moved.${email}` }),
  'a deactivation': (root, { id }) => root.patch(`/api/content/users/${id}`, { activated: false }),
  'a deactivation of many': (root, { email }) =>
    root.patch(`/api/content/users?filter=${encodeURIComponent(JSON.stringify({ email }))}`, { activated: false }),
  'a new password in a batch': (root, { id }) =>
    root.post('/api/batch', {
      operations: [{ op: 'update', schema: 'users', id, data: { password: 'third walnut 49' } }],
    }),
  'a replacement that leaves out that it is active': (root, { id, email }) =>
    root.put(`/api/content/users/${id}`, { email }),
  'a deletion': (root, { id }) => root.delete(`/api/content/users/${id}`),
};

describe('credentials after an account changes over the content API', () => {
  const world = useTestApp({ env: ENV });
  let root: TestClient;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
  });

  it.each(Object.keys(GRANTS))('%s is valid while nothing has changed', async (what) => {
    const person = await createPerson(world.app);
    const use = await GRANTS[what]?.(world.app, person);
    await root.patch(`/api/content/users/${person.id}`, { first_name: 'Ada', email: person.email }).expect(200);
    expect(await use?.()).toBe(200);
  });

  describe.each(Object.keys(CHANGES))('%s revokes', (change) => {
    it.each(Object.keys(GRANTS))('%s', async (what) => {
      const person = await createPerson(world.app);
      const use = await GRANTS[what]?.(world.app, person);
      expect((await CHANGES[change]?.(root, person))?.status).toBe(200);
      expect([400, 401]).toContain(await use?.());
      expect(await world.app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [person.id])).toEqual([]);
    });
  });

  it.each(Object.keys(CHANGES))('%s revokes an activation link', async (change) => {
    const activate = async (touched: boolean) => {
      const person = await createPerson(world.app, { activated: false });
      const token = await secret(world.app, person.id, MAILED_SECRET.activation, { email: person.email });
      if (touched) expect((await CHANGES[change]?.(root, person))?.status).toBe(200);
      return post(world.app, 'local/activate', { token });
    };
    expect([await activate(false), await activate(true)]).toEqual([200, 400]);
  });

  it.each(Object.keys(CHANGES))('%s revokes access tokens on every instance', async (change) => {
    const second = await world.app.secondInstance({ env: ENV });
    try {
      const { person, token } = await signedIn(world.app);
      const me = async () => (await second.as(token).get('/api/auth/me')).status;
      expect(await me()).toBe(200);
      expect((await CHANGES[change]?.(root, person))?.status).toBe(200);
      await until(async () => (await me()) === 401, 'the other instance to hear of it');
    } finally {
      await second.stop();
    }
  });

  it('a new address is not verified, and earlier links for the old address are invalid', async () => {
    const person = await createPerson(world.app);
    const asked = {
      oldEmail: `older.${person.email}`,
      requestedAt: world.app.clock.now().toISOString(),
      passwordMark: '',
    };
    const token = await secret(world.app, person.id, EMAIL_CANCEL, asked);
    await world.app.sql(
      `INSERT INTO email_reservations SELECT id, id, 'older@example.com', 'older@example.com', now(), now(), now() + '1 day'
       FROM users WHERE id = $1`,
      [person.id],
    );
    const { body } = await root
      .patch(`/api/content/users/${person.id}`, { email: `Moved.${person.email}` })
      .expect(200);
    expect(body.data).toMatchObject({ email: `Moved.${person.email}`, email_verified_at: null });
    expect(await post(world.app, 'local/email/cancel', { token })).toBe(400);
    expect(await world.app.sql('SELECT 1 FROM one_time_secrets WHERE user_id = $1', [person.id])).toEqual([]);
    expect(await world.app.sql('SELECT 1 FROM email_reservations WHERE user_id = $1', [person.id])).toEqual([]);
    const proven = await root
      .patch(`/api/content/users/${person.id}`, { email: person.email, email_verified_at: 'now' })
      .expect(200);
    expect(proven.body.data.email_verified_at).not.toBeNull();
  });

  it('a change of letter case is the same address', async () => {
    const { person, token } = await signedIn(world.app);
    const email = person.email.toUpperCase();
    const { body } = await root.patch(`/api/content/users/${person.id}`, { email }).expect(200);
    expect(body.data).toMatchObject({ email, email_verified_at: expect.any(String) });
    await world.app.as(token).get('/api/auth/me').expect(200);
  });

  it('a rejected change revokes nothing', async () => {
    const { person, token } = await signedIn(world.app);
    const taken = await createPerson(world.app);
    await root.patch(`/api/content/users/${person.id}`, { email: taken.email, password: NEW }).expect(409);
    await root.patch(`/api/content/users/${person.id}`, { password: 'short' }).expect(400);
    await world.app.as(token).get('/api/auth/me').expect(200);
    expect(await post(world.app, 'local/login', { login: person.email, password: PASSWORD })).toBe(200);
  });
});
