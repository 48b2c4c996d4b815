import { AccountService } from '../../../src/identity/auth/account.service.js';
import { AUTH_LIMITS } from '../../../src/identity/auth/auth.limits.js';
import { mailAfterRequest, race } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { addPasskey, originOf, passkeySignIn } from '../../support/passkeys.js';
import { createPerson, type Person, signIn } from '../../support/people.js';
import { sampledCount } from '../../support/sampled.js';
import { addAuthenticator, codeAt, halfway, stepNow, writeRecoveryCode } from '../../support/second-factors.js';

const AUTH = JSON.stringify({ providers: { local: { verification_method: 'otp', activation_method: 'auto' } } });
const ENV = {
  AUTH,
  RATE_LIMIT_ENABLED: 'true',
  AUTH_OTP_ENABLED: 'true',
  AUTH_CLI_LOGIN_ENABLED: 'true',
  TRUST_PROXY: '1',
};
const OWNER = '203.0.113.77';
const ATTEMPTS = sampledCount(1_000);

describe('wrong attempts of strangers', () => {
  const world = useMailedApp({ env: ENV });
  let counter = 0;
  const strangerAddress = (): string => {
    counter += 1;
    return `198.18.${(counter >> 8) & 255}.${counter & 255}:${40_000 + (counter % 1_000)}`;
  };
  const post = (path: string, body: unknown, address = OWNER) =>
    world.app.asGuest().post(`/api/auth/${path}`, body).set('x-forwarded-for', address);
  const asOwner = (token: string, path: string, body: unknown) =>
    world.app.as(token).post(`/api/auth/${path}`, body).set('x-forwarded-for', OWNER);

  /** Sends `ATTEMPTS` attempts in batches, each from another address. */
  async function flood(attempt: (index: number) => { readonly path: string; readonly body: unknown }): Promise<void> {
    for (let sent = 0; sent < ATTEMPTS; sent += 50) {
      const some = Array.from({ length: 50 }, (_, index) => attempt(sent + index));
      const answers = await Promise.all(some.map(({ path, body }) => post(path, body, strangerAddress())));
      expect(answers.filter(({ status }) => ![200, 400, 401, 429].includes(status))).toEqual([]);
      expect(answers.filter(({ body }) => (body as { token?: string }).token !== undefined)).toEqual([]);
    }
  }

  async function recovering(email: string): Promise<{ session_id: string; code: string }> {
    const sent = world.mailbox.mailsTo(email).length;
    const { body } = await post('local/recover', { email }).expect(200);
    await mailAfterRequest(world, email);
    const { codes } = await world.mailbox.waitFor(email, sent + 1);
    return { session_id: body.session_id as string, code: codes[0]! };
  }

  async function signInCode(email: string): Promise<string> {
    const sent = world.mailbox.mailsTo(email).length;
    await post('otp/request', { email }).expect(200);
    await mailAfterRequest(world, email);
    return (await world.mailbox.waitFor(email, sent + 1)).codes[0]!;
  }

  const guesses: Record<string, (person: Person, sessions: readonly string[], index: number) => [string, unknown]> = {
    'at the password': ({ email }, _, index) => ['local/login', { login: email, password: `wrong ${index}` }],
    'at the sign-in code': ({ email }, _, index) => ['otp/verify', { email, code: String(100_000 + index) }],
    'at the recovery code': (_, sessions, index) => [
      'local/recover/check',
      { session_id: sessions[index % sessions.length], code: String(100_000 + index) },
    ],
    'at the second factor': (_, __, index) => [
      'mfa/verify',
      { mfa_token: 'x'.repeat(43), method: ['totp', 'recovery_code', 'password'][index % 3], code: `${index}` },
    ],
  };

  it('of every kind do not affect any proof of the owner', async () => {
    const { app } = world;
    const person = await createPerson(app);
    const token = await signIn(app, person);
    const { secret } = await addAuthenticator(app, token);
    const passkey = await addPasskey(app, token);
    const recoveryCode = await writeRecoveryCode(app, person.id);
    const tokens = [await halfway(app, person), await halfway(app, person), await halfway(app, person)];
    const strangers: string[] = [];
    for (let session = 0; session < 2; session += 1) strangers.push((await recovering(person.email)).session_id);
    const [mailed, signInDigits] = [await recovering(person.email), await signInCode(person.email)];
    for (const guess of Object.values(guesses))
      await flood((index) => {
        const [path, body] = guess(person, strangers, index);
        return { path, body };
      });
    app.clock.advance(30);
    await post('local/login', { login: person.email, password: person.password }).expect(429);
    const code = codeAt(secret, stepNow(app));
    await post('mfa/verify', { mfa_token: tokens[0], method: 'totp', code }).expect(200);
    await post('mfa/verify', { mfa_token: tokens[1], method: 'recovery_code', code: recoveryCode }).expect(200);
    await asOwner(token, 'mfa/step-up', { method: 'totp', code: codeAt(secret, stepNow(app) + 1) }).expect(200);
    const body = { new_email: 'moved@example.com', current_password: person.password };
    await asOwner(token, 'local/email/change', body).expect(200);
    expect((await passkeySignIn(app, passkey)).status).toBe(200);
    const answer = await post('otp/verify', { email: person.email, code: signInDigits });
    expect(answer.body).toMatchObject({ data: { error: 'mfa_required' } });
    const { session_id, code: digits } = mailed;
    expect((await post('local/recover/check', { session_id, code: digits }).expect(200)).body).toEqual({ valid: true });
  });

  it('from one client address do not affect a second factor from the same address', async () => {
    const { app } = world;
    const person = await createPerson(app);
    const { secret } = await addAuthenticator(app, await signIn(app, person));
    app.clock.advance(30);
    const mfa_token = await halfway(app, person);
    for (let tries = 0; tries <= AUTH_LIMITS.loginAddress.points; tries += 1)
      await post('local/login', { login: `nobody${tries}@example.com`, password: 'wrong' }, '203.0.113.99');
    const body = { mfa_token, method: 'totp', code: codeAt(secret, stepNow(app)) };
    await post('mfa/verify', body, '203.0.113.99').expect(200);
  });

  it('wrong confirmations of a signed-in owner do not affect the sign-in, and have their own limit', async () => {
    const { app } = world;
    const person = await createPerson(app);
    const token = await signIn(app, person);
    const change = (current_password: string) =>
      asOwner(token, 'local/email/change', { new_email: 'moved@example.com', current_password });
    const statuses: number[] = [];
    for (let tries = 0; tries < AUTH_LIMITS.ownPassword.points + 2; tries += 1)
      statuses.push((await change('a wrong password')).status);
    expect(statuses).toEqual([...Array<number>(AUTH_LIMITS.ownPassword.points).fill(401), 429, 429]);
    await change(person.password).expect(429);
    await post('local/login', { login: person.email, password: person.password }).expect(200);
  });

  it('at the password do not affect a new password that an administrator sets', async () => {
    const { app } = world;
    const { id, email, password } = await createPerson(app);
    for (let tries = 0; tries < AUTH_LIMITS.loginAccount.points; tries += 1)
      await post('local/login', { login: email, password: 'wrong' }, strangerAddress()).expect(401);
    await post('local/login', { login: email, password }).expect(429);
    await app.get(AccountService).setPassword(id, 'another long password');
    await post('local/login', { login: email, password }).expect(401);
    await post('local/login', { login: email, password: 'another long password' }).expect(200);
  });

  it('wrong authenticator codes use no attempt of recovery codes and passkeys', async () => {
    const { app } = world;
    const person = await createPerson(app);
    const token = await signIn(app, person);
    await addAuthenticator(app, token);
    const passkey = await addPasskey(app, token);
    const code = await writeRecoveryCode(app, person.id);
    const mfa_token = await halfway(app, person);
    for (let tries = 0; tries < AUTH_LIMITS.factorAccount.points; tries += 1)
      await post('mfa/verify', { mfa_token, method: 'totp', code: `${tries}` }, strangerAddress()).expect(401);
    await post('mfa/verify', { mfa_token, method: 'totp', code: '1' }).expect(429);
    await post('mfa/verify', { mfa_token, method: 'recovery_code', code }).expect(200);
    const options = await post('mfa/passkeys/challenge', { mfa_token: await halfway(app, person) }).expect(200);
    expect(passkey.get((options.body as { data: never }).data)).toBeDefined();
    expect(originOf(app)).toMatch(/^http/);
  });

  it('authenticator codes are limited: the limit remains after correct passwords and recovery codes', async () => {
    const { app } = world;
    const person = await createPerson(app);
    await addAuthenticator(app, await signIn(app, person));
    const statuses: number[] = [];
    for (let tries = 0; tries < AUTH_LIMITS.factorAccount.points + 3; tries += 1) {
      const mfa_token = await halfway(app, person);
      statuses.push(
        (await post('mfa/verify', { mfa_token, method: 'totp', code: `${tries}` }, strangerAddress())).status,
      );
      const code = await writeRecoveryCode(app, person.id);
      await post('mfa/verify', { mfa_token, method: 'recovery_code', code }, strangerAddress()).expect(200);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(AUTH_LIMITS.factorAccount.points);
  });

  it('a sign-in code has one separate attempt for the client that requested it', async () => {
    const person = await createPerson(world.app);
    const code = await signInCode(person.email);
    const wrong = code === '123456' ? '654321' : '123456';
    for (let tries = 0; tries < 3; tries += 1)
      await post('otp/verify', { email: person.email, code: wrong }, strangerAddress()).expect(401);
    await post('otp/verify', { email: person.email, code }, strangerAddress()).expect(401);
    const counts = await race(16, () => post('otp/verify', { email: person.email, code }));
    expect(counts[200]).toBe(1);
    world.app.clock.advance(901);
    const next = await signInCode(person.email);
    for (let tries = 0; tries < 3; tries += 1)
      await post('otp/verify', { email: person.email, code: next === '123456' ? '654321' : '123456' }).expect(401);
    await post('otp/verify', { email: person.email, code: next }).expect(401);
  });
});

describe('a request that loses a race', () => {
  const world = useMailedApp({ env: { AUTH_CLI_LOGIN_ENABLED: 'true' } });
  const post = (path: string, body: unknown) => world.app.asGuest().post(`/api/auth/${path}`, body);
  const codesLeft = async ({ id }: Person) =>
    (await world.app.sql('SELECT 1 FROM recovery_codes WHERE user_id = $1', [id])).length;

  async function secured(): Promise<{ person: Person; codes: readonly string[] }> {
    const person = await createPerson(world.app);
    await addAuthenticator(world.app, await signIn(world.app, person));
    await world.app.sql('DELETE FROM recovery_codes WHERE user_id = $1', [person.id]);
    const codes = await Promise.all(Array.from({ length: 16 }, () => writeRecoveryCode(world.app, person.id)));
    return { person, codes };
  }

  it('for an mfa_token does not consume a recovery code', async () => {
    const { person, codes } = await secured();
    const mfa_token = await halfway(world.app, person);
    const left = [...codes];
    const counts = await race(16, () => post('mfa/verify', { mfa_token, method: 'recovery_code', code: left.pop() }));
    expect(counts).toEqual({ 200: 1, 401: 15 });
    expect(await codesLeft(person)).toBe(15);
  });

  it('for a carrier does not consume a recovery code, and a used carrier is rejected before the factor is checked', async () => {
    const { person, codes } = await secured();
    const carrier = await initiate(world.app, nativeApp());
    const left = [...codes];
    const half = async (): Promise<string> => {
      const proof = { carrier, login: person.email, password: person.password };
      const { body } = await post('cli/login/local', proof).expect(401);
      return (body as { data: { mfa_token: string } }).data.mfa_token;
    };
    const tokens: string[] = [];
    while (tokens.length < 9) tokens.push(await half());
    const late = tokens.pop()!;
    const fire = () =>
      post('cli/login/mfa', { carrier, mfa_token: tokens.pop(), method: 'recovery_code', code: left.pop() });
    expect((await race(8, fire))[302]).toBe(1);
    expect(await codesLeft(person)).toBe(15);
    const answer = await post('cli/login/mfa', { carrier, mfa_token: late, method: 'recovery_code', code: left.pop() });
    expect(answer.body).toMatchObject({ data: { error: 'carrier_invalid' } });
    const proof = { carrier, login: person.email, password: 'a wrong password' };
    expect((await post('cli/login/local', proof)).body).toMatchObject({ data: { error: 'carrier_invalid' } });
    expect(await codesLeft(person)).toBe(15);
  });

  it('with a wrong factor leaves the token and the carrier valid until they expire', async () => {
    const { person, codes } = await secured();
    const mfa_token = await halfway(world.app, person);
    for (let tries = 0; tries < 3; tries += 1)
      await post('mfa/verify', { mfa_token, method: 'recovery_code', code: 'AAAAA-AAAAA' }).expect(401);
    world.app.clock.advance(299);
    await post('mfa/verify', { mfa_token, method: 'recovery_code', code: 'AAAAA-AAAAA' }).expect(401);
    const other = await halfway(world.app, person);
    world.app.clock.advance(2);
    const late = await post('mfa/verify', { mfa_token, method: 'recovery_code', code: codes[0] }).expect(401);
    expect(late.body).toMatchObject({ data: { error: 'mfa_token_invalid' } });
    await post('mfa/verify', { mfa_token: other, method: 'recovery_code', code: codes[0] }).expect(200);
  });
});
