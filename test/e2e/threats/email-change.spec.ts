import { setTimeout as delay } from 'node:timers/promises';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { VerificationMailer } from '../../../src/sign-in/local/verification/verification-mailer.service.js';
import { AccountService } from '../../../src/identity/auth/account.service.js';
import { PreRegistrationHooks } from '../../../src/identity/registration-policy/pre-registration-hooks.service.js';
import { RegistrationGate } from '../../../src/identity/registration-policy/registration-gate.service.js';
import type { RegistrationInput } from '../../../src/identity/registration-policy/registration-input.types.js';
import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';
import { UsersService } from '../../../src/identity/users/users.service.js';
import { mailAfterRequest, tokenOf } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD, type Person, signedIn, signIn } from '../../support/people.js';

/** Attacks by a thief who has the password and a session of an account. The owner can still read the old mailbox. */
describe('an account that is taken over by an e-mail change', () => {
  const world = useMailedApp();
  const post = (path: string, body: unknown) => world.app.asGuest().post(`/api/auth/${path}`, body);
  const emailOf = async ({ id }: Person) =>
    (await world.app.sql<{ email: string }>('SELECT email FROM users WHERE id = $1', [id]))[0]?.email;
  let counter = 0;

  /** Changes the address, and returns the token of the notice to the previous address. */
  async function move(token: string, from: string, confirm = true): Promise<{ to: string; cancel: string }> {
    const to = `evil${(counter += 1)}@example.com`;
    const before = world.mailbox.mailsTo(from).length;
    const body = { new_email: to, current_password: PASSWORD };
    await world.app.as(token).post('/api/auth/local/email/change', body).expect(200);
    if (confirm) await post('local/email/confirm', { token: tokenOf(await world.mailTo(to)) }).expect(200);
    return { to, cancel: tokenOf(await world.mailbox.waitFor(from, before + 1)) };
  }

  it('returns to its owner, however often the address changed', async () => {
    const { person, token } = await signedIn(world.app);
    const first = await move(token, person.email);
    const second = await move(token, first.to);
    const third = await move(token, second.to);
    expect(await emailOf(person)).toBe(third.to);
    await post('local/email/cancel', { token: first.cancel }).expect(200);
    expect(await emailOf(person)).toBe(person.email);
    await world.app.as(token).get('/api/auth/me').expect(401);
  });

  it('is not taken back by the mails about later changes', async () => {
    const { person, token } = await signedIn(world.app);
    const first = await move(token, person.email);
    const second = await move(token, first.to);
    await post('local/email/cancel', { token: first.cancel }).expect(200);
    await post('local/email/cancel', { token: second.cancel }).expect(400);
    expect(await emailOf(person)).toBe(person.email);
  });

  it('returns to its owner after a mail about a later change was used', async () => {
    const { person, token } = await signedIn(world.app);
    const first = await move(token, person.email);
    const second = await move(token, first.to);
    await post('local/email/cancel', { token: second.cancel }).expect(200);
    expect(await emailOf(person)).toBe(first.to);
    await post('local/email/cancel', { token: first.cancel }).expect(200);
    expect(await emailOf(person)).toBe(person.email);
  });

  it('reserves its address until it is safe', async () => {
    const { person, token } = await signedIn(world.app);
    const { cancel } = await move(token, person.email);
    const squatter = await signedIn(world.app);
    const spellings = [person.email, person.email.toUpperCase()];
    for (const email of spellings) {
      const taken = await post('local/register', { email, password: PASSWORD, password_confirmation: PASSWORD });
      expect([taken.status, taken.body.data.error]).toEqual([400, 'email_taken']);
      await expect(
        world.app.get(RegistrationGate).admit({ email, provider: 'acme', providerId: '1' }),
      ).rejects.toMatchObject({ code: 'email_taken' });
      const change = { new_email: email, current_password: PASSWORD };
      const moved = await world.app.as(squatter.token).post('/api/auth/local/email/change', change).expect(400);
      expect(moved.body.data.error).toBe('email_taken');
    }
    await post('local/email/cancel', { token: cancel }).expect(200);
    expect(await emailOf(person)).toBe(person.email);
  });

  describe('when a hook of a plugin changes the address', () => {
    const shifts: Record<string, (email: string) => string> = {
      'removes the part after a plus sign': (email) => email.replace(/\+[^@]*/, ''),
      'writes it in capitals': (email) => email.replace(/\+[^@]*/, '').toUpperCase(),
      'gives another spelling of the domain': (email) => email.replace(/\+[^@]*@example/, '@ＥＸＡＭＰＬＥ'),
    };
    const hook = jest.fn((_input: RegistrationInput) => Promise.resolve());

    beforeAll(() => world.app.get(PreRegistrationHooks).addFromPlugin({ name: 'of the test', run: hook }));
    afterEach(() => hook.mockReset());

    const signUp = (person: Person) => {
      const passwords = { password: PASSWORD, password_confirmation: PASSWORD };
      return post('local/register', { email: person.email.replace('@', '+x@'), ...passwords });
    };

    it.each(Object.keys(shifts))('which %s', async (name) => {
      const { person, token } = await signedIn(world.app);
      const { cancel } = await move(token, person.email);
      hook.mockImplementation(async (input) => void (input.email = shifts[name]!(input.email)));
      const { status } = await signUp(person);
      // A spelling that is not an address is reported as such.
      expect([400, 422]).toContain(status);
      expect(hook).toHaveBeenCalled();
      expect(await world.app.sql('SELECT 1 FROM users WHERE email_key = $1', [person.email.toLowerCase()])).toEqual([]);
      await post('local/email/cancel', { token: cancel }).expect(200);
      expect(await emailOf(person)).toBe(person.email);
    });

    it('also if the address is released only after all hooks and checks', async () => {
      const { person, token } = await signedIn(world.app);
      hook.mockImplementation(async (input) => void (input.email = person.email));
      let cancel = '';
      const users = world.app.get(UsersService);
      const assertFree = jest.spyOn(users, 'assertFree').mockImplementationOnce(async () => {
        // The checks up to this point found no conflict.
        ({ cancel } = await move(token, person.email));
      });
      const { status, body } = await signUp(person);
      assertFree.mockRestore();
      expect([status, body.data.error]).toEqual([400, 'email_taken']);
      await post('local/email/cancel', { token: cancel }).expect(200);
      expect(await emailOf(person)).toBe(person.email);
    });

    it('a move and a registration at the same moment leave the address to its owner', async () => {
      for (let round = 0; round < 4; round += 1) {
        const { person, token } = await signedIn(world.app);
        const { cancel, to } = await move(token, person.email, false);
        const confirm = tokenOf(await world.mailTo(to));
        hook.mockImplementation(async (input) => void (input.email = person.email));
        const answers = await Promise.all([
          post('local/email/confirm', { token: confirm }),
          ...Array.from({ length: 15 }, () => signUp(person)),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, ...Array<number>(15).fill(400)]);
        await post('local/email/cancel', { token: cancel }).expect(200);
        expect(await emailOf(person)).toBe(person.email);
      }
    });
  });

  it('an earlier change does not get the address either', async () => {
    const { person, token } = await signedIn(world.app);
    const squatter = await signedIn(world.app);
    await world.app.sql('UPDATE users SET email_key = $2 WHERE id = $1', [person.id, 'elsewhere@example.com']);
    const change = { new_email: person.email, current_password: PASSWORD };
    await world.app.as(squatter.token).post('/api/auth/local/email/change', change).expect(200);
    const asked = tokenOf(await world.mailTo(person.email));
    await world.app.sql('UPDATE users SET email_key = $2 WHERE id = $1', [person.id, person.email.toLowerCase()]);
    const { cancel } = await move(token, person.email);
    expect((await post('local/email/confirm', { token: asked }).expect(400)).body.data.error).toBe('email_taken');
    await post('local/email/cancel', { token: cancel }).expect(200);
    expect(await emailOf(person)).toBe(person.email);
  });

  it('releases the address after 24 hours, and to its owner immediately', async () => {
    const { person, token } = await signedIn(world.app);
    await move(token, person.email);
    const back = { new_email: person.email, current_password: PASSWORD };
    await world.app.as(token).post('/api/auth/local/email/change', back).expect(200);
    world.app.clock.advance(86_401);
    const body = { email: person.email, password: PASSWORD, password_confirmation: PASSWORD };
    await post('local/register', body).expect(201);
  });

  it('a cancelled change that was never confirmed restores nothing', async () => {
    const { person, token } = await signedIn(world.app);
    const { cancel } = await move(token, person.email, false);
    await world.app.sql(`UPDATE users SET email = 'set@example.com', email_key = 'set@example.com' WHERE id = $1`, [
      person.id,
    ]);
    await post('local/email/cancel', { token: cancel }).expect(200);
    expect(await emailOf(person)).toBe('set@example.com');
  });

  it.each<[string, (person: Person) => Promise<unknown>]>([
    ['a new password', ({ id }) => world.app.get(AccountService).setPassword(id, 'another sturdy walnut')],
    ['a deactivation', ({ id }) => world.app.get(AccountService).deactivate(id)],
    ['a deletion', ({ id }) => world.app.sql('DELETE FROM users WHERE id = $1', [id])],
  ])('%s between the check of the password and the request cancels the request', async (_name, end) => {
    const { person, token } = await signedIn(world.app);
    const hasher = world.app.get(PasswordHasher);
    const verify = hasher.verify.bind(hasher);
    const slow = jest.spyOn(hasher, 'verify').mockImplementationOnce(async (hash, password) => {
      const matches = await verify(hash, password);
      await end(person);
      return matches;
    });
    const body = { new_email: `late${(counter += 1)}@example.com`, current_password: PASSWORD };
    const answer = await world.app.as(token).post('/api/auth/local/email/change', body).expect(401);
    slow.mockRestore();
    expect(answer.body.data).toEqual({ error: 'invalid_credentials' });
    expect(await world.app.sql('SELECT 1 FROM one_time_secrets WHERE user_id = $1', [person.id])).toEqual([]);
    expect(
      await world.app.sql(`SELECT 1 FROM background_jobs WHERE payload ->> 'recipient' = $1`, [body.new_email]),
    ).toEqual([]);
  });

  describe('if the address was never verified', () => {
    const state = async ({ id }: Person): Promise<unknown> =>
      (
        await world.app.sql(
          'SELECT email, email_verified_at IS NOT NULL AS proven, password_hash IS NOT NULL AS password FROM users WHERE id = $1',
          [id],
        )
      )[0];

    it('the confirmation verifies it; cancelling does not, and removes the password', async () => {
      const person = await createPerson(world.app, { emailVerifiedAt: null });
      const { cancel, to } = await move(await signIn(world.app, person), person.email);
      expect(await state(person)).toEqual({ email: to, proven: true, password: true });
      await post('local/email/cancel', { token: cancel }).expect(200);
      expect(await state(person)).toEqual({ email: person.email, proven: false, password: false });
    });

    it('cancelling an unconfirmed change removes the password too', async () => {
      const person = await createPerson(world.app, { emailVerifiedAt: null });
      const { cancel } = await move(await signIn(world.app, person), person.email, false);
      await post('local/email/cancel', { token: cancel }).expect(200);
      expect(await state(person)).toEqual({ email: person.email, proven: false, password: false });
      await post('local/recover', { email: person.email }).expect(200);
      const token = tokenOf(await mailAfterRequest(world, person.email));
      const fresh = { password: 'the owner’s walnut', password_confirmation: 'the owner’s walnut' };
      await post('local/recover/reset', { token, ...fresh }).expect(200);
      expect(await state(person)).toEqual({ email: person.email, proven: true, password: true });
    });

    it('the address is not reserved: its owner can register it, and then nothing is restored', async () => {
      const person = await createPerson(world.app, { emailVerifiedAt: null });
      const { cancel, to } = await move(await signIn(world.app, person), person.email);
      const body = { email: person.email, password: PASSWORD, password_confirmation: PASSWORD };
      await post('local/register', body).expect(201);
      expect((await post('local/email/cancel', { token: cancel }).expect(400)).body.data.error).toBe('email_taken');
      expect(await emailOf(person)).toBe(to);
    });
  });

  it('restores the previous state: the verification, the password and the links', async () => {
    const { person, token } = await signedIn(world.app);
    const facts = () =>
      world.app.sql(
        `SELECT u.email, u.email_verified_at, u.password_hash, array_agg(i.subject) AS subjects
         FROM users u LEFT JOIN identities i ON i.user_id = u.id WHERE u.id = $1 GROUP BY u.id`,
        [person.id],
      );
    const linked = (subject: string) =>
      world.app.sql(
        `INSERT INTO identities (id, user_id, provider, issuer, subject, email_verified, created_at, last_used_at)
         VALUES (gen_random_uuid(), $1, 'acme', 'https://acme.example', $2, false, $3, $3)`,
        [person.id, `${subject} ${person.id}`, world.app.clock.now()],
      );
    await linked('before');
    const before = await facts();
    world.app.clock.advance(60);
    const { cancel } = await move(token, person.email);
    world.app.clock.advance(60);
    await linked('after');
    await post('local/email/cancel', { token: cancel }).expect(200);
    expect(await facts()).toEqual(before);
    expect(await world.app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [person.id])).toEqual([]);
    await signIn(world.app, person);
  });

  it('removes the password that was set with the new mailbox', async () => {
    const { person, token } = await signedIn(world.app);
    const { cancel, to } = await move(token, person.email);
    await post('local/recover', { email: to }).expect(200);
    const recovery = tokenOf(await mailAfterRequest(world, to));
    const evil = { password: 'the hijacker’s walnut', password_confirmation: 'the hijacker’s walnut' };
    await post('local/recover/reset', { token: recovery, ...evil }).expect(200);
    await post('local/email/cancel', { token: cancel }).expect(200);
    expect(await emailOf(person)).toBe(person.email);
    await post('local/login', { login: person.email, password: evil.password }).expect(401);
  });

  it('a mail that arrives while the address changes is not valid', async () => {
    const person = await createPerson(world.app);
    const { body } = await post('local/login', { login: person.email, password: PASSWORD }).expect(200);
    const { to, cancel } = await move(body.token as string, person.email);
    const requests = world.app.get(JobWorker);
    const mailer = world.app.get(VerificationMailer);
    const send = mailer.send.bind(mailer);
    let cancelled: Promise<{ readonly status: number }> | undefined;
    jest.spyOn(mailer, 'send').mockImplementationOnce(async (manager, ...given) => {
      // The account is read and locked. Its owner cancels the change before the secret is issued.
      cancelled = post('local/email/cancel', { token: cancel }).then((answer) => answer);
      await delay(200);
      return send(manager, ...given);
    });
    await post('local/recover', { email: to }).expect(200);
    await requests.drain();
    expect((await cancelled)?.status).toBe(200);
    const token = tokenOf(await world.mailTo(to));
    const evil = { password: 'the hijacker’s walnut', password_confirmation: 'the hijacker’s walnut' };
    expect((await post('local/recover/reset', { token, ...evil }).expect(400)).body.data.error).toBe('token_invalid');
  });
});
