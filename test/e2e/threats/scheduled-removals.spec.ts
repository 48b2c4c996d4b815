import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { tokenOf } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { addPasskey, passkeySignIn } from '../../support/passkeys.js';
import { type Person, signedIn, signIn } from '../../support/people.js';
import { addAuthenticator, writeRecoveryCode } from '../../support/second-factors.js';

const NEW = 'a wholly new walnut';
const DAY = 86_400;
const HOUR = 3_600;
const ADMIN_DELAY = 2 * DAY;

describe('scheduled removals of second factors', () => {
  const world = useMailedApp({ env: { AUTH_MFA_RESET_DELAY: String(ADMIN_DELAY) } });

  /** Creates an account whose passkey, app and recovery code are older than the recovery window. */
  async function equipped() {
    const { person, token } = await signedIn(world.app);
    await addAuthenticator(world.app, token);
    const passkey = await addPasskey(world.app, token);
    await writeRecoveryCode(world.app, person.id);
    await pass(8 * DAY);
    return { person, passkey };
  }

  async function pass(seconds: number): Promise<void> {
    world.app.clock.advance(seconds);
    await world.app.get(JobWorker).drain();
  }

  async function mailedProof({ email }: Person): Promise<string> {
    await world.app.get(JobWorker).drain();
    const sent = world.mailbox.mailsTo(email).length;
    await world.app.asGuest().post('/api/auth/local/recover', { email }).expect(200);
    await world.app.get(JobWorker).drain();
    return tokenOf(await world.mailbox.waitFor(email, sent + 1));
  }

  /** Recovers the account. Returns when the selected factors are removed, in milliseconds. */
  async function recover(person: Person, revoke: unknown): Promise<number> {
    const reset = { token: await mailedProof(person), password: NEW, password_confirmation: NEW, revoke };
    const { body } = await world.app.asGuest().post('/api/auth/local/recover/reset', reset).expect(200);
    return Date.parse((body as { reset_due_at: string }).reset_due_at);
  }

  const administrator = () => signedIn(world.app, { roles: ['admin'] });

  async function ask({ id }: Person, token?: string): Promise<number> {
    const by = token ?? (await administrator()).token;
    const { body } = await world.app.as(by).delete(`/api/mfa/${id}`).expect(200);
    return Date.parse((body as { data: { reset_due_at: string } }).data.reset_due_at);
  }

  async function left({ id }: Person): Promise<string[]> {
    const rows = await world.app.sql<{ kind: string }>(
      `SELECT 'totp' AS kind FROM totp_factors WHERE user_id = $1 UNION ALL SELECT 'passkeys' FROM passkeys
         WHERE user_id = $1 UNION ALL SELECT 'recovery_codes' FROM recovery_codes WHERE user_id = $1 ORDER BY 1`,
      [id],
    );
    return rows.map(({ kind }) => kind);
  }

  async function plannedMails({ email }: Person): Promise<number> {
    await world.app.get(JobWorker).drain();
    return world.mailbox.mailsTo(email).filter(({ subject }) => subject.includes('are about to be removed')).length;
  }

  const EVERYTHING = ['passkeys', 'recovery_codes', 'totp'];
  const AGES_AGO = '2020-01-01T00:00:00Z';

  it.each([
    [['totp'], 'all', ['passkeys', 'recovery_codes']],
    [['totp'], ['passkeys'], ['passkeys', 'recovery_codes']],
    [['totp'], AGES_AGO, ['passkeys', 'recovery_codes']],
    [['passkeys'], ['totp', 'passkeys'], ['recovery_codes', 'totp']],
    [['passkeys'], ['totp'], ['recovery_codes', 'totp']],
  ])('by a recovery at %j and by a later one at %j both run, each at its time', async (first, second, between) => {
    const { person } = await equipped();
    const firstDueAt = await recover(person, first);
    world.app.clock.advance(6 * HOUR);
    const secondDueAt = await recover(person, second);
    expect(secondDueAt - firstDueAt).toBeGreaterThanOrEqual(6 * HOUR * 1_000);
    await pass(18 * HOUR - 60);
    expect(await left(person)).toEqual(EVERYTHING);
    await pass(120);
    expect(await left(person)).toEqual(between);
    await pass(6 * HOUR);
    expect(await left(person)).toEqual([]);
    await signIn(world.app, { email: person.email, password: NEW });
    expect(await plannedMails(person)).toBe(2);
  });

  it.each([
    ['all', ['totp']],
    ['all', AGES_AGO],
    [AGES_AGO, '2021-01-01T00:00:00Z'],
    [
      ['totp', 'passkeys'],
      ['passkeys', 'totp'],
    ],
  ])('at %j are neither postponed nor mailed again by a later one at %j', async (first, second) => {
    const { person } = await equipped();
    const dueAt = await recover(person, first);
    world.app.clock.advance(6 * HOUR);
    expect(await recover(person, second)).toBe(dueAt);
    expect(await plannedMails(person)).toBe(1);
    await pass(18 * HOUR + 60);
    expect(await left(person)).toEqual([]);
  });

  it('with an earlier timestamp also cover the factors before the first timestamp', async () => {
    const { person } = await equipped();
    const sinceNow = new Date(world.app.clock.nowMs() - 7.5 * DAY * 1_000).toISOString();
    await world.app.sql(`UPDATE totp_factors SET created_at = $2 WHERE user_id = $1`, [person.id, sinceNow]);
    const dueAt = await recover(person, sinceNow);
    world.app.clock.advance(HOUR);
    expect(await recover(person, AGES_AGO)).toBeGreaterThan(dueAt);
    await pass(DAY);
    expect(await left(person)).toEqual([]);
  });

  it.each(['recovery', 'administrator'])('by both a recovery and an administrator run, %s first', async (order) => {
    const { person } = await equipped();
    const plans = [() => recover(person, ['totp']), () => ask(person)];
    if (order === 'administrator') plans.reverse();
    const dueAt = [await plans[0]!(), await plans[1]!()];
    expect(Math.abs(dueAt[0]! - dueAt[1]!)).toBeGreaterThan((DAY - 60) * 1_000);
    await pass(DAY + 60);
    expect(await left(person)).toEqual(['passkeys', 'recovery_codes']);
    await pass(DAY);
    expect(await left(person)).toEqual([]);
  });

  it("by a recovery stay when an administrator cancels the administrator's own", async () => {
    const { person } = await equipped();
    const { token } = await administrator();
    const path = `/api/mfa/${person.id}/reset`;
    await recover(person, 'all');
    await world.app.as(token).delete(path).expect(404);
    await ask(person, token);
    await world.app.as(token).delete(path).expect(200);
    await world.app.as(token).delete(path).expect(404);
    const { body } = await world.app.as(token).get(`/api/mfa/${person.id}`).expect(200);
    expect((body as { data: { reset_due_at?: string } }).data.reset_due_at).toBeUndefined();
    await pass(DAY + 60);
    expect(await left(person)).toEqual([]);
  });

  it('by one administrator stay when another one with a scheduled removal loses the role', async () => {
    const { person } = await equipped();
    const first = await administrator();
    await ask(person, first.token);
    await ask(person);
    await world.app.sql('DELETE FROM user_roles WHERE user_id = $1', [first.person.id]);
    await pass(ADMIN_DELAY + 60);
    expect(await left(person)).toEqual([]);
  });

  it('by a recovery with a former address do not replace one with the new address', async () => {
    const { person } = await equipped();
    await recover(person, 'all');
    const moved = { ...person, email: `moved.${person.email}` };
    await world.app.sql('UPDATE users SET email = $2, email_key = $2 WHERE id = $1', [person.id, moved.email]);
    await recover(moved, 'all');
    await pass(DAY + 60);
    expect(await left(person)).toEqual([]);
  });

  it('stay when another recovery is rejected for its factor', async () => {
    const { person } = await equipped();
    await recover(person, 'all');
    const proof = { token: await mailedProof(person), method: 'recovery_code', code: 'AAAAA-AAAAA' };
    const reset = { ...proof, password: NEW, password_confirmation: NEW, revoke: ['totp'] };
    await world.app.asGuest().post('/api/auth/local/recover/reset', reset).expect(401);
    await pass(DAY + 60);
    expect(await left(person)).toEqual([]);
  });

  it('are all cancelled by a sign-in with a factor', async () => {
    const { person, passkey } = await equipped();
    await recover(person, ['totp']);
    await recover(person, 'all');
    await ask(person);
    expect((await passkeySignIn(world.app, passkey)).status).toBe(200);
    await pass(ADMIN_DELAY + 60);
    expect(await left(person)).toEqual(EVERYTHING);
  });

  it('of recovery codes since a timestamp cover codes older than the window', async () => {
    const { person } = await equipped();
    const codesSince = new Date(world.app.clock.nowMs() - 7.5 * DAY * 1_000).toISOString();
    await world.app.sql(`UPDATE recovery_codes SET created_at = $2 WHERE user_id = $1`, [person.id, codesSince]);
    expect((await recover(person, codesSince)) - world.app.clock.nowMs()).toBeGreaterThan((DAY - 60) * 1_000);
    expect(await left(person)).toEqual(EVERYTHING);
    await pass(DAY + 60);
    expect(await left(person)).toEqual(['passkeys', 'totp']);
  });

  it('with a timestamp wait for old factors, and remove recent recovery codes immediately', async () => {
    const { person } = await equipped();
    await world.app.sql('UPDATE recovery_codes SET created_at = $2 WHERE user_id = $1', [
      person.id,
      new Date(world.app.clock.nowMs() - DAY * 1_000),
    ]);
    expect(await recover(person, AGES_AGO)).not.toBeNaN();
    expect(await left(person)).toEqual(['passkeys', 'totp']);
    await pass(DAY + 60);
    expect(await left(person)).toEqual([]);
  });

  it('with a timestamp in another time zone equal to that of the recovery codes run', async () => {
    const { person } = await equipped();
    const codesSince = new Date(world.app.clock.nowMs() - 7.5 * DAY * 1_000);
    await world.app.sql('UPDATE recovery_codes SET created_at = $2 WHERE user_id = $1', [person.id, codesSince]);
    const elsewhere = new Date(codesSince.getTime() + 2 * HOUR * 1_000).toISOString().replace('Z', '+02:00');
    await recover(person, elsewhere);
    await pass(DAY + 60);
    expect(await left(person)).toEqual(['passkeys', 'totp']);
  });

  it('of recovery codes older than the timestamp are not scheduled', async () => {
    const { person } = await equipped();
    const later = new Date(world.app.clock.nowMs() - 7.5 * DAY * 1_000).toISOString();
    expect(await recover(person, later)).toBeNaN();
    await pass(DAY + 60);
    expect(await left(person)).toEqual(EVERYTHING);
  });

  it('of recovery codes since a timestamp run immediately within the window with a proof', async () => {
    const { person } = await equipped();
    await world.app.sql('DELETE FROM recovery_codes WHERE user_id = $1', [person.id]);
    const since = new Date(world.app.clock.nowMs()).toISOString();
    await writeRecoveryCode(world.app, person.id);
    expect(await recover(person, since)).toBeNaN();
    expect(await left(person)).toEqual(['passkeys', 'totp']);
    const code = await writeRecoveryCode(world.app, person.id);
    await writeRecoveryCode(world.app, person.id);
    await pass(8 * DAY);
    const proof = { token: await mailedProof(person), method: 'recovery_code', code };
    const reset = { ...proof, password: NEW, password_confirmation: NEW, revoke: since };
    const { body } = await world.app.asGuest().post('/api/auth/local/recover/reset', reset).expect(200);
    expect(body).toEqual({ data: true });
    expect(await left(person)).toEqual(['passkeys', 'totp']);
  });
});
