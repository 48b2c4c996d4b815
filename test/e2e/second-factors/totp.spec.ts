import { generateSync } from 'otplib/functional';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { eventsOf } from '../../support/audit-log.js';
import { race } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD, signedIn, signIn } from '../../support/people.js';
import { addAuthenticator, codeAt, halfway, halfways, secured, stepNow } from '../../support/second-factors.js';
import type { TestApp } from '../../support/test-app.js';

const VERIFY = '/api/auth/mfa/verify';

describe('an authenticator app', () => {
  const world = useMailedApp({ env: { RATE_LIMIT_ENABLED: 'true' } });
  let peer: TestApp;

  beforeAll(async () => {
    peer = await world.app.secondInstance({ env: { RATE_LIMIT_ENABLED: 'true', MAIL_URL: world.mailbox.url } });
  });
  afterAll(() => peer?.stop());

  const verify = (mfa_token: string, code: unknown, app = world.app) =>
    app.asGuest().post(VERIFY, { mfa_token, method: 'totp', code });
  const errorOf = ({ body }: { body: unknown }) => (body as { data?: { error?: string } }).data?.error ?? null;

  it('is added with its first code, and required from then on', async () => {
    const { person, token } = await signedIn(world.app);
    const { body } = await world.app
      .as(token)
      .post('/api/auth/mfa/totp', { name: 'Phone', current_password: PASSWORD })
      .expect(200);
    const { id, secret, otpauth_url: address } = body.data as Record<string, string>;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const url = new URL(address!);
    expect([url.protocol, url.host, url.searchParams.get('secret')]).toEqual(['otpauth:', 'totp', secret]);
    expect(url.searchParams.get('issuer')).toBe('Lintel');
    expect(decodeURIComponent(url.pathname)).toContain(person.email);
    // An unconfirmed factor is not required at sign-in.
    await signIn(world.app, person);
    expect((await world.app.as(token).get('/api/auth/mfa')).body).toEqual({ data: { factors: [], recovery_codes: 0 } });
    const confirm = { id, code: generateSync({ secret: secret!, epoch: Math.floor(world.app.clock.nowMs() / 1_000) }) };
    expect(confirm.code).toBe(codeAt(secret!, stepNow(world.app)));
    await world.app.as(token).post('/api/auth/mfa/totp/confirm', confirm).expect(200);
    await halfway(world.app, person);
    const [factor] = (await world.app.as(token).get('/api/auth/mfa')).body.data.factors as unknown[];
    expect(factor).toEqual({
      id,
      type: 'totp',
      name: 'Phone',
      created_at: expect.any(String),
      last_used_at: expect.any(String),
    });
    await world.app.get(JobWorker).drain();
    expect((await world.mailTo(person.email)).text).toContain('Phone');
    const events = await eventsOf(world.app, `action = 'factor.add' AND resource = $1`, [`user:${person.id}`]);
    expect(events).toMatchObject([
      { actor: `account:${person.id}`, changes: { type: { after: 'totp' }, name: { after: 'Phone' } } },
    ]);
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  it('is encrypted in the database', async () => {
    const { secret, id } = await secured(world.app);
    const [row] = await world.app.sql<{ sealed_secret: string }>(
      'SELECT sealed_secret FROM totp_factors WHERE id = $1',
      [id],
    );
    expect(row!.sealed_secret).toMatch(/^v1\.[0-9a-f]{16}\./);
    expect(row!.sealed_secret).not.toContain(secret);
    expect(Buffer.from(row!.sealed_secret.split('.')[2]!, 'base64url').toString('latin1')).not.toContain(secret);
  });

  it.each([-1, 0, 1])('accepts the code of a clock that is %i steps off', async (drift) => {
    const { person, secret } = await secured(world.app);
    world.app.clock.advance(60);
    const token = await halfway(world.app, person);
    expect((await verify(token, codeAt(secret, stepNow(world.app) + drift))).status).toBe(200);
  });

  it.each([-2, 2, 20])('rejects the code of a clock that is %i steps off', async (drift) => {
    const { person, secret } = await secured(world.app);
    world.app.clock.advance(120);
    const token = await halfway(world.app, person);
    expect(errorOf(await verify(token, codeAt(secret, stepNow(world.app) + drift)))).toBe('mfa_invalid');
  });

  it('accepts a code once, on any instance, and no earlier one', async () => {
    const { person, secret } = await secured(world.app);
    const step = stepNow(world.app);
    await verify(await halfway(world.app, person), codeAt(secret, step)).expect(200);
    for (const app of [world.app, peer])
      for (const used of [step, step - 1])
        expect(errorOf(await verify(await halfway(app, person), codeAt(secret, used), app))).toBe('mfa_invalid');
    world.app.clock.advance(30);
    expect(errorOf(await verify(await halfway(peer, person), codeAt(secret, step), peer))).toBe('mfa_invalid');
    await verify(await halfway(world.app, person), codeAt(secret, step + 1)).expect(200);
  });

  it('rejects the code by which it was added', async () => {
    const { person, token } = await signedIn(world.app);
    const { secret } = await addAuthenticator(world.app, token);
    const code = codeAt(secret, stepNow(world.app));
    expect(errorOf(await verify(await halfway(world.app, person), code))).toBe('mfa_invalid');
  });

  it('accepts one of sixteen concurrent requests with one code, on two instances', async () => {
    const { person, secret } = await secured(world.app);
    const tokens = await halfways(world.app, person, 16);
    const code = codeAt(secret, stepNow(world.app));
    const before = await world.app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [person.id]);
    let next = 0;
    const counts = await race(16, () => {
      const at = next++;
      return verify(tokens[at]!, code, at % 2 === 0 ? world.app : peer);
    });
    expect(counts[200]).toBe(1);
    expect(Object.keys(counts).every((status) => ['200', '401', '429'].includes(status))).toBe(true);
    expect(await world.app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [person.id])).toHaveLength(
      before.length + 1,
    );
  });

  it('accepts one of sixteen concurrent requests of one sign-in, with any codes', async () => {
    const { person, secret } = await secured(world.app);
    world.app.clock.advance(60);
    const token = await halfway(world.app, person);
    let next = 0;
    const counts = await race(16, () => verify(token, codeAt(secret, stepNow(world.app) - 1 + (next++ % 3))));
    expect(counts[200]).toBe(1);
  });

  it('limits guesses over many sign-ins, also with the correct password in between', async () => {
    const { person, secret } = await secured(world.app);
    const answers: (string | null)[] = [];
    for (let tries = 0; tries < 9; tries += 1) {
      const token = await halfway(world.app, person);
      answers.push(errorOf(await verify(token, '000000')));
    }
    expect(answers.filter((error) => error === 'mfa_invalid')).toHaveLength(7);
    expect(answers.at(-1)).toBe('rate_limited');
    const right = codeAt(secret, stepNow(world.app));
    const late = await verify(await halfway(world.app, person), right);
    expect([late.status, Number(late.headers['retry-after']) > 0]).toEqual([429, true]);
    world.app.clock.advance(901);
    await verify(await halfway(world.app, person), codeAt(secret, stepNow(world.app))).expect(200);
  });

  it('limits guesses while it is added, too', async () => {
    const { token } = await signedIn(world.app);
    const { body } = await world.app.as(token).post('/api/auth/mfa/totp', { current_password: PASSWORD }).expect(200);
    const { id } = body.data as { id: string };
    const confirm = () => world.app.as(token).post('/api/auth/mfa/totp/confirm', { id, code: '000000' });
    const errors: (string | null)[] = [];
    for (let tries = 0; tries < 9; tries += 1) errors.push(errorOf(await confirm()));
    expect(errors.at(-1)).toBe('rate_limited');
    expect(errors[0]).toBe('mfa_invalid');
  });

  it.each([
    ['letters', 'abcdef'],
    ['too few digits', '12345'],
    ['too many digits', '1234567'],
    ['digits of other scripts', '١٢٣٤٥٦'],
    ['nothing but spaces', '      '],
    ['SQL', `' OR 1=1 --`],
  ])('rejects %s', async (_, code) => {
    const { person } = await secured(world.app);
    const answer = await verify(await halfway(world.app, person), code);
    expect([401, 422]).toContain(answer.status);
  });

  it.each([[1_234_567], [{ $ne: '' }], [['000000']], [null], ['0'.repeat(2_000_000)], ['\0'], ['\ud800']])(
    'rejects a malformed code with a client error: %#',
    async (code) => {
      const { person } = await secured(world.app);
      const answer = await verify(await halfway(world.app, person), code);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    },
  );

  it('rejects unknown methods', async () => {
    const { person } = await secured(world.app);
    for (const method of ['password', 'passkey', '__proto__', 'toString', 'otp']) {
      const mfa_token = await halfway(world.app, person);
      const answer = await world.app.asGuest().post(VERIFY, { mfa_token, method, code: PASSWORD });
      expect(['mfa_invalid', 'rate_limited']).toContain(errorOf(answer));
    }
  });

  it('waits ten minutes for its first code, of the same account', async () => {
    const { token } = await signedIn(world.app);
    const other = await signedIn(world.app);
    const { body } = await world.app.as(token).post('/api/auth/mfa/totp', { current_password: PASSWORD }).expect(200);
    const { id, secret } = body.data as { id: string; secret: string };
    const confirm = (as: string) => {
      const answer = { id, code: codeAt(secret, stepNow(world.app)) };
      return world.app.as(as).post('/api/auth/mfa/totp/confirm', answer);
    };
    expect(errorOf(await confirm(other.token))).toBe('factor_not_found');
    world.app.clock.advance(601);
    const { body: proven } = await world.app
      .as(token)
      .post('/api/auth/mfa/step-up', { method: 'password', password: PASSWORD });
    expect(proven).toEqual({ data: true });
    expect(errorOf(await confirm(token))).toBe('factor_not_found');
  });

  it('is limited to ten per account', async () => {
    const { token } = await signedIn(world.app);
    await world.app.as(token).post('/api/auth/mfa/step-up', { method: 'password', password: PASSWORD }).expect(200);
    const begin = () => world.app.as(token).post('/api/auth/mfa/totp', {});
    const counts = await race(12, begin);
    expect(counts).toEqual({ 200: 10, 409: 2 });
  });

  it('is deleted with the account, and is part of the data export', async () => {
    const { person, token, id, secret } = await secured(world.app);
    const { body } = await world.app.as(token).get('/api/auth/me/export').expect(200);
    const text = JSON.stringify(body);
    expect(body).toMatchObject({ second_factors: [{ id, type: 'totp' }] });
    expect(text).not.toContain(secret);
    await world.app.sql('DELETE FROM users WHERE id = $1', [person.id]);
    expect(await world.app.sql('SELECT 1 FROM totp_factors WHERE id = $1', [id])).toEqual([]);
  });

  it('is removed by the first proof of an address that an administrator changed', async () => {
    const thief = await createPerson(world.app);
    await addAuthenticator(world.app, await signIn(world.app, thief));
    await world.app.sql('UPDATE users SET email_verified_at = NULL WHERE id = $1', [thief.id]);
    const { mailAfterRequest, tokenOf } = await import('../../support/flows.js');
    await world.app.asGuest().post('/api/auth/local/recover', { email: thief.email }).expect(200);
    const token = tokenOf(await mailAfterRequest(world, thief.email));
    const password = 'my own walnut 49';
    const reset = { token, password, password_confirmation: password };
    await world.app.asGuest().post('/api/auth/local/recover/reset', reset).expect(200);
    await signIn(world.app, { email: thief.email, password });
  });

  it('stays when its owner sets another password by mail', async () => {
    const { person, secret } = await secured(world.app);
    const { mailAfterRequest, tokenOf } = await import('../../support/flows.js');
    await world.app.asGuest().post('/api/auth/local/recover', { email: person.email }).expect(200);
    const token = tokenOf(await mailAfterRequest(world, person.email));
    const password = 'my other walnut 50';
    const reset = { token, password, password_confirmation: password };
    await world.app.asGuest().post('/api/auth/local/recover/reset', reset).expect(200);
    expect(await world.app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [person.id])).toEqual([]);
    const half = await halfway(world.app, { ...person, password });
    await verify(half, codeAt(secret, stepNow(world.app))).expect(200);
  });
});
