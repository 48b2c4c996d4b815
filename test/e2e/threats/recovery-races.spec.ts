import type { Response } from 'supertest';
import { DataSource } from 'typeorm';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { eventsOf } from '../../support/audit-log.js';
import { mailAfterRequest, race, tokenOf } from '../../support/flows.js';
import { until, useMailedApp } from '../../support/mailbox.js';
import { addPasskey, optionsOf, passkeySignIn } from '../../support/passkeys.js';
import { createPerson, type Person, signedIn, signIn } from '../../support/people.js';
import {
  addAuthenticator,
  codeAt,
  halfway,
  halfways,
  secured as withApp,
  stepNow,
  writeRecoveryCode,
} from '../../support/second-factors.js';

const NEW = 'a wholly new walnut';
const WRONG = 'AAAAA-AAAAA';
const WAITING = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const OTP = JSON.stringify({ providers: { local: { verification_method: 'otp', activation_method: 'auto' } } });

/** Creates an account with an authenticator app and this number of recovery codes. */
async function withCodes(world: ReturnType<typeof useMailedApp>, count: number) {
  const person = await createPerson(world.app);
  await addAuthenticator(world.app, await signIn(world.app, person));
  await world.app.sql('DELETE FROM recovery_codes WHERE user_id = $1', [person.id]);
  const codes = await Promise.all(Array.from({ length: count }, () => writeRecoveryCode(world.app, person.id)));
  await world.app.get(JobWorker).drain();
  return { person, codes };
}

/** Sends requests that wait for a change of the credentials, which is then committed. Returns the responses. */
async function duringChange(
  { app }: ReturnType<typeof useMailedApp>,
  { id }: Person,
  count: number,
  send: () => readonly PromiseLike<Response>[],
): Promise<readonly Response[]> {
  const runner = app.get(DataSource).createQueryRunner();
  try {
    await runner.startTransaction();
    await runner.query('UPDATE users SET credentials_version = credentials_version + 1 WHERE id = $1', [id]);
    const sent = Promise.all(send());
    await until(async () => (await app.sql(WAITING)).length === count, 'the requests to wait');
    await runner.commitTransaction();
    return await sent;
  } finally {
    await runner.release();
  }
}

function refusalOf({ status, body }: Response): string {
  return `${status} ${(body as { data: { error: string } }).data.error}`;
}

