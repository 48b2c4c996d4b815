import { AccountService } from '../../../src/identity/auth/account.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { AUTH_LIMITS } from '../../../src/identity/auth/auth.limits.js';
import { mailAfterRequest, race } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, type Person, signIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const REQUEST = '/api/auth/otp/request';
const VERIFY = '/api/auth/otp/verify';

describe('signing in with a mailed code', () => {
  const world = useMailedApp({ env: { AUTH_OTP_ENABLED: 'true' } });
  const post = (path: string, body: unknown) => world.app.asGuest().post(path, body);
  const other = (code: string): string => (code === '123456' ? '654321' : '123456');

  async function requested(person?: Person): Promise<{ email: string; code: string; id: string }> {
    const { email, id } = person ?? (await createPerson(world.app));
    const { body } = await post(REQUEST, { email }).expect(200);
    expect(body).toEqual({ message: expect.any(String), expires_in: 300 });
    const mail = await mailAfterRequest(world, email);
    const code = mail.codes[0] as string;
    expect(mail.subject).not.toContain(code);
    return { email, code, id };
  }

  it('returns a token set for the code, once, for any case of the address', async () => {
    const { email, code, id } = await requested();
    expect(code).toMatch(/^\d{6}$/);
    const { body } = await post(VERIFY, { email: email.toUpperCase(), code }).expect(200);
    expect(Object.keys(body).sort()).toEqual(['expires', 'token']);
    expect(
      (
        await world.app
          .as(body.token as string)
          .get('/api/auth/me')
          .expect(200)
      ).body.id,
    ).toBe(id);
    expect((await post(VERIFY, { email, code }).expect(401)).body.data).toEqual({ error: 'otp_invalid' });
  });

  it('lets one of 16 concurrent requests in', async () => {
    const { email, code } = await requested();
    expect(await race(16, () => post(VERIFY, { email, code }))).toEqual({ 200: 1, 401: 15 });
  });

  it('has three attempts, counted before the comparison, also concurrently', async () => {
    const { email, code } = await requested();
    for (let tries = 0; tries < 3; tries += 1) await post(VERIFY, { email, code: other(code) }).expect(401);
    await post(VERIFY, { email, code }).expect(401);
    world.app.clock.advance(31);
    const again = await requested({ email } as Person);
    const guess = (_: unknown, index: number) => post(VERIFY, { email, code: String(100_000 + index) });
    const answers = await Promise.all(Array.from({ length: 30 }, guess));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    await post(VERIFY, { email, code: again.code }).expect(401);
  });

  it('expires after AUTH_OTP_EXPIRATION seconds', async () => {
    const { email, code } = await requested();
    world.app.clock.advance(300);
    await post(VERIFY, { email, code }).expect(401);
  });

  it('responds the same for wrong, expired, used up, unknown and inactive', async () => {
    const { email, code } = await requested();
    const inactive = await createPerson(world.app, { activated: false });
    const bodies = [];
    for (const body of [
      { email, code: other(code) },
      { email: 'nobody@example.com', code },
      { email: inactive.email, code },
      { email, code: 'abc' },
    ]) {
      bodies.push(JSON.stringify((await post(VERIFY, body).expect(401)).body));
    }
    expect(new Set(bodies).size).toBe(1);
  });

  it('mails active accounts only, and responds the same to all', async () => {
    const inactive = await createPerson(world.app, { activated: false });
    const active = await createPerson(world.app);
    const bodies = [];
    for (const email of [active.email, inactive.email, 'nobody@example.com'])
      bodies.push(JSON.stringify((await post(REQUEST, { email }).expect(200)).body));
    expect(new Set(bodies).size).toBe(1);
    await mailAfterRequest(world, active.email);
    expect(world.mailbox.mailsTo(inactive.email)).toEqual([]);
  });

  it('sends one mail per address in 30 seconds, whose code stays valid; a later one replaces it', async () => {
    const first = await requested();
    await post(REQUEST, { email: first.email }).expect(200);
    await world.app.get(JobWorker).drain();
    expect(world.mailbox.mailsTo(first.email)).toHaveLength(1);
    world.app.clock.advance(31);
    await post(REQUEST, { email: first.email }).expect(200);
    await world.app.get(JobWorker).drain();
    await world.mailbox.waitFor(first.email, 2);
    const second = (await world.mailTo(first.email)).codes[0] as string;
    if (second !== first.code) await post(VERIFY, { email: first.email, code: first.code }).expect(401);
    await post(VERIFY, { email: first.email, code: second }).expect(200);
  });

  it('sends one mail for 16 concurrent requests, and for 16 in sequence, on two instances', async () => {
    const second = await world.app.secondInstance({ env: { AUTH_OTP_ENABLED: 'true', MAIL_URL: world.mailbox.url } });
    const instances = [world.app, second];
    const ask = (email: string, index: number) =>
      instances[index % 2]!.asGuest().post(REQUEST, { email: index % 3 === 0 ? email.toUpperCase() : email });
    const drain = () => Promise.all(instances.map((instance) => instance.get(JobWorker).drain()));
    for (let round = 0; round < 3; round += 1) {
      const together = await createPerson(world.app);
      await Promise.all(Array.from({ length: 16 }, (_, index) => ask(together.email, index).expect(200)));
      await drain();
      const inTurn = await createPerson(world.app);
      for (let index = 0; index < 16; index += 1) await ask(inTurn.email, index).expect(200);
      await drain();
      for (const { email } of [together, inTurn]) expect(world.mailbox.mailsTo(email)).toHaveLength(1);
    }
    await second.stop();
  });

  it('a deactivation and a new password revoke the code', async () => {
    const accounts = world.app.get(AccountService);
    const first = await requested();
    await accounts.deactivate(first.id);
    await post(VERIFY, { email: first.email, code: first.code }).expect(401);
    const second = await requested();
    await accounts.setPassword(second.id, 'another sturdy walnut');
    await post(VERIFY, { email: second.email, code: second.code }).expect(401);
  });

  it('a code requested on one instance is valid on another, and is mailed once', async () => {
    const second = await world.app.secondInstance({ env: { AUTH_OTP_ENABLED: 'true', MAIL_URL: world.mailbox.url } });
    const { email, code } = await requested();
    await second.get(JobWorker).drain();
    await second.asGuest().post(VERIFY, { email, code }).expect(200);
    expect(world.mailbox.mailsTo(email)).toHaveLength(1);
    await second.stop();
  });

  it('stores no code in clear text and logs none', async () => {
    const { code, id } = await requested();
    expect(
      JSON.stringify(await world.app.sql('SELECT secret_hash, data FROM one_time_secrets WHERE user_id = $1', [id])),
    ).not.toContain(code);
    expect(world.app.log.filter((line) => new RegExp(`\\b${code}\\b`).test(line))).toEqual([]);
  });

  it('rejects wrong types', async () => {
    for (const email of [undefined, null, 1, ['a@example.com'], { $ne: '' }, 'a@example.com,b@example.com'])
      await post(REQUEST, { email }).expect(422);
    for (const code of [undefined, null, 123_456, ['123456'], { $ne: '' }])
      await post(VERIFY, { email: 'a@example.com', code }).expect(422);
  });
});

