import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { eventsOf } from '../../support/audit-log.js';
import { race } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { signedIn } from '../../support/people.js';
import { codeAt, halfway, halfways, secured, stepNow } from '../../support/second-factors.js';

describe('recovery codes', () => {
  const world = useMailedApp();
  const make = async (token: string): Promise<string[]> =>
    (await world.app.as(token).post('/api/auth/mfa/recovery-codes', {}).expect(200)).body.data as string[];
  const verify = (mfa_token: string, code: string, method = 'recovery_code') =>
    world.app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method, code });

  it('are ten, returned once, and stored as hashes independent of our keys', async () => {
    const { person, token } = await secured(world.app);
    const codes = await make(token);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    const rows = await world.app.sql('SELECT * FROM recovery_codes WHERE user_id = $1', [person.id]);
    for (const code of codes) expect(JSON.stringify(rows)).not.toContain(code.replaceAll('-', ''));
    expect((await world.app.as(token).get('/api/auth/mfa')).body.data).toMatchObject({ recovery_codes: 10 });
    const loggedEvents = await eventsOf(world.app, `resource = $1`, [`user:${person.id}`]);
    for (const code of codes) expect(JSON.stringify(loggedEvents)).not.toContain(code);
  });

  it.each([
    ['as it is shown', (code: string) => code],
    ['in small letters, with spaces', (code: string) => ` ${code.toLowerCase().replaceAll('-', ' ')} `],
    ['without its hyphens', (code: string) => code.replaceAll('-', '')],
    ['with the letters that look like digits', (code: string) => code.replaceAll('0', 'O').replaceAll('1', 'l')],
  ])('sign in once, %s, and notify the owner of the remaining number', async (_, typed) => {
    const { person, token } = await secured(world.app);
    const [code = ''] = await make(token);
    const { body } = await verify(await halfway(world.app, person), typed(code)).expect(200);
    const used = await world.app.as((body as { token: string }).token).get('/api/auth/mfa');
    expect(used.body.data).toMatchObject({ recovery_codes: 9 });
    expect((await verify(await halfway(world.app, person), code)).body).toMatchObject({
      data: { error: 'mfa_invalid' },
    });
    await world.app.get(JobWorker).drain();
    expect((await world.mailTo(person.email)).text).toContain('Remaining codes: 9');
    const events = await eventsOf(world.app, `action = 'factor.recover' AND resource = $1`, [`user:${person.id}`]);
    expect(events).toMatchObject([{ changes: { left: { after: 9 } } }]);
  });

  it('let one of sixteen concurrent requests with one code in', async () => {
    const { person, token } = await secured(world.app);
    const [code = ''] = await make(token);
    const halves = await halfways(world.app, person, 16);
    let next = 0;
    expect(await race(16, () => verify(halves[next++]!, code))).toEqual({ 200: 1, 401: 15 });
  });

  it('let the owner in after guesses at the codes during the whole day', async () => {
    const { person, token, secret } = await secured(world.app);
    const [code = ''] = await make(token);
    for (let tries = 0; tries < 8; tries += 1) await verify(await halfway(world.app, person), '000000', 'totp');
    await verify(await halfway(world.app, person), code).expect(200);
    expect(secret).not.toBe('');
  });

  it('are not valid for another account', async () => {
    const { person } = await secured(world.app);
    const other = await secured(world.app);
    const [code = ''] = await make(other.token);
    expect((await verify(await halfway(world.app, person), code)).status).toBe(401);
    await verify(await halfway(world.app, other.person), code).expect(200);
  });

  it('are revoked by new ones and with the last factor', async () => {
    const { person, token, id } = await secured(world.app);
    const [old = ''] = await make(token);
    await make(token);
    expect((await verify(await halfway(world.app, person), old)).status).toBe(401);
    await world.app.as(token).delete(`/api/auth/mfa/${id}`).expect(200);
    expect(await world.app.sql('SELECT 1 FROM recovery_codes WHERE user_id = $1', [person.id])).toEqual([]);
  });

  it('are created once for concurrent requests: those of one response are valid', async () => {
    const { person, token } = await secured(world.app);
    const all = await Promise.all([make(token), make(token), make(token)]);
    const kept = await world.app.sql('SELECT 1 FROM recovery_codes WHERE user_id = $1', [person.id]);
    expect([all.length, kept.length]).toEqual([3, 10]);
  });

  it('need an account with a factor', async () => {
    const { token } = await signedIn(world.app);
    const answer = await world.app.as(token).post('/api/auth/mfa/recovery-codes', {});
    expect([answer.status, answer.body.data.error]).toEqual([409, 'no_second_factor']);
  });

  it.each(['', '-', '0'.repeat(99), 'ILOVEU-ILOVEU', '\u0000'])('are rejected as %j', async (code) => {
    const { person } = await secured(world.app);
    expect([401, 422]).toContain((await verify(await halfway(world.app, person), code)).status);
  });

  it('work after the encryption key of the app is lost', async () => {
    const { person, token, secret } = await secured(world.app);
    const [code = ''] = await make(token);
    const lost = await world.app.secondInstance({ env: { APP_KEY: 'a key that knows nothing of the one before it' } });
    try {
      const half = await halfway(lost, person);
      const post = (body: object) => lost.asGuest().post('/api/auth/mfa/verify', { mfa_token: half, ...body });
      const app = await post({ method: 'totp', code: codeAt(secret, stepNow(lost)) });
      expect(app.body).toMatchObject({ data: { error: 'mfa_invalid' } });
      await post({ method: 'recovery_code', code }).expect(200);
    } finally {
      await lost.stop();
    }
  });
});
