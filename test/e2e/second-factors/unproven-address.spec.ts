import { mailAfterRequest, tokenOf } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { creationOptions, originOf } from '../../support/passkeys.js';
import { createPerson, PASSWORD, type Person, signedIn, signIn } from '../../support/people.js';
import { addAuthenticator, codeAt, refusedForFactor, stepNow } from '../../support/second-factors.js';
import { SoftwareAuthenticator } from '../../support/software-authenticator.js';

const TOTP = '/api/auth/mfa/totp';
const PASSKEYS = '/api/auth/mfa/passkeys';

describe('an account with an unverified address', () => {
  const AUTH = JSON.stringify({ providers: { local: { activation_method: 'auto' } } });
  const world = useMailedApp({ env: { AUTH, AUTH_OTP_ENABLED: 'true', RATE_LIMIT_ENABLED: 'false' } });
  let counter = 0;

  /** Registers an account, as anyone can with any address. */
  async function registered(): Promise<Pick<Person, 'email' | 'password'>> {
    counter += 1;
    const email = `stranger${counter}@example.com`;
    const body = { email, password: PASSWORD, password_confirmation: PASSWORD };
    await world.app.asGuest().post('/api/auth/local/register', body).expect(201);
    return { email, password: PASSWORD };
  }

  async function byCode(email: string) {
    world.app.clock.advance(31);
    await world.app.asGuest().post('/api/auth/otp/request', { email }).expect(200);
    const mail = await mailAfterRequest(world, email);
    return world.app.asGuest().post('/api/auth/otp/verify', { email, code: mail.codes[0] });
  }

  const refused = { error: 'address_unproven' };
  const factors = async (email: string): Promise<number> => {
    const [row] = await world.app.sql<{ count: number }>(
      `SELECT ((SELECT count(*) FROM totp_factors f WHERE f.user_id = u.id AND f.expires_at IS NULL)
        + (SELECT count(*) FROM passkeys p WHERE p.user_id = u.id))::int AS count FROM users u WHERE email_key = $1`,
      [email],
    );
    return row!.count;
  };

  it('cannot add an authenticator app or a passkey', async () => {
    const person = await registered();
    const client = world.app.as(await signIn(world.app, person));
    for (const body of [{ current_password: PASSWORD }, { current_password: 'wrong' }, {}]) {
      expect((await client.post(TOTP, body).expect(403)).body.data).toEqual(refused);
      expect((await client.post(`${PASSKEYS}/options`, body).expect(403)).body.data).toEqual(refused);
    }
    expect(await factors(person.email)).toBe(0);
  });

  it('cannot finish what was started while the address was verified', async () => {
    const { person, token } = await signedIn(world.app);
    const client = world.app.as(token);
    const { body } = await client.post(TOTP, { current_password: PASSWORD }).expect(200);
    const credential = new SoftwareAuthenticator(originOf(world.app)).create(await creationOptions(world.app, token));
    await world.app.sql('UPDATE users SET email_verified_at = NULL WHERE id = $1', [person.id]);
    const { id, secret } = body.data as { id: string; secret: string };
    const code = codeAt(secret, stepNow(world.app));
    expect((await client.post(`${TOTP}/confirm`, { id, code }).expect(403)).body.data).toEqual(refused);
    expect((await client.post(PASSKEYS, { credential }).expect(403)).body.data).toEqual(refused);
    expect(await factors(person.email)).toBe(0);
  });

  it('gets a factor after a mailed code, which the next code does not replace', async () => {
    const person = await registered();
    const { body } = await byCode(person.email);
    // The proof revoked the password of the registration.
    const client = world.app.as(body.token as string);
    const begun = await client.post(TOTP, {}).expect(200);
    const { id, secret } = begun.body.data as { id: string; secret: string };
    await client.post(`${TOTP}/confirm`, { id, code: codeAt(secret, stepNow(world.app)) }).expect(200);
    expect(await factors(person.email)).toBe(1);
    const again = await byCode(person.email);
    expect([again.status, again.body.data.error]).toEqual([401, 'mfa_required']);
    expect(await factors(person.email)).toBe(1);
  });

  it('gets a factor after a new password by mail, and the factor stays', async () => {
    const person = await registered();
    const reset = async (password: string): Promise<void> => {
      await world.app.asGuest().post('/api/auth/local/recover', { email: person.email }).expect(200);
      const token = tokenOf(await mailAfterRequest(world, person.email));
      const body = { token, password, password_confirmation: password };
      await world.app.asGuest().post('/api/auth/local/recover/reset', body).expect(200);
    };
    await reset(PASSWORD);
    await addAuthenticator(world.app, await signIn(world.app, person));
    await reset('another walnut 52');
    expect(await factors(person.email)).toBe(1);
    const half = await byCode(person.email);
    expect(half.body.data.error).toBe('mfa_required');
  });

  it('gets a factor after an administrator has confirmed the address', async () => {
    const person = await registered();
    const root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    const filter = encodeURIComponent(JSON.stringify({ email: person.email }));
    const found = await root.get(`/api/content/users?filter=${filter}`).expect(200);
    const { id } = (found.body.data.items as { id: string }[])[0]!;
    await root.patch(`/api/content/users/${id}`, { email_verified_at: 'now' }).expect(200);
    await addAuthenticator(world.app, await signIn(world.app, person));
    expect(await factors(person.email)).toBe(1);
  });

  it('needs the verification before the factor that a role requires', async () => {
    const root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    await root.post('/api/content/roles', { name: 'careful', mfa: 'required' }).expect(201);
    const person = await createPerson(world.app, { roles: ['careful'], emailVerifiedAt: null });
    const mfa_token = await refusedForFactor(world.app, person);
    expect((await world.app.asGuest().post(TOTP, { mfa_token }).expect(403)).body.data).toEqual(refused);
    const { body } = await byCode(person.email);
    expect(body.data.error).toBe('mfa_enrollment_required');
    await world.app.asGuest().post(TOTP, { mfa_token: body.data.mfa_token }).expect(200);
  });
});