describe('a recovery with a second factor', () => {
  const world = useMailedApp();
  const post = (path: string, body: unknown) => world.app.asGuest().post(`/api/auth/${path}`, body);
  const codesLeft = async ({ id }: Person) =>
    (await world.app.sql('SELECT 1 FROM recovery_codes WHERE user_id = $1', [id])).length;

  async function mailed({ email }: Person): Promise<string> {
    await world.app.get(JobWorker).drain();
    await post('local/recover', { email }).expect(200);
    return tokenOf(await mailAfterRequest(world, email));
  }
  const resetWith = (token: string, factor: object) =>
    post('local/recover/reset', { token, password: NEW, password_confirmation: NEW, ...factor });
  const recoveryCode = (code: string | undefined) => ({ method: 'recovery_code', code });

  it.each([2, 4, 10, 16])('that loses a race of %i for a mailed link consumes no recovery code', async (count) => {
    const { person, codes } = await withCodes(world, count);
    const token = await mailed(person);
    const unused = [...codes];
    const counts = await race(count, () => resetWith(token, recoveryCode(unused.pop())));
    expect(counts).toEqual({ 200: 1, 400: count - 1 });
    expect(await codesLeft(person)).toBe(count - 1);
    const used = await eventsOf(world.app, `action = 'factor.recover' AND resource = $1`, [`user:${person.id}`]);
    expect(used).toHaveLength(1);
    await world.app.get(JobWorker).drain();
    const mails = world.mailbox.mailsTo(person.email).filter(({ text }) => text.includes('A recovery code'));
    expect(mails).toHaveLength(1);
  });

  it('with a wrong code leaves the mailed link valid', async () => {
    const { person, codes } = await withCodes(world, 2);
    const token = await mailed(person);
    expect((await resetWith(token, recoveryCode(WRONG))).status).toBe(401);
    const attempts = [...Array<string>(15).fill(WRONG), codes[0]!];
    const counts = await race(16, () => resetWith(token, recoveryCode(attempts.pop())));
    expect(counts[200]).toBe(1);
    expect(await codesLeft(person)).toBe(1);
    await halfway(world.app, { ...person, password: NEW });
  });

  it('that loses the race consumes no authenticator code', async () => {
    const { person, secret } = await withApp(world.app);
    const token = await mailed(person);
    const code = codeAt(secret, stepNow(world.app));
    const counts = await race(16, () => resetWith(token, { method: 'totp', code, revoke: ['keys'] }));
    expect(counts).toEqual({ 200: 1, 400: 15 });
    world.app.clock.advance(30);
    const second = await mailed(person);
    const recovery = await writeRecoveryCode(world.app, person.id);
    await resetWith(second, recoveryCode(recovery)).expect(200);
    const next = codeAt(secret, stepNow(world.app));
    expect((await resetWith(second, { method: 'totp', code: next })).status).toBe(400);
    const mfa_token = await halfway(world.app, { ...person, password: NEW });
    await post('mfa/verify', { mfa_token, method: 'totp', code: next }).expect(200);
  });

  it('concurrent with sign-ins by recovery codes and another link causes no server error', async () => {
    const { person, codes } = await withCodes(world, 16);
    const tokens: string[] = [];
    while (tokens.length < 8) tokens.push(await halfway(world.app, person));
    const token = await mailed(person);
    const unused = [...codes];
    const counts = await race(16, () => {
      const mfa_token = unused.length % 2 === 0 ? tokens.pop() : undefined;
      const factor = recoveryCode(unused.pop());
      return mfa_token === undefined ? resetWith(token, factor) : post('mfa/verify', { mfa_token, ...factor });
    });
    expect(Object.keys(counts).filter((status) => Number(status) >= 500)).toEqual([]);
    expect(counts[400]).toBe(7);
  });

  it.each([1, 6])('that is finished first leaves its recovery code to each of %i sign-ins', async (count) => {
    const { person, codes } = await withCodes(world, count);
    const tokens = await halfways(world.app, person, count);
    const sent = await duringChange(world, person, count, () =>
      codes.map((code, place) => post('mfa/verify', { mfa_token: tokens[place], ...recoveryCode(code) })),
    );
    expect(sent.map(refusalOf)).toEqual(Array(count).fill('401 mfa_token_invalid'));
    expect(await codesLeft(person)).toBe(count);
    expect(await eventsOf(world.app, `action = 'factor.recover' AND resource = $1`, [`user:${person.id}`])).toEqual([]);
  });

  it('that is finished first leaves its recovery code to a step-up', async () => {
    const { person, codes } = await withCodes(world, 2);
    const mfa_token = await halfway(world.app, person);
    const { body } = await post('mfa/verify', { mfa_token, ...recoveryCode(codes[1]) }).expect(200);
    const { token } = body as { token: string };
    const sent = await duringChange(world, person, 1, () => [
      world.app.as(token).post('/api/auth/mfa/step-up', recoveryCode(codes[0])),
    ]);
    expect(sent.map(refusalOf)).toEqual(['401 token_invalid']);
    expect(await codesLeft(person)).toBe(1);
  });

  it('with a cloned passkey is rejected, notifies the owner, and leaves the link valid', async () => {
    const { person, token: session } = await signedIn(world.app);
    const passkey = await addPasskey(world.app, session);
    for (let time = 0; time < 2; time += 1) expect((await passkeySignIn(world.app, passkey)).status).toBe(200);
    const token = await mailed(person);
    const mfa_token = await halfway(world.app, person);
    const sign = async (twist: object) =>
      passkey.get(await optionsOf(post('mfa/passkeys/challenge', { mfa_token }).expect(200)), twist);
    const copied = { method: 'passkey', credential: await sign({ signCount: 1 }) };
    expect((await resetWith(token, copied)).status).toBe(401);
    const copies = await eventsOf(world.app, `action = 'factor.copy' AND resource = $1`, [`user:${person.id}`]);
    expect(copies).toHaveLength(1);
    const credential = await sign({});
    await resetWith(token, { method: 'passkey', credential, revoke: ['totp'] }).expect(200);
  });
});

describe('a recovery by a typed code, with a second factor', () => {
  const world = useMailedApp({ env: { AUTH: OTP } });

  it('that loses a race for the session consumes no recovery code', async () => {
    const { person, codes } = await withCodes(world, 16);
    const post = (path: string, body: unknown) => world.app.asGuest().post(`/api/auth/${path}`, body);
    const { body } = await post('local/recover', { email: person.email }).expect(200);
    const { session_id } = body as { session_id: string };
    const { codes: digits } = await mailAfterRequest(world, person.email);
    await post('local/recover/check', { session_id, code: digits[0] }).expect(200);
    const reset = { session_id, password: NEW, password_confirmation: NEW, method: 'recovery_code' };
    const unused = [...codes];
    const counts = await race(16, () => post('local/recover/reset', { ...reset, code: unused.pop() }));
    expect(counts).toEqual({ 200: 1, 400: 15 });
    expect(await world.app.sql('SELECT 1 FROM recovery_codes WHERE user_id = $1', [person.id])).toHaveLength(15);
  });
});
