import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { AUTH_LIMITS } from '../../../src/identity/auth/auth.limits.js';
import { mailAfterRequest, race, tokenOf } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, signedIn } from '../../support/people.js';

const LOGIN = '/api/auth/local/login';
const VERIFY = '/api/auth/otp/verify';
const { points, durationSeconds } = AUTH_LIMITS.loginAccount;
const { codeAccount, signInCodeAccount } = AUTH_LIMITS;
const ENV = { RATE_LIMIT_ENABLED: 'true', AUTH_OTP_ENABLED: 'true', TRUST_PROXY: '1' };

describe('guessing', () => {
  const world = useMailedApp({ env: ENV });
  let client = 0;
  /** Sends each request from a new client address, so that only the limit of the account counts. */
  const post = (path: string, body: unknown) => {
    client += 1;
    const address = `198.18.${Math.floor(client / 250)}.${client % 250}`;
    return world.app.asGuest().post(path, body).set('x-forwarded-for', address);
  };
  const guess = (login: string, password = 'a wrong password') => post(LOGIN, { login, password });

  it('the current password in an e-mail change uses a separate budget and does not affect the sign-in', async () => {
    const { person, token } = await signedIn(world.app);
    const body = { new_email: 'moved@example.com', current_password: 'a wrong password' };
    const answers: number[] = [];
    for (let tries = 0; tries < points + 2; tries += 1)
      answers.push((await world.app.as(token).post('/api/auth/local/email/change', body)).status);
    expect(answers).toEqual([...Array<number>(points).fill(401), 429, 429]);
    await guess(person.email, person.password).expect(200);
    await post(VERIFY, { email: person.email, code: '123456' }).expect(401);
    expect(await world.app.sql(`SELECT 1 FROM one_time_secrets WHERE purpose = 'email-change'`)).toEqual([]);
  });

  it('with 200 concurrent codes gets no more attempts than in sequence', async () => {
    const person = await createPerson(world.app);
    await post('/api/auth/otp/request', { email: person.email }).expect(200);
    await world.app.get(JobWorker).drain();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => post(VERIFY, { email: person.email, code: `x${index}` })),
    );
    const count = (status: number): number => answers.filter((answer) => answer.status === status).length;
    expect([count(401), count(429)]).toEqual([signInCodeAccount.points, 200 - signInCodeAccount.points]);
  });

  it('an unknown login is limited like a known one, in any spelling', async () => {
    const known = await createPerson(world.app, { email: 'known@bücher.example' });
    const spellings = (name: string) => [
      `${name}@bücher.example`,
      `${name.toUpperCase()}@xn--bcher-kva.example`,
      `${name}@BÜCHER.example`,
      `${name}@XN--BCHER-KVA.example`,
    ];
    expect(known.email).toBe('known@bücher.example');
    const seen: string[] = [];
    for (const name of ['known', 'nobody']) {
      const answers: number[] = [];
      for (let tries = 0; tries < points + 4; tries += 1)
        answers.push((await guess(spellings(name)[tries % 4]!)).status);
      seen.push(answers.join());
    }
    expect(seen[0]).toBe(seen[1]);
    expect(seen[0]).toMatch(/429,429,429,429$/);
  });

  it('over other spellings of the path uses the same count or returns 404', async () => {
    const person = await createPerson(world.app);
    const paths = [
      LOGIN,
      `${LOGIN}?a=1`,
      `${LOGIN}/`,
      '/API/auth/local/login',
      '/api/auth/local/LOGIN',
      '//api/auth/local/login',
      '/api//auth/local/login',
      '/api/auth/local/%6cogin',
      '/api/auth/./local/login',
      '/api/auth/x/../local/login',
      '/api/auth/local/login;a=1',
      '/api/auth/local/login%00',
      '/api/auth/local/login.json',
    ];
    let tried = 0;
    for (let round = 0; round < points; round += 1) {
      for (const path of paths) {
        const { status } = await post(path, { login: person.email, password: 'a wrong password' });
        expect([400, 401, 404, 429]).toContain(status);
        if (status === 401) tried += 1;
      }
    }
    expect(tried).toBe(points);
    await guess(person.email, person.password).expect(429);
  });

  it("is not reset by a sign-in to the attacker's own account", async () => {
    const [victim, attacker] = [await createPerson(world.app), await createPerson(world.app)];
    const answers: number[] = [];
    for (let tries = 0; tries < points + 3; tries += 1) {
      answers.push((await guess(victim.email)).status);
      await guess(attacker.email, attacker.password).expect(200);
    }
    expect(answers).toEqual([...Array<number>(points).fill(401), 429, 429, 429]);
  });

  it('does not lock out for good: a password reset works immediately, and time passes', async () => {
    const person = await createPerson(world.app);
    for (let tries = 0; tries <= points; tries += 1) await guess(person.email);
    await guess(person.email, person.password).expect(429);
    await post('/api/auth/local/recover', { email: person.email }).expect(200);
    await world.app.get(JobWorker).drain();
    const token = tokenOf(await world.mailTo(person.email));
    const password = 'a wholly new walnut';
    await post('/api/auth/local/recover/reset', { token, password, password_confirmation: password }).expect(200);
    await guess(person.email, password).expect(200);
    for (let tries = 0; tries <= points; tries += 1) await guess(person.email);
    await guess(person.email, password).expect(429);
    world.app.clock.advance(durationSeconds + 1);
    await guess(person.email, password).expect(200);
  });

  it('an e-mail change reveals for a few addresses only whether they are in use, even with the correct password', async () => {
    const { points: asked } = AUTH_LIMITS.mailAddress;
    const known = await Promise.all(Array.from({ length: asked + 4 }, () => createPerson(world.app)));
    const asker = async (): Promise<(new_email: string) => PromiseLike<{ status: number }>> => {
      const { person, token } = await signedIn(world.app);
      return (new_email) => {
        const body = { new_email, current_password: person.password };
        return world.app.as(token).post('/api/auth/local/email/change', body);
      };
    };
    const probe = async (addresses: readonly string[]): Promise<number[]> => {
      const ask = await asker();
      const statuses: number[] = [];
      for (const address of addresses) statuses.push((await ask(address)).status);
      return statuses;
    };
    const limited = Array<number>(4).fill(429);
    const taken = known.map(({ email }) => email);
    expect(await probe(taken)).toEqual([...Array<number>(asked).fill(400), ...limited]);
    const ask = await asker();
    const rest = [...taken];
    expect(await race(taken.length, () => ask(rest.pop()!))).toEqual({ 400: asked, 429: 4 });
    const free = taken.map((_, index) => `free${index}@example.com`);
    expect(await probe(free)).toEqual([...Array<number>(asked).fill(200), ...limited]);
    const mixed = taken.flatMap((address, index) => [address, `mixed${index}@example.com`]);
    expect((await probe(mixed)).filter((status) => status !== 429)).toHaveLength(asked);
    expect((await probe(Array<string>(asked + 4).fill(taken[0]!.toUpperCase()))).at(-1)).toBe(429);
  });

  it('does not flood with mails about e-mail changes, by one account or by many', async () => {
    const { points: mails } = AUTH_LIMITS.mailAddress;
    const change = (token: string, new_email: string, current_password: string) =>
      world.app.as(token).post('/api/auth/local/email/change', { new_email, current_password });
    const one = await signedIn(world.app);
    const statuses: number[] = [];
    for (let tries = 0; tries < mails + 1; tries += 1)
      statuses.push((await change(one.token, `flood${tries}@example.com`, one.person.password)).status);
    expect(statuses).toEqual([...Array<number>(mails).fill(200), 429]);
    const answers: number[] = [];
    for (let tries = 0; tries < mails + 1; tries += 1) {
      const { person, token } = await signedIn(world.app);
      answers.push((await change(token, 'Victim@example.com', person.password)).status);
    }
    expect(answers).toEqual([...Array<number>(mails).fill(200), 429]);
  });
});

