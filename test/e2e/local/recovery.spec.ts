import { AccountService } from '../../../src/identity/auth/account.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { mailAfterRequest, race, tokenOf } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, type Person, signIn } from '../../support/people.js';

const RECOVER = '/api/auth/local/recover';
const CHECK = '/api/auth/local/recover/check';
const RESET = '/api/auth/local/recover/reset';
const LOGIN = '/api/auth/local/login';
const NEW = 'a wholly new walnut';

describe('password recovery', () => {
  const world = useMailedApp();
  const post = (path: string, body: unknown) => world.app.asGuest().post(path, body);
  const reset = (token: string, password = NEW) => post(RESET, { token, password, password_confirmation: password });

  async function recovering(): Promise<{ person: Person; token: string }> {
    const person = await createPerson(world.app);
    await post(RECOVER, { email: person.email }).expect(200);
    return { person, token: tokenOf(await mailAfterRequest(world, person.email)) };
  }

  it('sets the new password, revokes every session and notifies the owner', async () => {
    const person = await createPerson(world.app);
    const session = await signIn(world.app, person);
    await post(RECOVER, { email: person.email }).expect(200);
    const token = tokenOf(await mailAfterRequest(world, person.email));
    expect((await post(CHECK, { token }).expect(200)).body).toEqual({ valid: true });
    expect((await post(CHECK, { token }).expect(200)).body).toEqual({ valid: true });
    expect((await reset(token).expect(200)).body).toEqual({ data: true });
    await world.app.as(session).get('/api/auth/me').expect(401);
    await post(LOGIN, { login: person.email, password: person.password }).expect(401);
    await post(LOGIN, { login: person.email, password: NEW }).expect(200);
    await world.mailbox.waitFor(person.email, 2);
    const notice = await world.mailTo(person.email);
    expect(notice.text).not.toContain(NEW);
    // A user who did not change the password needs the recovery page, not the home page.
    expect(notice.links[0]).toBe('http://lintel.test/dash/recover');
    expect(notice.html).toContain('href="http://lintel.test/dash/recover"');
  });

  it('responds the same for any address, and mails only active accounts with a password', async () => {
    const person = await createPerson(world.app);
    const inactive = await createPerson(world.app, { activated: false });
    const federated = await createPerson(world.app, { passwordHash: null, provider: 'google' });
    const answers = [];
    for (const email of [person.email, inactive.email, federated.email, 'nobody@example.com']) {
      const { body, headers } = await post(RECOVER, { email }).expect(200);
      const { 'x-request-id': _id, date: _date, ...rest } = headers as Record<string, string>;
      answers.push(JSON.stringify([body, rest]));
    }
    expect(new Set(answers).size).toBe(1);
    await mailAfterRequest(world, person.email);
    expect(
      [inactive.email, federated.email, 'nobody@example.com'].map((email) => world.mailbox.mailsTo(email).length),
    ).toEqual([0, 0, 0]);
  });

  it('runs the same statements before its response, for existing and unknown addresses', async () => {
    const person = await createPerson(world.app);
    const requests = world.app.get(JobWorker);
    await requests.drain();
    const waking = jest.spyOn(requests as unknown as { wake: () => void }, 'wake').mockImplementation(() => undefined);
    const runner = Object.getPrototypeOf(world.app.database.createQueryRunner()) as {
      query: (text: string) => unknown;
    };
    const query = jest.spyOn(runner, 'query');
    const seen: string[] = [];
    for (const email of [person.email, 'nobody@example.com']) {
      query.mockClear();
      await post(RECOVER, { email }).expect(200);
      seen.push(JSON.stringify(query.mock.calls.map(([text]) => text).filter((text) => !text.includes('FOR UPDATE'))));
    }
    query.mockRestore();
    waking.mockRestore();
    expect(seen[0]).toBe(seen[1]);
    expect(seen[0]).toContain('INSERT INTO background_jobs');
  });

  it('lets one of 16 concurrent resets succeed', async () => {
    const { token } = await recovering();
    expect(await race(16, () => reset(token))).toEqual({ 200: 1, 400: 15 });
  });

  it('rejects an expired token everywhere, also in the check', async () => {
    const { person, token } = await recovering();
    world.app.clock.advance(3_601);
    expect((await post(CHECK, { token }).expect(200)).body).toEqual({ valid: false });
    expect((await reset(token).expect(400)).body.data).toEqual({ error: 'token_expired' });
    await post(LOGIN, { login: person.email, password: person.password }).expect(200);
  });

  it('a new password, a deactivation and a newer request invalidate pending links', async () => {
    const accounts = world.app.get(AccountService);
    const first = await recovering();
    await accounts.setPassword(first.person.id, 'set by an administrator');
    await reset(first.token).expect(400);
    const second = await recovering();
    await accounts.deactivate(second.person.id);
    await reset(second.token).expect(400);
    const third = await recovering();
    await post(RECOVER, { email: third.person.email.toUpperCase() }).expect(200);
    await world.app.get(JobWorker).drain();
    await world.mailbox.waitFor(third.person.email, 2);
    await reset(third.token).expect(400);
    await reset(tokenOf(await world.mailTo(third.person.email))).expect(200);
  });

  it('rejects missing, different and invalid passwords, and keeps the token valid', async () => {
    const { token } = await recovering();
    const { body } = await post(RESET, {}).expect(422);
    expect(body.data.errors.map((fault: { field: string }) => fault.field)).toEqual([
      'password',
      'password_confirmation',
    ]);
    expect(
      (await post(RESET, { password: NEW, password_confirmation: NEW }).expect(422)).body.data.errors[0].field,
    ).toBe('token');
    expect(
      (await post(RESET, { token, password: NEW, password_confirmation: `${NEW} ` }).expect(400)).body.data.error,
    ).toBe('password_mismatch');
    expect(
      (await post(RESET, { token, password: 'short', password_confirmation: 'short' }).expect(422)).body.data.errors[0]
        .code,
    ).toBe('password_too_short');
    for (const email of [
      undefined,
      null,
      1,
      ['a@example.com', 'b@example.com'],
      'no address',
      { address: 'a@example.com' },
    ]) {
      await post(RECOVER, { email }).expect(422);
    }
    await post(CHECK, {}).expect(422);
    await reset(token).expect(200);
  });

  it('the link does not use the Host header', async () => {
    const person = await createPerson(world.app);
    await post(RECOVER, { email: person.email })
      .set('host', 'evil.test')
      .set('x-forwarded-host', 'evil.test')
      .expect(200);
    const mail = await mailAfterRequest(world, person.email);
    expect(mail.links[0]).toMatch(/^http:\/\/lintel\.test\/auth\/local\/recover\?token=/);
  });

  it('an accepted request is completed after a crash', async () => {
    const person = await createPerson(world.app);
    const requests = world.app.get(JobWorker);
    const waking = jest.spyOn(requests as unknown as { wake: () => void }, 'wake').mockImplementation(() => undefined);
    await post(RECOVER, { email: person.email }).expect(200);
    expect(world.mailbox.mailsTo(person.email)).toEqual([]);
    waking.mockRestore();
    await mailAfterRequest(world, person.email);
  });
});

