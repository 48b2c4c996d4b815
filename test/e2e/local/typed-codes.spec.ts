import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';
import type { NewUser } from '../../../src/identity/users/users.service.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson } from '../../support/people.js';

const CHECK = 'local/recover/check';
const ACTIVATE = 'local/activate';
const SERIES = 14;
const PASSWORDS = { password: 'a wholly new walnut', password_confirmation: 'a wholly new walnut' };

/** Owners of an address. Null: the address has no account. */
const OWNERS: Record<string, Partial<NewUser> | null> = {
  'an active account': {},
  'an account that was never active': { activated: false },
  'an account without a password': { passwordHash: null, provider: 'google' },
  'an inactive account without a password': { activated: false, passwordHash: null, provider: 'google' },
  nobody: null,
};

describe('wrong typed codes', () => {
  const AUTH = JSON.stringify({ providers: { local: { verification_method: 'otp', activation_method: 'email' } } });
  const world = useMailedApp({ env: { AUTH, RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: '1' } });
  let counter = 0;
  /** Sends each request from a new client address, so that only limits of the account or the session count. */
  const post = (path: string, body: unknown) => {
    counter += 1;
    const address = `198.18.${counter >> 8}.${counter & 255}`;
    return world.app.asGuest().post(`/api/auth/${path}`, body).set('x-forwarded-for', address);
  };

  async function addressOf(owner: Partial<NewUser> | null): Promise<string> {
    counter += 1;
    return owner === null ? `nobody${counter}@example.com` : (await createPerson(world.app, owner)).email;
  }

  async function session(path: string, email: string): Promise<string> {
    const { body } = await post(path === CHECK ? 'local/recover' : 'local/activate/send', { email }).expect(200);
    await world.app.get(JobWorker).drain();
    return body.session_id as string;
  }

  async function tell(path: string, body: unknown): Promise<string> {
    const { status, body: answer } = await post(path, body);
    return `${status} ${JSON.stringify(answer)}`;
  }

  /** Runs the same steps for every kind of owner, asserts that all saw the same, and returns it. */
  async function playAll(path: string, play: (email: string) => Promise<readonly string[]>): Promise<string[]> {
    const seen: string[] = [];
    for (const owner of Object.values(OWNERS)) seen.push(JSON.stringify(await play(await addressOf(owner))));
    expect(new Set(seen).size).toBe(1);
    return JSON.parse(seen[0]!) as string[];
  }

  /** Returns the number of rate-limited responses. */
  const limited = (answers: readonly string[]): number => answers.filter((answer) => answer.startsWith('429')).length;

  describe.each([CHECK, ACTIVATE])('%s', (path) => {
    it('respond the same to a long series, for any address', async () => {
      const answers = await playAll(path, async (email) => {
        const session_id = await session(path, email);
        const seen: string[] = [];
        for (let tries = 0; tries < SERIES; tries += 1)
          seen.push(await tell(path, { session_id, code: `x${String(tries).padStart(5, '0')}` }));
        return seen;
      });
      // The first attempt of a session does not count towards the ten of its mailbox.
      expect(limited(answers)).toBe(3);
      expect(answers.slice(11).every((answer) => answer.startsWith('429'))).toBe(true);
    });

    it('respond the same to concurrent requests', async () => {
      const answers = await playAll(path, async (email) => {
        const session_id = await session(path, email);
        const guesses = Array.from({ length: 40 }, (_, index) => tell(path, { session_id, code: `x${index}` }));
        return (await Promise.all(guesses)).sort();
      });
      expect(limited(answers)).toBe(29);
    });

    it('respond the same over several sessions of an address, in any spelling', async () => {
      const answers = await playAll(path, async (email) => {
        const seen: string[] = [];
        const sessions: string[] = [];
        for (const spelling of [email, email.toUpperCase(), email]) {
          sessions.push(await session(path, spelling));
          for (const session_id of sessions) {
            seen.push(await tell(path, { session_id, code: '12345' }));
            seen.push(await tell(path, { session_id, code: '99999x' }));
            seen.push(await tell(path, { session_id, code: 'x' }));
          }
        }
        return seen;
      });
      // 18 attempts: three are the first ones of their sessions, ten are those of the mailbox.
      expect(limited(answers)).toBe(5);
    });

    it('respond the same once the session has expired', async () => {
      const answers = await playAll(path, async (email) => {
        const session_id = await session(path, email);
        world.app.clock.advance(840);
        const young = await tell(path, { session_id, code: 'x' });
        world.app.clock.advance(61);
        return [young, await tell(path, { session_id, code: 'x' })];
      });
      expect(answers[0]).not.toMatch(/expired/);
      if (path === ACTIVATE) expect(answers[1]).toMatch(/^400 .*token_expired/);
    });

    it('respond to a session that was never issued as to one that does not exist', async () => {
      const issued = await session(path, await addressOf(null));
      const seen: string[] = [];
      for (const session_id of [issued, 'x', 'A'.repeat(43), `${issued.slice(0, -2)}xx`, `${issued}${issued}`]) {
        const answers: string[] = [];
        for (let tries = 0; tries < SERIES; tries += 1) answers.push(await tell(path, { session_id, code: 'x' }));
        seen.push(JSON.stringify(answers));
      }
      expect(new Set(seen).size).toBe(1);
    });

    it('run the same statements for a known and an unknown address', async () => {
      const known = path === CHECK ? {} : { activated: false };
      const sessions = [await session(path, await addressOf(known)), await session(path, await addressOf(null))];
      const runner = Object.getPrototypeOf(world.app.database.createQueryRunner()) as {
        query: (text: string) => unknown;
      };
      const query = jest.spyOn(runner, 'query');
      const seen: string[] = [];
      for (const session_id of sessions) {
        query.mockClear();
        await post(path, { session_id, code: 'x' });
        const texts = query.mock.calls.map(([text]) => text);
        seen.push(JSON.stringify(texts.filter((text) => text.includes('one_time_secrets'))));
      }
      query.mockRestore();
      expect(seen[0]).toBe(seen[1]);
      expect(seen[0]).toContain('attempts_left');
    });
  });

  it('a reset with an unchecked code is rejected the same, new and expired, before hashing', async () => {
    const hash = jest.spyOn(world.app.get(PasswordHasher), 'hash');
    const answers = await playAll(CHECK, async (email) => {
      const session_id = await session(CHECK, email);
      hash.mockClear();
      const young = await tell('local/recover/reset', { session_id, ...PASSWORDS });
      expect(hash).not.toHaveBeenCalled();
      world.app.clock.advance(901);
      return [young, await tell('local/recover/reset', { session_id, ...PASSWORDS })];
    });
    hash.mockRestore();
    expect(answers[0]).toMatch(/^400 .*token_invalid/);
    expect(answers[1]).toMatch(/^400 .*token_expired/);
  });

  it('leave the correct code of another session valid until the attempts of the address are used up', async () => {
    const person = await createPerson(world.app);
    const strangers = await session(CHECK, person.email);
    for (let tries = 0; tries < 4; tries += 1) await tell(CHECK, { session_id: strangers, code: 'x' });
    const session_id = await session(CHECK, person.email);
    await world.mailTo(person.email);
    const { codes } = await world.mailbox.waitFor(person.email, 2);
    expect(await tell(CHECK, { session_id, code: codes[0] })).toBe('200 {"valid":true}');
    await post('local/recover/reset', { session_id, ...PASSWORDS }).expect(200);
  });
});