describe('guessing typed codes', () => {
  const AUTH = JSON.stringify({ providers: { local: { verification_method: 'otp', activation_method: 'auto' } } });
  const world = useMailedApp({ env: { ...ENV, AUTH } });
  const CHECK = '/api/auth/local/recover/check';
  let client = 0;
  const post = (path: string, body: unknown) => {
    client += 1;
    return world.app
      .asGuest()
      .post(path, body)
      .set('x-forwarded-for', `198.19.${client >> 8}.${client & 255}`);
  };
  const guessPassword = (email: string) => post(LOGIN, { login: email, password: 'a wrong password' });
  const guessSignInCode = (email: string) => post(VERIFY, { email, code: 'xxxxxx' });

  async function recovering(email: string): Promise<{ session_id: string; code: string }> {
    const count = world.mailbox.mailsTo(email).length;
    const { body } = await post('/api/auth/local/recover', { email }).expect(200);
    await mailAfterRequest(world, email);
    const { codes } = await world.mailbox.waitFor(email, count + 1);
    return { session_id: body.session_id as string, code: codes[0]! };
  }

  async function signInCode(email: string): Promise<string> {
    const count = world.mailbox.mailsTo(email).length;
    await post('/api/auth/otp/request', { email }).expect(200);
    await mailAfterRequest(world, email);
    return (await world.mailbox.waitFor(email, count + 1)).codes[0]!;
  }

  /** Signs in with a new password, as an owner who forgot the old one. */
  async function recover(email: string, password: string): Promise<void> {
    const { session_id, code } = await recovering(email);
    expect((await post(CHECK, { session_id, code }).expect(200)).body).toEqual({ valid: true });
    const passwords = { password, password_confirmation: password };
    await post('/api/auth/local/recover/reset', { session_id, ...passwords }).expect(200);
    await post(LOGIN, { login: email, password }).expect(200);
  }

  it('at a recovery code is limited per address, over all its codes, and does not affect the password', async () => {
    const person = await createPerson(world.app);
    const statuses: number[] = [];
    for (let code = 0; code < 3; code += 1) {
      const { session_id } = await recovering(person.email);
      for (let tries = 0; tries < 5; tries += 1)
        statuses.push((await post(CHECK, { session_id, code: `x${tries}` })).status);
    }
    const granted = codeAccount.points + 3;
    expect(statuses).toEqual([...Array<number>(granted).fill(200), ...Array<number>(15 - granted).fill(429)]);
    await guessSignInCode(person.email).expect(429);
    await post(LOGIN, { login: person.email, password: person.password }).expect(200);
    await guessSignInCode(person.email).expect(429);
  });

  it('at passwords, forty an hour for three hours, does not block the recovery by a mailed code', async () => {
    const person = await createPerson(world.app);
    for (let quarter = 0; quarter < 12; quarter += 1) {
      for (let tries = 0; tries < points; tries += 1) await guessPassword(person.email).expect(401);
      await guessPassword(person.email).expect(429);
      if (quarter % 4 === 0) {
        await post(VERIFY, { email: person.email, code: await signInCode(person.email) }).expect(200);
        await recover(person.email, `a wholly new walnut ${quarter}`);
        for (let tries = 0; tries < points; tries += 1) await guessPassword(person.email).expect(401);
        await guessPassword(person.email).expect(429);
      }
      world.app.clock.advance(durationSeconds + 1);
    }
  });

  it('at sign-in codes and passwords leaves attempts for the recovery code', async () => {
    const person = await createPerson(world.app);
    const answers = await race(60, () => guessSignInCode(person.email));
    expect(answers).toEqual({ 401: signInCodeAccount.points, 429: 60 - signInCodeAccount.points });
    await race(30, () => guessPassword(person.email));
    await recover(person.email, 'a wholly new walnut');
  });

  it('at every kind of code, in turn or in parallel, gets no more attempts than at one kind', async () => {
    for (const isParallel of [false, true]) {
      const person = await createPerson(world.app);
      const { session_id } = await recovering(person.email);
      const guesses = Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? () => post(CHECK, { session_id, code: `x${index}` })
          : () => guessSignInCode(person.email.toUpperCase()),
      );
      const statuses: number[] = [];
      if (isParallel)
        statuses.push(...(await Promise.all(guesses.map((guess) => guess()))).map(({ status }) => status));
      else for (const guess of guesses) statuses.push((await guess()).status);
      expect(statuses.filter((status) => status !== 429)).toHaveLength(codeAccount.points + 1);
    }
  });

  it('is not reset by the correct password of an attacker', async () => {
    const person = await createPerson(world.app);
    const statuses: number[] = [];
    for (let tries = 0; tries < signInCodeAccount.points + 3; tries += 1) {
      statuses.push((await guessSignInCode(person.email)).status);
      await post(LOGIN, { login: person.email, password: person.password }).expect(200);
    }
    expect(statuses.filter((status) => status !== 429)).toHaveLength(signInCodeAccount.points);
  });
});

describe('an untrusted client address', () => {
  const world = useMailedApp({ env: { RATE_LIMIT_ENABLED: 'true', AUTH_OTP_ENABLED: 'true' } });

  it('is not read from any header', async () => {
    const forged = (index: number): Record<string, string> =>
      Object.fromEntries(
        [
          'x-forwarded-for',
          'x-real-ip',
          'x-client-ip',
          'x-originating-ip',
          'x-remote-addr',
          'true-client-ip',
          'cf-connecting-ip',
          'fastly-client-ip',
          'forwarded',
        ].map((name) => [name, name === 'forwarded' ? `for=192.0.2.${index}` : `192.0.2.${index}`]),
      );
    const statuses: number[] = [];
    for (let tries = 0; tries <= AUTH_LIMITS.loginAddress.points; tries += 1) {
      const body = { email: `nobody${tries}@example.com`, code: '123456' };
      statuses.push((await world.app.asGuest().post(VERIFY, body).set(forged(tries))).status);
    }
    expect(statuses.slice(0, -1).every((status) => status === 401)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });
});
