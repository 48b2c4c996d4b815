import { AccountService } from '../../../src/identity/auth/account.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { ExchangeCodes } from '../../../src/identity/auth/exchange/exchange-codes.service.js';
import { newId } from '../../../src/kernel/keys/random.js';
import { MAILED_SECRET } from '../../../src/sign-in/local/verification/verification-mailer.service.js';
import { OneTimeSecrets } from '../../../src/identity/secrets/one-time-secrets.port.js';
import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';
import { mailAfterRequest, race, tokenOf } from '../../support/flows.js';
import { until, useMailedApp } from '../../support/mailbox.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { createPerson, PASSWORD, type Person, signedIn } from '../../support/people.js';

const NEW = 'a wholly new walnut';
const ENV = {
  AUTH_OTP_ENABLED: 'true',
  AUTH_OTP_MAX_ATTEMPTS: '20',
  AUTH_ENABLE_REFRESH_TOKEN: 'true',
  AUTH_CLI_LOGIN_ENABLED: 'true',
};
const CLIENT = { address: '192.0.2.7', device: null };

describe('one-time secrets', () => {
  const world = useMailedApp({ env: ENV });
  const post = (path: string, body: unknown) => world.app.asGuest().post(`/api/auth/${path}`, body);
  let counter = 0;

  async function registered(): Promise<{ email: string; token: string }> {
    const email = `secret${(counter += 1)}@example.com`;
    await post('local/register', { email, password: PASSWORD, password_confirmation: PASSWORD }).expect(201);
    return { email, token: tokenOf(await world.mailTo(email)) };
  }

  async function recovering(person: Person): Promise<string> {
    await post('local/recover', { email: person.email }).expect(200);
    return tokenOf(await mailAfterRequest(world, person.email));
  }

  async function changing(): Promise<{ person: Person; confirm: string; cancel: string }> {
    const { person, token } = await signedIn(world.app);
    const new_email = `moved${(counter += 1)}@example.com`;
    await world.app
      .as(token)
      .post('/api/auth/local/email/change', { new_email, current_password: PASSWORD })
      .expect(200);
    return {
      person,
      confirm: tokenOf(await world.mailTo(new_email)),
      cancel: tokenOf(await world.mailTo(person.email)),
    };
  }

  async function mailedCode(person: Person): Promise<string> {
    await post('otp/request', { email: person.email }).expect(200);
    return (await mailAfterRequest(world, person.email)).codes[0]!;
  }

  /** Every request that takes a secret, by purpose. */
  const PLACES: Record<string, (secret: string) => PromiseLike<{ status: number }>> = {
    activation: (token) => post('local/activate', { token }),
    'activation as code': (code) => post('local/activate', { session_id: code, code }),
    recovery: (token) => post('local/recover/reset', { token, password: NEW, password_confirmation: NEW }),
    'recovery as session': (session_id) =>
      post('local/recover/reset', { session_id, password: NEW, password_confirmation: NEW }),
    'email-change': (token) => post('local/email/confirm', { token }),
    'email-cancel': (token) => post('local/email/cancel', { token }),
    exchange: (code) => post('exchange', { code }),
    refresh: (refresh_token) => post('token/refresh', { refresh_token }),
    access: (token) => world.app.as(token).get('/api/auth/me'),
    cookie: (token) => world.app.asGuest().get('/api/auth/me').set('cookie', `token=${token}`),
    carrier: (carrier) => post('cli/login/local', { carrier, login: 'nobody', password: PASSWORD }),
  };

  it('are valid for one purpose: each is rejected elsewhere and valid at its own route afterwards', async () => {
    const [recoverer, coder, exchanger] = await Promise.all([1, 2, 3].map(() => createPerson(world.app)));
    const change = await changing();
    const cancelled = await changing();
    const login = { login: exchanger!.email, password: PASSWORD };
    const set = (await post('local/login', login).expect(200)).body as { token: string; refresh_token: string };
    const code = await mailedCode(coder!);
    const secrets: Record<string, string> = {
      activation: (await registered()).token,
      recovery: await recovering(recoverer!),
      'email-change': change.confirm,
      'email-cancel': cancelled.cancel,
      exchange: await world.app
        .get(ExchangeCodes)
        .issue(
          { userId: exchanger!.id, provider: 'acme', client: CLIENT, credentialsVersion: 0 },
          { codeChallenge: null },
        ),
      access: set.token,
      carrier: await initiate(world.app, nativeApp()),
      otp: code,
    };
    const refused: string[] = [];
    for (const [kind, secret] of Object.entries(secrets)) {
      for (const [place, bring] of Object.entries(PLACES)) {
        if (place === kind || (kind === 'access' && place === 'cookie')) continue;
        const { status } = await bring(secret);
        expect([kind, place, status]).toEqual([kind, place, status === 401 || status === 422 ? status : 400]);
        refused.push(`${kind} at ${place}`);
      }
    }
    expect(refused.length).toBeGreaterThan(70);
    expect((await post('local/recover/check', { token: secrets['activation'] }).expect(200)).body.valid).toBe(false);
    for (const kind of ['activation', 'recovery', 'email-change', 'email-cancel', 'exchange', 'access'])
      expect([kind, (await PLACES[kind]!(secrets[kind]!)).status]).toEqual([kind, 200]);
    await post('otp/verify', { email: coder!.email, code }).expect(200);
    await post('token/refresh', { refresh_token: set.refresh_token }).expect(200);
  });

  it('have one spelling', async () => {
    const token = await recovering(await createPerson(world.app));
    const reset = (text: string) =>
      post('local/recover/reset', { token: text, password: NEW, password_confirmation: NEW });
    const spellings = [
      `${token}=`,
      `${token} `,
      ` ${token}`,
      `${token}%00`,
      `${token}\u200b`,
      `${token}.${token}`,
      token.slice(0, -1),
      token.toUpperCase(),
      token.toLowerCase(),
      encodeURIComponent(`${token}+`),
      Buffer.from(token, 'base64url').toString('base64'),
      Buffer.from(token, 'base64url').toString('hex'),
    ].filter((text) => text !== token);
    for (const text of spellings) {
      expect([text, (await reset(text)).status]).toEqual([text, 400]);
      expect((await post('local/recover/check', { token: text }).expect(200)).body).toEqual({ valid: false });
    }
    for (const text of [`${token}\u0000`, `${token}\n`, `\ud800${token}`]) await reset(text).expect(422);
    await reset(token).expect(200);
  });

  it('a mailed code has one spelling and belongs to one account', async () => {
    const [person, other] = [await createPerson(world.app), await createPerson(world.app)];
    const code = await mailedCode(person);
    const wide = [...code].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
    for (const text of [`${code} `, ` ${code}`, `+${code}`, `0${code}`, `${code}.0`, `0x${code}`, wide, code.slice(1)])
      await post('otp/verify', { email: person.email, code: text }).expect(401);
    await post('otp/verify', { email: person.email, code: Number(code) }).expect(422);
    await post('otp/verify', { email: other.email, code }).expect(401);
    await post('otp/verify', { email: person.email, code }).expect(200);
  });

  it('are not consumed by a mail scanner: GET and HEAD change nothing', async () => {
    const { email, token } = await registered();
    const change = await changing();
    for (const path of ['activate', 'email/confirm', 'email/cancel', 'recover']) {
      for (const secret of [token, change.confirm, change.cancel]) {
        for (const base of ['/auth/local/', '/api/auth/local/']) {
          await world.app.asGuest().get(`${base}${path}?token=${secret}`).set('accept', 'text/html');
          await world.app.asGuest().post(`${base}${path}?token=${secret}`);
        }
      }
    }
    await post('local/activate', { token }).expect(200);
    await post('local/login', { login: email, password: PASSWORD }).expect(200);
    await post('local/email/confirm', { token: change.confirm }).expect(200);
    await post('local/email/cancel', { token: change.cancel }).expect(200);
  });

  it('one of 16 concurrent cancellations succeeds', async () => {
    const { cancel } = await changing();
    expect(await race(16, () => post('local/email/cancel', { token: cancel }))).toEqual({ 200: 1, 400: 15 });
  });

  it('are deleted with the account: neither a code nor a token of a deleted account is valid', async () => {
    const person = await createPerson(world.app);
    const [recovery, code] = [await recovering(person), await mailedCode(person)];
    const { email, token } = await registered();
    await world.app.sql('DELETE FROM users WHERE email = ANY($1)', [[person.email, email]]);
    await post('local/recover/reset', { token: recovery, password: NEW, password_confirmation: NEW }).expect(400);
    await post('otp/verify', { email: person.email, code }).expect(401);
    await post('local/activate', { token }).expect(400);
    expect(await world.app.sql('SELECT 1 FROM one_time_secrets WHERE user_id = $1', [person.id])).toEqual([]);
  });

  it('issued to a deleted account are rejected, not a server error', async () => {
    const session = { userId: newId(), provider: 'acme', client: CLIENT, credentialsVersion: 0 };
    await expect(world.app.get(ExchangeCodes).issue(session, { codeChallenge: null })).rejects.toMatchObject({
      code: 'invalid_credentials',
    });
    const person = await createPerson(world.app);
    const carrier = await initiate(world.app, nativeApp());
    const hasher = world.app.get(PasswordHasher);
    const verify = hasher.verify.bind(hasher);
    const slow = jest.spyOn(hasher, 'verify').mockImplementationOnce(async (hash, password) => {
      const matches = await verify(hash, password);
      await world.app.sql('DELETE FROM users WHERE id = $1', [person.id]);
      return matches;
    });
    const { body } = await post('cli/login/local', { carrier, login: person.email, password: PASSWORD }).expect(401);
    expect(body.data).toEqual({ error: 'invalid_credentials' });
    slow.mockRestore();
  });

  it('a pending recovery opens no account that was deactivated or moved to a provider meanwhile', async () => {
    const ends: ((person: Person) => Promise<unknown>)[] = [
      ({ id }) => world.app.get(AccountService).deactivate(id),
      ({ id }) => world.app.sql(`UPDATE users SET password_hash = NULL, provider = 'google' WHERE id = $1`, [id]),
    ];
    for (const end of ends) {
      const person = await createPerson(world.app);
      await end(person);
      const { secret } = await world.app
        .get(OneTimeSecrets)

        .issueToken(world.app.database.manager, {
          purpose: MAILED_SECRET.recovery,
          userId: person.id,
          lifetimeSeconds: 60,
          data: { email: person.email },
        });
      await post('local/recover/reset', { token: secret, password: NEW, password_confirmation: NEW }).expect(400);
      await world.app.get(AccountService).activate(person.id);
      await post('local/login', { login: person.email, password: NEW }).expect(401);
    }
  });

  it('are consumed and issued concurrently without a deadlock', async () => {
    const secrets = world.app.get(OneTimeSecrets);
    const person = await createPerson(world.app);
    const request = {
      purpose: MAILED_SECRET.recovery,
      userId: person.id,
      lifetimeSeconds: 60,
      data: { email: person.email },
    };
    for (let round = 0; round < 5; round += 1) {
      const { secret } = await secrets.issueToken(world.app.database.manager, request);
      let consumed = false;
      const consumer = world.app.database.transaction(async (manager) => {
        const grant = await secrets.consumeToken(manager, MAILED_SECRET.recovery, secret);
        consumed = true;
        await new Promise((resolve) => setTimeout(resolve, 50));
        await manager.query('UPDATE users SET updated_at = now() WHERE id = $1', [person.id]);
        return grant;
      });
      await until(() => consumed, 'the consumer');
      const issuer = world.app.database.transaction((manager) => secrets.issueToken(manager, request));
      expect(await consumer).toMatchObject({ userId: person.id });
      expect(
        await secrets.checkToken(world.app.database.manager, MAILED_SECRET.recovery, (await issuer).secret),
      ).toMatchObject({
        userId: person.id,
      });
    }
  });

  it('the links in every mail use the configured URL, independent of the Host header', async () => {
    const names = ['host', 'x-forwarded-host', 'x-original-host', 'x-host', 'x-forwarded-server'];
    const evil = Object.fromEntries(names.map((name) => [name, 'evil.test']));
    const forged = { ...evil, 'x-forwarded-proto': 'https', forwarded: 'host=evil.test;proto=https' };
    const email = `host${(counter += 1)}@example.com`;
    const { person, token } = await signedIn(world.app);
    const new_email = `host${(counter += 1)}@example.com`;
    await post('local/register', { email, password: PASSWORD, password_confirmation: PASSWORD })
      .set(forged)
      .expect(201);
    await post('local/activate/send', { email }).set(forged).expect(200);
    await post('otp/request', { email: person.email }).set(forged).expect(200);
    const change = { new_email, current_password: PASSWORD };
    await world.app.as(token).post('/api/auth/local/email/change', change).set(forged).expect(200);
    await world.app.get(JobWorker).drain();
    await Promise.all([world.mailbox.waitFor(email, 2), world.mailbox.waitFor(person.email, 2)]);
    await world.mailTo(new_email);
    const mails = [email, person.email, new_email].flatMap((address) => world.mailbox.mailsTo(address));
    expect(mails).toHaveLength(5);
    for (const { links, raw } of mails) {
      expect(raw).not.toContain('evil.test');
      expect(links.every((link) => link.startsWith('http://lintel.test'))).toBe(true);
    }
  });
});