describe('recovery with a typed code', () => {
  const AUTH = JSON.stringify({ providers: { local: { verification_method: 'otp', activation_method: 'auto' } } });
  const world = useMailedApp({ env: { AUTH } });
  const post = (path: string, body: unknown) => world.app.asGuest().post(path, body);

  it('resets after the code of the session was checked', async () => {
    const person = await createPerson(world.app);
    const { body } = await post(RECOVER, { email: person.email }).expect(200);
    const { session_id } = body as { session_id: string };
    const code = (await mailAfterRequest(world, person.email)).codes[0] as string;
    const passwords = { password: NEW, password_confirmation: NEW };
    expect((await post(RESET, { session_id, ...passwords }).expect(400)).body.data.error).toBe('token_invalid');
    const again = (await post(RECOVER, { email: person.email }).expect(200)).body as { session_id: string };
    await world.app.get(JobWorker).drain();
    await world.mailbox.waitFor(person.email, 2);
    const newer = (await world.mailTo(person.email)).codes[0] as string;
    expect((await post(CHECK, { session_id, code }).expect(200)).body).toEqual({ valid: false });
    expect((await post(CHECK, { session_id: again.session_id, code: newer }).expect(200)).body).toEqual({
      valid: true,
    });
    expect(await race(16, () => post(RESET, { session_id: again.session_id, ...passwords }))).toEqual({
      200: 1,
      400: 15,
    });
    await post(LOGIN, { login: person.email, password: NEW }).expect(200);
  });
});
