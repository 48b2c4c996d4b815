import { hash } from '@node-rs/argon2';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { tokenOf } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const LOGIN = '/api/auth/local/login';
const RESET = '/api/auth/local/recover/reset';
const AUTH = JSON.stringify({ providers: { local: { activation_method: 'auto' } } });

/** Pairs of different passwords that are equal for code that drops bytes. */
const NEAR_PAIRS: [name: string, one: string, other: string][] = [
  ['differ in case', 'Sturdy Walnut 47', 'sturdy walnut 47'],
  ['differ behind a NUL', 'walnut\u0000 one', 'walnut\u0000 two'],
  ['differ in composition', 'caf\u00e9 walnut', 'cafe\u0301 walnut'],
  ['differ in width', 'ｗalnut forty seven', 'walnut forty seven'],
  ['differ in a trailing space', 'walnut tree', 'walnut tree '],
  ['differ in a line break', 'walnut\ntree', 'walnut\r\ntree'],
  ['differ behind 72 bytes', `${'w'.repeat(72)}one`, `${'w'.repeat(72)}two`],
  ['differ behind 255 characters', `${'w'.repeat(255)}1`, `${'w'.repeat(255)}2`],
  ['differ in a zero-width character', 'walnut\u200b tree', 'walnut tree'],
];

describe('passwords', () => {
  const world = useMailedApp({ env: { AUTH } });
  const post = (path: string, body: unknown) => world.app.asGuest().post(path, body);
  let counter = 0;

  const register = (password: string, password_confirmation = password) => {
    const email = `password${(counter += 1)}@example.com`;
    return { email, answer: post('/api/auth/local/register', { email, password, password_confirmation }) };
  };

  it.each<[name: string, password: string, status: number, code: string]>([
    ['8 letters', 'wälnuts!', 201, ''],
    ['7 letters', 'wälnut!', 422, 'password_too_short'],
    ['8 characters of 4 bytes', '🌰🌲🌳🌴🌵🌷🌸🌹', 201, ''],
    ['7 characters of 4 bytes (14 units, 28 bytes)', '🌰🌲🌳🌴🌵🌷🌸', 422, 'password_too_short'],
    ['256 letters', 'w'.repeat(256), 201, ''],
    ['257 letters', 'w'.repeat(257), 422, 'password_too_long'],
    ['256 characters of 4 bytes', '🌰'.repeat(256), 201, ''],
    ['257 characters of 4 bytes', '🌰'.repeat(257), 422, 'password_too_long'],
    ['8 spaces', ' '.repeat(8), 201, ''],
    ['a NUL', 'walnut\u0000tree', 201, ''],
    ['a lone surrogate', 'walnut\ud800tree', 422, 'characters_invalid'],
    ['one of the commonest', 'password1', 422, 'password_too_common'],
    ['one of the commonest, in capitals', 'PASSWORD1', 422, 'password_too_common'],
  ])('%s: stored byte for byte or rejected', async (_name, password, status, code) => {
    const { email, answer } = register(password);
    const { body } = await answer.expect(status);
    if (status === 201) await post(LOGIN, { login: email, password }).expect(200);
    else expect(body.data.errors[0]).toMatchObject({ field: 'password', code });
  });

  it.each(NEAR_PAIRS)('two that %s are different', async (_name, one, other) => {
    expect((await register(one, other).answer.expect(400)).body.data.error).toBe('password_mismatch');
    const { email, answer } = register(one);
    await answer.expect(201);
    await post(LOGIN, { login: email, password: other }).expect(401);
    await post(LOGIN, { login: email, password: one }).expect(200);
  });

  it('a reset has the same rules, and a rejected one keeps the old password and the token', async () => {
    const person = await createPerson(world.app);
    await post('/api/auth/local/recover', { email: person.email }).expect(200);
    await world.app.get(JobWorker).drain();
    const token = tokenOf(await world.mailTo(person.email));
    for (const password of ['🌰'.repeat(7), '🌰'.repeat(257), 'PASSWORD1', 'walnut\ud800tree', ['a'], 12_345_678, {}])
      await post(RESET, { token, password, password_confirmation: password }).expect(422);
    for (const [, one, other] of NEAR_PAIRS)
      expect(
        (await post(RESET, { token, password: one, password_confirmation: other }).expect(400)).body.data.error,
      ).toBe('password_mismatch');
    await post(LOGIN, { login: person.email, password: person.password }).expect(200);
    const password = '🌰'.repeat(256);
    await post(RESET, { token, password, password_confirmation: password }).expect(200);
    await post(LOGIN, { login: person.email, password }).expect(200);
  });

  it('sixteen concurrent sign-ins with the correct password succeed while the hash is renewed', async () => {
    const passwordHash = await hash(PASSWORD, { algorithm: 2, memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    const person = await createPerson(world.app, { passwordHash });
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => post(LOGIN, { login: person.email, password: PASSWORD })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
  });
});

/** More than may wait (128). Each hash takes a tenth of a second of a shared core. */
const FLOOD = 200;

describe('a flood of hashes', () => {
  const world = useTestApp({ hasher: 'real' });

  it('returns 503 with Retry-After beyond a bound, and other requests succeed', async () => {
    const logins = Array.from({ length: FLOOD }, (_, index) =>
      world.app.asGuest().post(LOGIN, { login: `nobody${index}@example.com`, password: 'wrong password' }),
    );
    const [answers, alive] = await Promise.all([Promise.all(logins), world.app.asGuest().get('/api/auth/methods')]);
    expect(alive.status).toBe(200);
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status === 401).length + refused.length).toBe(FLOOD);
    for (const { body, headers } of refused) {
      expect(body.data).toEqual({ error: 'server_busy' });
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    await world.app.asGuest().post(LOGIN, { login: 'nobody@example.com', password: 'wrong password' }).expect(401);
    // 130 hashes take 13 seconds of a core that other processes may use.
  });
});
