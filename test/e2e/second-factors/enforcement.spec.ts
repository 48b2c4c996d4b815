import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { eventsOf } from '../../support/audit-log.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD, signedIn, signIn } from '../../support/people.js';
import {
  addAuthenticator,
  codeAt,
  halfway,
  refusedForFactor,
  secured,
  stepNow,
  writeRecoveryCode,
} from '../../support/second-factors.js';
import type { TestApp } from '../../support/test-app.js';

const DAY = 86_400;

describe('a role that requires a second factor', () => {
  const world = useMailedApp();
  let peer: TestApp;
  let names = 0;
  beforeAll(async () => {
    peer = await world.app.secondInstance({ env: { MAIL_URL: world.mailbox.url } });
  });
  afterAll(() => peer?.stop());

  const errorOf = ({ status, body }: { status: number; body: unknown }) =>
    (body as { data?: { error?: string } }).data?.error ?? status;
  async function role(fields: object = {}): Promise<{ id: string; name: string; root: string }> {
    const { token: root } = await signedIn(world.app, { roles: ['admin'] });
    const name = `careful${(names += 1)}`;
    const permissions = [{ resource: 'content.user.list', value: 'allow' }];
    const { body } = await world.app
      .as(root)
      .post('/api/content/roles', { name, permissions, ...fields })
      .expect(201);
    return { id: (body as { data: { id: string } }).data.id, name, root };
  }
  const users = (token: string, app = world.app) => app.as(token).get('/api/content/users?limit=1');

  it('applies to the next request of an existing session, on every instance', async () => {
    const { id, name, root } = await role();
    const { token } = await signedIn(world.app, { roles: [name] });
    await users(token).expect(200);
    await users(token, peer).expect(200);
    await world.app.as(root).patch(`/api/content/roles/${id}`, { mfa: 'required' }).expect(200);
    const refused = await users(token);
    expect([refused.status, errorOf(refused)]).toEqual([403, 'mfa_enrollment_required']);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(errorOf(await users(token, peer))).toBe('mfa_enrollment_required');
    for (const path of ['/api/auth/sessions', '/api/auth/keys', '/api/auth/me/export', '/api/auth/permissions'])
      expect([path, errorOf(await world.app.as(token).get(path))]).toEqual([path, 'mfa_enrollment_required']);
    await world.app.as(token).get('/api/auth/me').expect(200);
    await world.app.as(token).get('/api/auth/mfa').expect(200);
    const { id: factor } = await addAuthenticator(world.app, token);
    await users(token).expect(200);
    await world.app.as(token).delete(`/api/auth/mfa/${factor}`).expect(200);
    expect(errorOf(await users(token))).toBe('mfa_enrollment_required');
    await world.app.as(token).post('/api/auth/logout', {}).expect(200);
  });

  it('applies to accounts that get the role, and asks accounts with a factor for it', async () => {
    const { id, root } = await role({ mfa: 'required' });
    const person = await createPerson(world.app);
    const early = await signIn(world.app, person);
    const { secret } = await addAuthenticator(world.app, await signIn(world.app, person));
    await world.app
      .as(root)
      .patch(`/api/content/users/${person.id}`, { roles: { $add: [{ id }] } })
      .expect(200);
    const refused = await users(early);
    expect([refused.status, errorOf(refused)]).toEqual([401, 'step_up_required']);
    expect(refused.headers['www-authenticate']).toContain('acr_values="level2"');
    world.app.clock.advance(30);
    const code = codeAt(secret, stepNow(world.app));
    await world.app.as(early).post('/api/auth/mfa/step-up', { method: 'totp', code }).expect(200);
    await users(early).expect(200);
  });

  it('waits for its days of grace: since the requirement and since the creation of the account', async () => {
    const { name } = await role({ mfa: 'required', mfa_grace_days: 3 });
    const first = await createPerson(world.app, { roles: [name] });
    await users(await signIn(world.app, first)).expect(200);
    world.app.clock.advance(2 * DAY);
    const second = await createPerson(world.app, { roles: [name] });
    world.app.clock.advance(DAY + 60);
    await refusedForFactor(world.app, first);
    const late = await signIn(world.app, second);
    await users(late).expect(200);
    world.app.clock.advance(2 * DAY);
    await refusedForFactor(world.app, second);
  });

  it('does not affect API keys', async () => {
    const { id, name, root } = await role();
    const { token } = await signedIn(world.app, { roles: [name] });
    const { body } = await world.app
      .as(token)
      .post('/api/auth/keys', { name: 'a job', current_password: PASSWORD })
      .expect(201);
    await world.app.as(root).patch(`/api/content/roles/${id}`, { mfa: 'required' }).expect(200);
    await users((body as { data: { key: string } }).data.key).expect(200);
  });

  it.each([{ mfa: 'sometimes' }, { mfa: '' }, { mfa: null }, { mfa_grace_days: -1 }, { mfa_grace_days: 366 }])(
    'rejects the value %j',
    async (fields) => {
      const { token } = await signedIn(world.app, { roles: ['admin'] });
      const answer = await world.app.as(token).post('/api/content/roles', { name: `odd${(names += 1)}`, ...fields });
      expect(answer.status).toBe(400);
    },
  );

  it('can be reset to none', async () => {
    const { name } = await role({ mfa: 'off' });
    const { token } = await signedIn(world.app, { roles: [name] });
    expect(errorOf(await world.app.as(token).post('/api/auth/mfa/totp', {}))).toBe('mfa_not_offered');
  });

  it('makes introspection report that only the enrolment is allowed before the proof', async () => {
    const { id, name, root } = await role();
    const { token: asker } = await signedIn(world.app, { roles: ['admin'] });
    const { token } = await signedIn(world.app, { roles: [name] });
    await world.app.as(root).patch(`/api/content/roles/${id}`, { mfa: 'required' }).expect(200);
    const { body } = await world.app.as(asker).post('/api/auth/introspect', { token });
    const allow = ['auth.me', 'auth.logout', 'auth.mfa.*'];
    expect(body).toMatchObject({ signed_in: false, permissions: { allow, deny: [] } });
  });

  describe('and a lost factor', () => {
    it('is replaced after a sign-in with a recovery code, before anything else', async () => {
      const { person } = await secured(world.app);
      const code = await writeRecoveryCode(world.app, person.id);
      const body = { mfa_token: await halfway(world.app, person), method: 'recovery_code', code };
      const answer = await world.app.asGuest().post('/api/auth/mfa/verify', body).expect(200);
      const { token } = answer.body as { token: string };
      expect(errorOf(await world.app.as(token).get('/api/auth/sessions'))).toBe('mfa_enrollment_required');
      await addAuthenticator(world.app, token);
      await world.app.as(token).get('/api/auth/sessions').expect(200);
    });

    it('is removed by an administrator with a fresh proof; its owner is notified and signed out', async () => {
      const { person, token } = await secured(world.app);
      const root = (await signedIn(world.app, { roles: ['admin'] })).token;
      const reset = () => world.app.as(root).delete(`/api/mfa/${person.id}`);
      world.app.clock.advance(601);
      expect(errorOf(await reset())).toBe('step_up_required');
      const { person: admin } = await signedIn(world.app, { roles: ['admin'] });
      const fresh = await signIn(world.app, admin);
      await world.app.as(fresh).delete(`/api/mfa/${person.id}`).expect(200);
      expect((await world.app.as(token).get('/api/auth/me')).status).toBe(401);
      await signIn(world.app, person);
      await world.app.get(JobWorker).drain();
      expect((await world.mailTo(person.email)).text).toContain('removed all second factors');
      const events = await eventsOf(world.app, `action = 'factor.reset' AND resource = $1`, [`user:${person.id}`]);
      expect(events).toMatchObject([{ actor: `account:${admin.id}` }]);
    });

    it('is visible to an administrator, without secrets, and to no other account', async () => {
      const { person, token } = await secured(world.app);
      const root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
      const { body } = await root.get(`/api/mfa/${person.id}`).expect(200);
      expect(body).toEqual({
        data: {
          factors: [
            {
              id: expect.any(String),
              type: 'totp',
              name: expect.any(String),
              created_at: expect.any(String),
              last_used_at: expect.anything(),
            },
          ],
          recovery_codes: 0,
        },
      });
      const stranger = (await signedIn(world.app)).token;
      for (const other of [token, stranger])
        expect(errorOf(await world.app.as(other).get(`/api/mfa/${person.id}`))).toBe('permission_denied');
      expect(errorOf(await world.app.asGuest().get(`/api/mfa/${person.id}`))).toBe('token_missing');
      for (const nobody of ['nobody', '%00', person.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))])
        expect(errorOf(await root.get(`/api/mfa/${nobody}`))).toBe('record_not_found');
    });

    it('cannot be removed by other accounts', async () => {
      const { person, token } = await secured(world.app);
      const stranger = await signedIn(world.app);
      expect(errorOf(await world.app.as(stranger.token).delete(`/api/mfa/${person.id}`))).toBe('permission_denied');
      expect((await world.app.asGuest().delete(`/api/mfa/${person.id}`)).status).toBe(401);
      const { token: root } = await signedIn(world.app, { roles: ['admin'] });
      expect(errorOf(await world.app.as(root).delete('/api/mfa/nobody'))).toBe('record_not_found');
      expect(errorOf(await world.app.as(root).delete(`/api/mfa/${stranger.person.id}`))).toBe('no_second_factor');
      await world.app.as(token).get('/api/auth/me').expect(200);
    });
  });
});
