import { AccountService } from '../../../src/identity/auth/account.service.js';
import { race, tokenOf } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, type Person, signedIn } from '../../support/people.js';

const CHANGE = '/api/auth/local/email/change';
const CONFIRM = '/api/auth/local/email/confirm';
const CANCEL = '/api/auth/local/email/cancel';
const ME = '/api/auth/me';

describe('the e-mail change', () => {
  const world = useMailedApp({ env: { AUTH_REG_BLOCKED_DOMAINS: 'blocked.example' } });
  const post = (path: string, body: unknown) => world.app.asGuest().post(path, body);
  let counter = 0;
  const fresh = (): string => `fresh${(counter += 1)}@example.com`;
  const emailOf = async (id: string) =>
    (await world.app.sql<{ email: string }>('SELECT email FROM users WHERE id = $1', [id]))[0]?.email;

  interface Changing {
    readonly person: Person;
    readonly token: string;
    readonly newEmail: string;
    readonly confirm: string;
    readonly cancel: string;
  }

  async function changing(): Promise<Changing> {
    const { person, token } = await signedIn(world.app);
    const newEmail = fresh();
    const body = { new_email: newEmail, current_password: person.password };
    const answer = await world.app.as(token).post(CHANGE, body).expect(200);
    expect(answer.body).toEqual({ message: expect.any(String) });
    const confirm = tokenOf(await world.mailTo(newEmail));
    return { person, token, newEmail, confirm, cancel: tokenOf(await world.mailTo(person.email)) };
  }

  it('notifies the current address, mails a link to the new one, and changes nothing yet', async () => {
    const { person, newEmail, confirm } = await changing();
    expect(await emailOf(person.id)).toBe(person.email);
    expect((await world.mailTo(newEmail)).links[0]).toBe(
      `http://lintel.test/auth/local/email/confirm?token=${confirm}`,
    );
    const notice = await world.mailTo(person.email);
    expect(notice.text).toContain(newEmail);
    expect(notice.text).not.toContain(confirm);
  });

  it('is committed by the link to the new address, once', async () => {
    const { person, token, newEmail, confirm } = await changing();
    expect(await race(16, () => post(CONFIRM, { token: confirm }))).toEqual({ 200: 1, 400: 15 });
    expect((await post(CONFIRM, { token: confirm }).expect(400)).body.data).toEqual({ error: 'token_invalid' });
    expect((await world.app.as(token).get(ME).expect(200)).body.email).toBe(newEmail);
    await post('/api/auth/local/login', { login: newEmail, password: person.password }).expect(200);
    await post('/api/auth/local/login', { login: person.email, password: person.password }).expect(401);
    expect(
      await world.app.sql(`SELECT 1 FROM one_time_secrets WHERE purpose = 'email-change' AND user_id = $1`, [
        person.id,
      ]),
    ).toEqual([]);
  });

  it('expires after 24 hours', async () => {
    const { person, confirm } = await changing();
    world.app.clock.advance(86_401);
    expect((await post(CONFIRM, { token: confirm }).expect(400)).body.data).toEqual({ error: 'token_expired' });
    expect(await emailOf(person.id)).toBe(person.email);
  });

  it('rejects an address that was taken meanwhile', async () => {
    const { person, newEmail, confirm } = await changing();
    await createPerson(world.app, { email: newEmail.toUpperCase() });
    expect((await post(CONFIRM, { token: confirm }).expect(400)).body.data).toEqual({ error: 'email_taken' });
    expect(await emailOf(person.id)).toBe(person.email);
  });

  it('uses the newest request', async () => {
    const { person, token, confirm } = await changing();
    const newest = fresh();
    await world.app.as(token).post(CHANGE, { new_email: newest, current_password: person.password }).expect(200);
    await post(CONFIRM, { token: confirm }).expect(400);
    await post(CONFIRM, { token: tokenOf(await world.mailTo(newest)) }).expect(200);
    expect(await emailOf(person.id)).toBe(newest);
  });

  it('is cancelled by the link in the notification, which revokes the sessions, before and after the confirmation', async () => {
    const before = await changing();
    await post(CANCEL, { token: before.cancel }).expect(200);
    await post(CONFIRM, { token: before.confirm }).expect(400);
    await world.app.as(before.token).get(ME).expect(401);
    const after = await changing();
    await post(CONFIRM, { token: after.confirm }).expect(200);
    await post(CANCEL, { token: after.cancel }).expect(200);
    await world.app.as(after.token).get(ME).expect(401);
    expect([await emailOf(before.person.id), await emailOf(after.person.id)]).toEqual([
      before.person.email,
      after.person.email,
    ]);
    await post(CANCEL, { token: after.cancel }).expect(400);
  });

  it('is cancelled by a new password or a deactivation', async () => {
    const accounts = world.app.get(AccountService);
    const first = await changing();
    await accounts.setPassword(first.person.id, 'another sturdy walnut');
    await post(CONFIRM, { token: first.confirm }).expect(400);
    const second = await changing();
    await accounts.deactivate(second.person.id);
    await post(CONFIRM, { token: second.confirm }).expect(400);
  });

  it('needs the password, and reports errors of the new address', async () => {
    const { person, token } = await signedIn(world.app);
    const taken = await createPerson(world.app);
    const cases: [new_email: string, password: string, status: number, error: string][] = [
      [fresh(), 'a wrong password', 401, 'invalid_credentials'],
      [person.email.toUpperCase(), person.password, 400, 'email_unchanged'],
      [taken.email.toUpperCase(), person.password, 400, 'email_taken'],
      ['eve@blocked.example', person.password, 400, 'email_domain_blocked'],
      ['eve@BLOCKED.example', person.password, 400, 'email_domain_blocked'],
      ['no address', person.password, 422, 'validation_failed'],
      ['a@example.com,b@example.com', person.password, 422, 'validation_failed'],
    ];
    for (const [new_email, current_password, status, error] of cases) {
      const { body } = await world.app.as(token).post(CHANGE, { new_email, current_password }).expect(status);
      expect([new_email, body.data.error]).toEqual([new_email, error]);
    }
    await world.app.asGuest().post(CHANGE, { new_email: fresh(), current_password: person.password }).expect(401);
    expect(
      await world.app.sql(`SELECT 1 FROM one_time_secrets WHERE purpose = 'email-change' AND user_id = $1`, [
        person.id,
      ]),
    ).toEqual([]);
  });

  it('is rejected for an account without a password', async () => {
    const { person, token } = await signedIn(world.app);
    await world.app.sql(`UPDATE users SET password_hash = NULL, provider = 'google' WHERE id = $1`, [person.id]);
    const { body } = await world.app.as(token).post(CHANGE, { new_email: fresh(), current_password: 'x' }).expect(400);
    expect(body.data).toEqual({ error: 'not_a_local_account' });
  });
});
