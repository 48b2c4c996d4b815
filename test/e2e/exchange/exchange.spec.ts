import { AccountService } from '../../../src/identity/auth/account.service.js';
import { ExchangeCodes } from '../../../src/identity/auth/exchange/exchange-codes.service.js';
import type { NewSession } from '../../../src/identity/auth/sign-in/sign-in-method.port.js';
import { nativeApp } from '../../support/native-app.js';
import { createPerson, type Person } from '../../support/people.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

const EXCHANGE = '/api/auth/exchange';
const CODE_INVALID = { code: '401', message: expect.any(String), data: { error: 'code_invalid' } };

describe('POST /api/auth/exchange', () => {
  const world = useTestApp();
  const exchange = (body: unknown, app: TestApp = world.app) => app.asGuest().post(EXCHANGE, body);
  const sessionOf = (person: Person): NewSession => ({
    userId: person.id,
    provider: 'acme',
    client: { address: '192.0.2.7', device: 'A browser' },
    credentialsVersion: 0,
  });
  const issue = (person: Person, codeChallenge: string | null = null): Promise<string> =>
    world.app.get(ExchangeCodes).issue(sessionOf(person), { codeChallenge });
  const sessionsOf = (person: Person) =>
    world.app.sql('SELECT provider, device, address FROM sessions WHERE user_id = $1', [person.id]);

  describe('200', () => {
    it('returns a token set that signs in, with the session of the browser', async () => {
      const person = await createPerson(world.app);
      const { body, headers } = await exchange({ code: await issue(person) }).expect(200);
      expect(Object.keys(body).sort()).toEqual(['expires', 'token']);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['set-cookie']).toBeUndefined();
      const me = await world.app.as(body.token).get('/api/auth/me').expect(200);
      expect(me.body.id).toBe(person.id);
      expect(await sessionsOf(person)).toEqual([{ provider: 'acme', device: 'A browser', address: '192.0.2.7' }]);
    });

    it('accepts the verifier of the challenge', async () => {
      const { challenge, verifier } = nativeApp();
      const code = await issue(await createPerson(world.app), challenge);
      await exchange({ code, code_verifier: verifier }).expect(200);
    });

    it('exchanges on one instance what another issued, once', async () => {
      const second = await world.app.secondInstance();
      try {
        const person = await createPerson(world.app);
        const code = await issue(person);
        await exchange({ code }, second).expect(200);
        await exchange({ code }).expect(401);
        expect(await sessionsOf(person)).toHaveLength(1);
      } finally {
        await second.stop();
      }
    });

    it('returns refresh tokens too if they are on', async () => {
      const refreshing = await world.app.secondInstance({ env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
      try {
        const { body } = await exchange({ code: await issue(await createPerson(world.app)) }, refreshing).expect(200);
        expect(Object.keys(body).sort()).toEqual(['expires', 'refresh_token', 'refresh_token_expires', 'token']);
      } finally {
        await refreshing.stop();
      }
    });

    it('keeps several codes of one user apart', async () => {
      const person = await createPerson(world.app);
      const codes = [await issue(person), await issue(person)];
      for (const code of codes) await exchange({ code }).expect(200);
    });
  });

  describe('401', () => {
    it('rejects a second use', async () => {
      const person = await createPerson(world.app);
      const code = await issue(person);
      await exchange({ code }).expect(200);
      const { body } = await exchange({ code }).expect(401);
      expect(body).toEqual(CODE_INVALID);
      expect(await sessionsOf(person)).toHaveLength(1);
    });

    it('lets one of 16 concurrent exchanges succeed, over two instances', async () => {
      const second = await world.app.secondInstance();
      try {
        const person = await createPerson(world.app);
        const { challenge, verifier } = nativeApp();
        const code = await issue(person, challenge);
        const answers = await Promise.all(
          Array.from({ length: 16 }, (_, index) =>
            exchange({ code, code_verifier: verifier }, index % 2 === 0 ? world.app : second),
          ),
        );
        expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
          200,
          ...Array<number>(15).fill(401),
        ]);
        expect(await sessionsOf(person)).toHaveLength(1);
      } finally {
        await second.stop();
      }
    });

    it('rejects a code after 60 seconds, and not before', async () => {
      const person = await createPerson(world.app);
      const [late, inTime] = [await issue(person), await issue(person)];
      world.app.clock.advance(58);
      await exchange({ code: inTime }).expect(200);
      world.app.clock.advance(2);
      const { body } = await exchange({ code: late }).expect(401);
      expect(body).toEqual(CODE_INVALID);
    });

    it.each([
      ['another verifier', nativeApp().verifier],
      ['no verifier', undefined],
      ['an empty verifier', ''],
      ['the challenge itself', 'challenge'],
      ['a verifier that is too short', 'x'.repeat(42)],
      ['a verifier that is too long', 'x'.repeat(129)],
      ['a verifier of other characters', 'ü'.repeat(43)],
    ])('consumes a code at %s', async (_name, wrong) => {
      const person = await createPerson(world.app);
      const { challenge, verifier } = nativeApp();
      const code = await issue(person, challenge);
      const { body } = await exchange({ code, code_verifier: wrong === 'challenge' ? challenge : wrong }).expect(401);
      expect(body).toEqual(CODE_INVALID);
      await exchange({ code, code_verifier: verifier }).expect(401);
      expect(await sessionsOf(person)).toEqual([]);
    });

    it('rejects a verifier for a code without a challenge', async () => {
      const person = await createPerson(world.app);
      const code = await issue(person);
      await exchange({ code, code_verifier: nativeApp().verifier }).expect(401);
      expect(await sessionsOf(person)).toEqual([]);
    });

    it('rejects an account that was deactivated meanwhile', async () => {
      const person = await createPerson(world.app);
      const code = await issue(person);
      await world.app.sql('UPDATE users SET activated = false WHERE id = $1', [person.id]);
      const { body } = await exchange({ code }).expect(401);
      expect(body).toEqual(CODE_INVALID);
      await world.app.sql('UPDATE users SET activated = true WHERE id = $1', [person.id]);
      await exchange({ code }).expect(401);
      expect(await sessionsOf(person)).toEqual([]);
    });

    it('rejects an account whose credentials were revoked meanwhile', async () => {
      const person = await createPerson(world.app);
      await world.app.get(AccountService).setPassword(person.id, 'another sturdy walnut');
      const code = await world.app.get(ExchangeCodes).issue(sessionOf(person), { codeChallenge: null });
      await exchange({ code }).expect(401);
      expect(await sessionsOf(person)).toEqual([]);
    });

    it('rejects an account that was deleted meanwhile', async () => {
      const person = await createPerson(world.app);
      const code = await issue(person);
      await world.app.sql('DELETE FROM users WHERE id = $1', [person.id]);
      await exchange({ code }).expect(401);
    });

    it.each(['x', 'x'.repeat(43), ' ', "' OR 1=1 --", '\u0000', '../../etc/passwd', '✓ ✓'])(
      'rejects the invalid code %j',
      async (code) => {
        const { body } = await exchange({ code }).expect(401);
        expect(body).toEqual(CODE_INVALID);
      },
    );

    it('rejects an access token and the stored hash', async () => {
      const person = await createPerson(world.app);
      const code = await issue(person);
      const [row] = await world.app.sql<{ secret_hash: string }>(
        `SELECT secret_hash FROM one_time_secrets WHERE purpose = 'exchange' AND user_id = $1`,
        [person.id],
      );
      expect(JSON.stringify(row)).not.toContain(code);
      await exchange({ code: row!.secret_hash }).expect(401);
      const { body } = await exchange({ code }).expect(200);
      await exchange({ code: body.token }).expect(401);
    });
  });

  describe('422', () => {
    it.each([
      [{}, 'code'],
      [{ code: null }, 'code'],
      [{ code: '' }, 'code'],
      [{ code: ['a'] }, 'code'],
      [{ code: { $gt: '' } }, 'code'],
      [{ code: 1 }, 'code'],
      [{ code: 'a', code_verifier: 1 }, 'code_verifier'],
      [{ code: 'a', code_verifier: null }, 'code_verifier'],
      [{ code: 'a', code_verifier: ['b'] }, 'code_verifier'],
      [{ code: 'a', code_verifier: {} }, 'code_verifier'],
    ])('rejects %j', async (body, field) => {
      const answer = await exchange(body).expect(422);
      expect(answer.body.data.errors).toEqual([{ field, code: expect.any(String), message: expect.any(String) }]);
    });

    it('does not consume a code that is sent with a malformed verifier', async () => {
      const code = await issue(await createPerson(world.app));
      await exchange({ code, code_verifier: 7 }).expect(422);
      await exchange({ code }).expect(200);
    });
  });

  it('rejects forms and GET', async () => {
    const code = await issue(await createPerson(world.app));
    await world.app.asGuest().post(EXCHANGE).type('form').send({ code }).expect(415);
    await world.app.asGuest().get(`${EXCHANGE}?code=${code}`).expect(405);
    await exchange({ code }).expect(200);
  });

  it('logs neither code nor verifier nor token', async () => {
    const { challenge, verifier } = nativeApp();
    const code = await issue(await createPerson(world.app), challenge);
    const { body } = await exchange({ code, code_verifier: verifier }).expect(200);
    await exchange({ code, code_verifier: verifier }).expect(401);
    const log = world.app.log.join('\n');
    expect(log).toContain(EXCHANGE);
    for (const secret of [code, verifier, body.token as string]) expect(log).not.toContain(secret);
  });
});
