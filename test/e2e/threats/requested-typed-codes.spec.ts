import { AUTH_LIMITS } from '../../../src/identity/auth/auth.limits.js';
import { MAX_OWN_ATTEMPTS } from '../../../src/identity/auth/code-requesters/code-requesters.service.js';
import { useMailedApp } from '../../support/mailbox.js';
import { OWNER, PHONE, requestedCodes, strangerAddress, wrongFor } from '../../support/requested-codes.js';
import { createPerson, type Person } from '../../support/people.js';

const AUTH = JSON.stringify({ providers: { local: { verification_method: 'otp', activation_method: 'email' } } });
const ENV = {
  AUTH_CLI_LOGIN_ENABLED: 'true',
  AUTH,
  RATE_LIMIT_ENABLED: 'true',
  AUTH_OTP_ENABLED: 'true',
  TRUST_PROXY: '1',
};
const PASSWORDS = { password: 'a wholly new walnut', password_confirmation: 'a wholly new walnut' };

const world = useMailedApp({ env: ENV });
const { post, drain, newestCode, newestOf } = requestedCodes(world);

beforeEach(() => world.app.clock.advance(901));

describe.each([
  ['recovery', 'local/recover', 'local/recover/check'],
  ['activation', 'local/activate/send', 'local/activate'],
])('a typed code of %s', (kind, path, check) => {
  const isRecovery = kind === 'recovery';
  const createOwner = (): Promise<Person> => createPerson(world.app, isRecovery ? {} : { activated: false });

  async function session(email: string, address = OWNER): Promise<string> {
    const { body } = await post(path, { email }, address).expect(200);
    await drain();
    return body.session_id as string;
  }

  async function expectGood(session_id: string, code: string): Promise<void> {
    const answer = await post(check, { session_id, code }).expect(200);
    if (!isRecovery) return;
    expect(answer.body).toEqual({ valid: true });
    await post('local/recover/reset', { session_id, ...PASSWORDS }).expect(200);
  }

  async function useUpAttempts(sessions: readonly string[], code: string): Promise<void> {
    for (let tries = 0; tries < 20; tries += 1)
      await post(
        check,
        { session_id: sessions[tries % sessions.length], code: wrongFor(code, tries) },
        strangerAddress(),
      );
  }

  it('is valid in the session of the owner after a newer request of a stranger', async () => {
    const { email } = await createOwner();
    const own = await session(email);
    const older = await newestCode(email);
    const strangers = await session(email, strangerAddress());
    const code = await newestOf(email, 2);
    await useUpAttempts([strangers], code);
    await post(check, { session_id: own, code: older });
    await expectGood(own, code);
  });

  it('is valid in the session of the owner after an earlier request of a stranger', async () => {
    const { email } = await createOwner();
    const strangers = await session(email, strangerAddress());
    const own = await session(email);
    const code = await newestOf(email, 2);
    await useUpAttempts([strangers], code);
    await expectGood(own, code);
  });

  it('is valid in the session of the owner after a stranger has used up the mails of the address', async () => {
    const { email } = await createOwner();
    const strangers: string[] = [];
    for (let mails = 0; mails < AUTH_LIMITS.mailAddress.points; mails += 1)
      strangers.push(await session(email, strangerAddress()));
    const own = await session(email);
    const code = await newestOf(email, AUTH_LIMITS.mailAddress.points);
    await useUpAttempts(strangers, code);
    await expectGood(own, code);
  });

  it('is valid in the session of the owner after 1,000 requests and guesses from four networks', async () => {
    const { email } = await createOwner();
    const strangers: string[] = [];
    const address = (index: number): string => `198.51.${index >> 8}.${index & 255}`;
    for (let sent = 0; sent < 1_000; sent += 50)
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const { body } = await post(path, { email }, address(sent + index)).expect(200);
          strangers.push(body.session_id as string);
        }),
      );
    await drain();
    const own = await session(email);
    const code = await newestOf(email, AUTH_LIMITS.mailAddress.points);
    for (let sent = 0; sent < 1_000; sent += 50)
      await Promise.all(
        strangers
          .slice(sent, sent + 50)
          .map((session_id, index) => post(check, { session_id, code: wrongFor(code, sent + index) }, address(index))),
      );
    await expectGood(own, code);
  });

  it('gives an account a bounded number of sessions and guesses', async () => {
    const person = await createOwner();
    const sessions: string[] = [];
    for (let networks = 0; networks < 40; networks += 1) sessions.push(await session(person.email, strangerAddress()));
    const code = await newestOf(person.email, AUTH_LIMITS.mailAddress.points);
    const rows = await world.app.sql(`SELECT 1 FROM one_time_secrets WHERE user_id = $1 AND purpose = $2`, [
      person.id,
      `${kind}-session`,
    ]);
    expect(rows).toHaveLength(MAX_OWN_ATTEMPTS);
    await useUpAttempts(sessions, code);
    await useUpAttempts(sessions.slice(20), code);
    const attempted = 'SELECT 1 FROM code_requesters WHERE user_id = $1 AND attempted';
    expect((await world.app.sql(attempted, [person.id])).length).toBeLessThanOrEqual(MAX_OWN_ATTEMPTS);
  });
});

describe('a recovery session', () => {
  async function recovering(email: string, address = OWNER): Promise<string> {
    const { body } = await post('local/recover', { email }, address).expect(200);
    await drain();
    return body.session_id as string;
  }

  it('with a checked code stays usable after newer requests, until it expires', async () => {
    const { email } = await createPerson(world.app);
    const [first, second] = [await recovering(email), await recovering(email, PHONE)];
    const code = await newestOf(email, 2);
    for (const session_id of [first, second])
      expect((await post('local/recover/check', { session_id, code }).expect(200)).body).toEqual({ valid: true });
    for (let requests = 0; requests < 3; requests += 1) await recovering(email, strangerAddress());
    await post('local/recover/reset', { session_id: first, ...PASSWORDS }).expect(200);
    const answer = await post('local/recover/reset', { session_id: second, ...PASSWORDS }).expect(400);
    expect(answer.body).toMatchObject({ data: { error: 'token_invalid' } });
    const { email: other } = await createPerson(world.app);
    const late = await recovering(other);
    const digits = await newestCode(other);
    await post('local/recover/check', { session_id: late, code: digits }).expect(200);
    world.app.clock.advance(901);
    await post('local/recover/reset', { session_id: late, ...PASSWORDS }).expect(400);
  });

  it('of one account rejects a code of another, and an older code', async () => {
    const [one, other] = [await createPerson(world.app), await createPerson(world.app)];
    const [session_id] = [await recovering(one.email), await recovering(other.email)];
    const [code, foreign] = [await newestCode(one.email), await newestCode(other.email)];
    await recovering(one.email, strangerAddress());
    const newest = await newestOf(one.email, 2);
    for (const wrong of new Set([code, foreign]))
      if (wrong !== newest)
        expect((await post('local/recover/check', { session_id, code: wrong }).expect(200)).body).toEqual({
          valid: false,
        });
  });
});
