import { KeyRotation } from '../../../src/platform/keys/key-rotation.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD, signedIn, signIn } from '../../support/people.js';
import {
  addAuthenticator,
  codeAt,
  halfway,
  secured,
  stepNow,
  writeRecoveryCode,
} from '../../support/second-factors.js';

const OLD = 'the key before is long enough to be one';
const STEP_UP = '/api/auth/mfa/step-up';

describe('changes of second factors', () => {
  const world = useMailedApp({ env: { APP_KEY: OLD } });
  const errorOf = ({ body }: { body: unknown }) => (body as { data?: { error?: string } }).data?.error ?? null;
  const raise = (token: string, body: object) => world.app.as(token).post(STEP_UP, body);

  it('a removal notifies the owner, and the factor is not required any more', async () => {
    const { person, token, id } = await secured(world.app);
    await world.app.as(token).delete(`/api/auth/mfa/${id}`).expect(200);
    await signIn(world.app, person);
    await world.app.get(JobWorker).drain();
    expect((await world.mailTo(person.email)).subject).toContain('removed');
    expect(errorOf(await world.app.as(token).delete(`/api/auth/mfa/${id}`))).toBe('factor_not_found');
  });

  it('a removal keeps the other factors', async () => {
    const { person, token, id } = await secured(world.app);
    const other = await addAuthenticator(world.app, token);
    await world.app.as(token).delete(`/api/auth/mfa/${id}`).expect(200);
    world.app.clock.advance(30);
    const mfa_token = await halfway(world.app, person);
    const code = codeAt(other.secret, stepNow(world.app));
    await world.app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method: 'totp', code }).expect(200);
  });

  it('are not available to other accounts', async () => {
    const { id } = await secured(world.app);
    const stranger = await signedIn(world.app);
    for (const path of [id, 'nothing', '00000000-0000-0000-0000-000000000000'])
      expect(errorOf(await world.app.as(stranger.token).delete(`/api/auth/mfa/${path}`))).toBe('factor_not_found');
    expect((await world.app.asGuest().delete(`/api/auth/mfa/${id}`)).status).toBe(401);
  });

  describe('in a session that started without the factor', () => {
    async function early() {
      const person = await createPerson(world.app);
      const token = await signIn(world.app, person);
      const added = await addAuthenticator(world.app, await signIn(world.app, person));
      world.app.clock.advance(30);
      return { person, token, ...added };
    }

    it.each([
      ['adding another factor', 'post', '/api/auth/mfa/totp', { name: 'an app' }],
      ['creating recovery codes', 'post', '/api/auth/mfa/recovery-codes', {}],
      ['removing the factor', 'delete', '/api/auth/mfa/:id', {}],
      ['the data export', 'get', '/api/auth/me/export', {}],
      ['creating an API key', 'post', '/api/auth/keys', { name: 'a key', current_password: PASSWORD }],
    ] as const)('need it for %s, instead of the password', async (_, method, path, body) => {
      const { token, id, secret } = await early();
      const client = world.app.as(token);
      const ask = () => (method === 'post' ? client.post(path, body) : client[method](path.replace(':id', id)));
      expect(errorOf(await ask())).toBe('step_up_required');
      expect(errorOf(await raise(token, { method: 'password', password: PASSWORD }))).toBe('step_up_required');
      expect(errorOf(await ask())).toBe('step_up_required');
      await raise(token, { method: 'totp', code: codeAt(secret, stepNow(world.app)) }).expect(200);
      expect((await ask()).status).toBeLessThan(300);
    });

    it('need it again after ten minutes', async () => {
      const { token, secret } = await early();
      await raise(token, { method: 'totp', code: codeAt(secret, stepNow(world.app)) }).expect(200);
      await world.app.as(token).post('/api/auth/mfa/totp', {}).expect(200);
      world.app.clock.advance(601);
      expect(errorOf(await world.app.as(token).post('/api/auth/mfa/totp', {}))).toBe('step_up_required');
    });

    it('reject a used code and a wrong code', async () => {
      const { token, secret } = await early();
      const code = codeAt(secret, stepNow(world.app));
      expect(errorOf(await raise(token, { method: 'totp', code: '000000' }))).toBe('mfa_invalid');
      await raise(token, { method: 'totp', code }).expect(200);
      expect(errorOf(await raise(token, { method: 'totp', code }))).toBe('mfa_invalid');
      expect((await raise(token, { method: 'totp' })).status).toBe(422);
      expect((await raise(token, { method: 'magic', code })).status).toBe(422);
    });
  });

  it('survive a change of APP_KEY: every factor works with the previous key, and without it once re-encrypted', async () => {
    const { person, secret } = await secured(world.app);
    const NEW = 'the key after is long enough to be one';
    const both = await world.app.secondInstance({ env: { APP_KEY: NEW, APP_KEY_PREVIOUS: OLD } });
    const verify = async (app: typeof both) => {
      const code = codeAt(secret, stepNow(app));
      const body = { mfa_token: await halfway(app, person), method: 'totp', code };
      return app.asGuest().post('/api/auth/mfa/verify', body);
    };
    try {
      expect((await verify(both)).status).toBe(200);
      const rotated = await both.get(KeyRotation).rotate();
      expect(rotated.find(({ name }) => name === 'factors.totp')).toMatchObject({ unreadable: 0, left: 0 });
    } finally {
      await both.stop();
    }
    world.app.clock.advance(30);
    const alone = await world.app.secondInstance({ env: { APP_KEY: NEW } });
    try {
      expect((await verify(alone)).status).toBe(200);
    } finally {
      await alone.stop();
    }
  });

  it('without the previous key: the start logs it, apps are rejected, and recovery codes work', async () => {
    const { person, secret } = await secured(world.app);
    const paper = await writeRecoveryCode(world.app, person.id);
    const alone = await world.app.secondInstance({ env: { APP_KEY: 'a key that has sealed nothing of all this' } });
    try {
      const logLines = alone.log.filter((line) => line.includes('factors.totp'));
      expect(logLines).toHaveLength(1);
      expect(logLines[0]).toContain('neither APP_KEY nor in APP_KEY_PREVIOUS');
      expect(logLines[0]).toContain('Recovery codes and passkeys are accepted');
      expect(logLines[0]).not.toContain(secret);
      const mfa_token = await halfway(alone, person);
      const verify = (body: object) => alone.asGuest().post('/api/auth/mfa/verify', { mfa_token, ...body });
      const code = codeAt(secret, stepNow(alone));
      expect(errorOf(await verify({ method: 'totp', code }))).toBe('mfa_invalid');
      await verify({ method: 'recovery_code', code: paper }).expect(200);
    } finally {
      await alone.stop();
    }
  });
});
