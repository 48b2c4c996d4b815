import { AccountService } from '../../../src/auth/account.service.js';
import { RegistrationGate } from '../../../src/registration-policy/registration-gate.service.js';
import { PasswordHasher } from '../../../src/users/password-hasher.port.js';
import { tokenOf } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD, type Person, signedIn, signIn } from '../../support/people.js';

/** Somebody has the password and a session of an account, and wants to keep it: the owner still reads the old mailbox. */
describe('an account that is taken over by a change of address', () => {
  const world = useMailedApp();
  const post = (path: string, body: unknown) => world.app.asGuest().post(`/api/auth/${path}`, body);
  const emailOf = async ({ id }: Person) =>
    (await world.app.sql<{ email: string }>('SELECT email FROM users WHERE id = $1', [id]))[0]?.email;
  let counter = 0;

  /** Changes the address and answers the token of the notice that went to the address before. */
  async function move(token: string, from: string, confirm = true): Promise<{ to: string; cancel: string }> {
    const to = `evil${(counter += 1)}@example.com`;
    const before = world.mailbox.mailsTo(from).length;
    const body = { new_email: to, current_password: PASSWORD };
    await world.app.as(token).post('/api/auth/local/email/change', body).expect(200);
    if (confirm) await post('local/email/confirm', { token: tokenOf(await world.mailTo(to)) }).expect(200);
    return { to, cancel: tokenOf(await world.mailbox.waitFor(from, before + 1)) };
  }

  it('goes back to its owner, however often it was moved on', async () => {
    const { person, token } = await signedIn(world.app);
    const first = await move(token, person.email);
    const second = await move(token, first.to);
    const third = await move(token, second.to);
    expect(await emailOf(person)).toBe(third.to);
    await post('local/email/cancel', { token: first.cancel }).expect(200);
    expect(await emailOf(person)).toBe(person.email);
    await world.app.as(token).get('/api/auth/me').expect(401);
  });

  it('is not taken back again by the notices of the later changes', async () => {
    const { person, token } = await signedIn(world.app);
    const first = await move(token, person.email);
    const second = await move(token, first.to);
    await post('local/email/cancel', { token: first.cancel }).expect(200);
    await post('local/email/cancel', { token: second.cancel }).expect(400);
    expect(await emailOf(person)).toBe(person.email);
  });

  it('goes back to its owner also after the notice of a later change was used', async () => {
    const { person, token } = await signedIn(world.app);
    const first = await move(token, person.email);
    const second = await move(token, first.to);
    await post('local/email/cancel', { token: second.cancel }).expect(200);
    expect(await emailOf(person)).toBe(first.to);
    await post('local/email/cancel', { token: first.cancel }).expect(200);
    expect(await emailOf(person)).toBe(person.email);
  });

  it('keeps its address from everybody else until it is safe', async () => {
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

  it('nor does a change that was asked for before get the address', async () => {
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

  it('lets the address go after 24 hours, and its owner have it at once', async () => {
    const { person, token } = await signedIn(world.app);
    await move(token, person.email);
    const back = { new_email: person.email, current_password: PASSWORD };
    await world.app.as(token).post('/api/auth/local/email/change', back).expect(200);
    world.app.clock.advance(86_401);
    const body = { email: person.email, password: PASSWORD, password_confirmation: PASSWORD };
    await post('local/register', body).expect(201);
  });

  it('a cancelled change that was never confirmed takes nothing back', async () => {
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
  ])('%s that comes between the check of the password and the request ends the request', async (_name, end) => {
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
    expect(await world.app.sql('SELECT 1 FROM mail_outbox WHERE recipient = $1', [body.new_email])).toEqual([]);
  });

  it('an address is proven by whoever reads it: a confirmed one counts as such, a taken-back one too', async () => {
    const person = await createPerson(world.app, { emailVerifiedAt: null });
    const { cancel } = await move(await signIn(world.app, person), person.email);
    const proven = () =>
      world.app.sql('SELECT 1 FROM users WHERE id = $1 AND email_verified_at IS NOT NULL', [person.id]);
    expect(await proven()).toHaveLength(1);
    await post('local/email/cancel', { token: cancel }).expect(200);
    expect(await proven()).toHaveLength(1);
  });
});