describe('requesting codes', () => {
  const world = useMailedApp({ env: { AUTH_OTP_ENABLED: 'true', RATE_LIMIT_ENABLED: 'true' } });

  it('sends an address at most five mails in 15 minutes, with the same response', async () => {
    const { email } = await createPerson(world.app);
    const { points, durationSeconds } = AUTH_LIMITS.mailAddress;
    const ask = async (spelling: string) => {
      const { body } = await world.app.asGuest().post(REQUEST, { email: spelling }).expect(200);
      await world.app.get(JobWorker).drain();
      world.app.clock.advance(31);
      return JSON.stringify(body);
    };
    const answers = new Set<string>();
    for (let times = 0; times < points + 3; times += 1) answers.add(await ask(times % 2 ? email : email.toUpperCase()));
    await world.mailbox.waitFor(email, points);
    expect([answers.size, world.mailbox.mailsTo(email).length]).toEqual([1, points]);
    world.app.clock.advance(durationSeconds);
    await ask(email);
    await world.mailbox.waitFor(email, points + 1);
  });
});

describe('guessing codes', () => {
  const world = useMailedApp({ env: { AUTH_OTP_ENABLED: 'true', RATE_LIMIT_ENABLED: 'true' } });

  it('an address has one budget over all its codes and spellings, and the password another', async () => {
    const person = await createPerson(world.app);
    const { points, durationSeconds } = AUTH_LIMITS.signInCodeAccount;
    const spellings = [person.email, person.email.toUpperCase(), person.email.replace('example', 'EXAMPLE')];
    const guess = (email: string) => world.app.asGuest().post(VERIFY, { email, code: 'xxxxxx' });
    for (let tries = 0; tries < points; tries += 1) await guess(spellings[tries % 3]!).expect(401);
    for (const email of spellings) await guess(email).expect(429);
    await signIn(world.app, person);
    await guess(person.email).expect(429);
    world.app.clock.advance(durationSeconds + 1);
    await guess(person.email).expect(401);
  });
});

describe('without one-time codes', () => {
  const world = useTestApp();

  it('the routes report that they are off, for any body', async () => {
    for (const path of [REQUEST, VERIFY]) {
      for (const body of [{ email: 'a@example.com', code: '123456' }, {}]) {
        expect((await world.app.asGuest().post(path, body).expect(403)).body.data).toEqual({ error: 'otp_disabled' });
      }
    }
  });
});
