import { DatabaseRateLimitStore } from '../../../src/platform/http/rate-limit/database-rate-limit-store.js';
import { RateLimitStore } from '../../../src/platform/http/rate-limit/rate-limit-store.port.js';
import { AUTH_LIMITS } from '../../../src/identity/auth/auth.limits.js';
import { createPerson } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const LOGIN = '/api/auth/local/login';
const { loginAccount } = AUTH_LIMITS;

describe('guessing passwords', () => {
  const world = useTestApp({ env: { RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: '1' } });
  const guess = (login: string, password = 'a wrong password', address = '192.0.2.1') =>
    world.app.asGuest().post(LOGIN, { login, password }).set('x-forwarded-for', address);

  it('200 concurrent guesses get no more attempts than 200 in sequence', async () => {
    const person = await createPerson(world.app);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => guess(person.email, 'wrong password', `198.51.100.${index % 250}`)),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect({ refused: count(401), limited: count(429) }).toEqual({
      refused: loginAccount.points,
      limited: 200 - loginAccount.points,
    });
    const limited = answers.find((answer) => answer.status === 429);
    expect(limited?.body).toEqual({ code: '429', message: expect.any(String), data: { error: 'rate_limited' } });
    expect(Number(limited?.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(limited?.headers['retry-after'])).toBeLessThanOrEqual(loginAccount.durationSeconds);
  });

  it('a lock-out applies to the correct password and every spelling of the login, and expires', async () => {
    const person = await createPerson(world.app, { username: 'Locked' });
    for (let tries = 0; tries < loginAccount.points; tries += 1) {
      await guess([person.email, person.email.toUpperCase(), 'locked', 'LOCKED'][tries % 4] as string).expect(401);
    }
    for (const login of [person.email, 'Locked']) await guess(login, person.password).expect(429);
    await guess(person.email, person.password, '203.0.113.9').expect(429);
    world.app.clock.advance(loginAccount.durationSeconds + 1);
    await guess(person.email, person.password).expect(200);
  });

  it('a successful sign-in returns its attempt: many of them are no attack', async () => {
    const person = await createPerson(world.app);
    for (let round = 0; round < loginAccount.points * 2; round += 1)
      await guess(person.email, person.password).expect(200);
    await guess(person.email).expect(401);
  });

  it('one address is limited over all accounts, with its /64; another address is not', async () => {
    const answers: number[] = [];
    for (let tries = 0; tries <= AUTH_LIMITS.loginAddress.points; tries += 1) {
      answers.push((await guess(`nobody${tries}@example.com`, 'wrong password', `2001:db8:0:1::${tries + 1}`)).status);
    }
    expect(answers.slice(0, -1).every((status) => status === 401)).toBe(true);
    expect(answers.at(-1)).toBe(429);
    await guess('someone@example.com', 'wrong password', '2001:db8:0:2::1').expect(401);
  });

  it('101 failed sign-ins from 101 addresses with ports leave others their attempts', async () => {
    for (let tries = 0; tries <= AUTH_LIMITS.loginAddress.points; tries += 1)
      await guess(`ported${tries}@example.com`, 'wrong password', `100.64.9.${tries}:${40_000 + tries}`).expect(401);
    await guess('other@example.com', 'wrong password', '100.64.10.1:40000').expect(401);
    await guess('other@example.com', 'wrong password', '[2001:db8:9::1]:40000').expect(401);
  });

  it('the port of an address does not renew its attempts', async () => {
    const answers: number[] = [];
    for (let tries = 0; tries <= AUTH_LIMITS.loginAddress.points; tries += 1) {
      const spelling = [`192.0.2.60:${tries + 1}`, '::ffff:192.0.2.60', '[::ffff:192.0.2.60]:80', '192.0.2.60'][
        tries % 4
      ]!;
      answers.push((await guess(`port${tries}@example.com`, 'wrong password', spelling)).status);
    }
    expect([answers.filter((status) => status === 401).length, answers.at(-1)]).toEqual([100, 429]);
  });

  it('an unreadable address shares no attempts with others, and is logged once', async () => {
    const answers: number[] = [];
    for (let tries = 0; tries <= AUTH_LIMITS.loginAddress.points; tries += 1)
      answers.push((await guess(`vague${tries}@example.com`, 'wrong password', 'unknown')).status);
    expect(answers.at(-1)).toBe(429);
    await guess('vague@example.com', 'wrong password', '_hidden').expect(401);
    const lines = world.app.log.filter((line) => line.includes('Check TRUST_PROXY'));
    expect(lines).toHaveLength(1);
  });

  it('an untrusted forwarded header has no effect', async () => {
    const answers: number[] = [];
    for (let tries = 0; tries <= AUTH_LIMITS.loginAddress.points; tries += 1) {
      const request = world.app
        .asGuest()
        .post(LOGIN, { login: `none${tries}@example.com`, password: 'wrong password' });
      // Only one proxy is trusted, so only the last entry counts.
      answers.push((await request.set('x-forwarded-for', `10.0.${tries}.1, 192.0.2.77`)).status);
    }
    expect(answers.at(-1)).toBe(429);
  });

  it('the limit is shared by all instances', async () => {
    const person = await createPerson(world.app);
    const second = await world.app.secondInstance({ env: { RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: '1' } });
    for (let tries = 0; tries < loginAccount.points; tries += 1)
      await guess(person.email, 'wrong password', '192.0.2.50').expect(401);
    const body = { login: person.email, password: person.password };
    await second.asGuest().post(LOGIN, body).set('x-forwarded-for', '192.0.2.51').expect(429);
    await second.stop();
  });

  it('counts are deleted an hour after they expire, not before, and no others', async () => {
    const store = world.app.get(RateLimitStore) as DatabaseRateLimitStore;
    const keys = async () =>
      (await world.app.sql<{ key: string }>('SELECT key FROM rate_limits')).map(({ key }) => key);
    await world.app.sql('TRUNCATE rate_limits');
    await guess('early@example.com', 'wrong password', '192.0.2.90').expect(401);
    const early = await keys();
    world.app.clock.advance(loginAccount.durationSeconds + 3_540);
    await guess('late@example.com', 'wrong password', '192.0.2.91').expect(401);
    const late = (await keys()).filter((key) => !early.includes(key));
    expect(await store.clearExpired()).toBe(0);
    world.app.clock.advance(120);
    expect(await store.clearExpired()).toBe(early.length);
    expect({ early: early.length > 0, left: (await keys()).sort() }).toEqual({ early: true, left: late.sort() });
  });
});
