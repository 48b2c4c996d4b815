import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { eventsOf } from '../../support/audit-log.js';
import { useMailedApp } from '../../support/mailbox.js';
import { addPasskey, passkeySignIn } from '../../support/passkeys.js';
import { type Person, signedIn, signIn } from '../../support/people.js';
import {
  addAuthenticator,
  codeAt,
  halfway,
  secured,
  stepNow,
  writeRecoveryCode,
} from '../../support/second-factors.js';

const DAY = 86_400;

describe('the removal of second factors by an administrator, with AUTH_MFA_RESET_DELAY', () => {
  const world = useMailedApp({ env: { AUTH_MFA_RESET_DELAY: String(DAY) } });

  const root = async () => (await signedIn(world.app, { roles: ['admin'] })).token;
  const errorOf = ({ status, body }: { status: number; body: unknown }) =>
    (body as { data?: { error?: string } }).data?.error ?? status;
  async function ask({ id }: Person, token?: string): Promise<string> {
    const answer = world.app.as(token ?? (await root())).delete(`/api/mfa/${id}`);
    return ((await answer.expect(200)).body as { data: { reset_due_at: string } }).data.reset_due_at;
  }
  async function actionsOn({ id }: Person): Promise<(readonly [action: string, actor: string])[]> {
    const names = `action IN ('factor.plan', 'factor.keep', 'factor.reset')`;
    const events = await eventsOf(world.app, `${names} AND resource = $1`, [`user:${id}`]);
    return events.map(({ action, actor }) => [action, actor] as const);
  }
  const actionNames = async (person: Person) => (await actionsOn(person)).map(([action]) => action);
  async function waiting(token: string): Promise<string | null> {
    const { body } = await world.app.as(token).get('/api/auth/mfa').expect(200);
    return (body as { data: { reset_due_at?: string } }).data.reset_due_at ?? null;
  }
  async function pass(seconds: number): Promise<void> {
    world.app.clock.advance(seconds);
    await world.app.get(JobWorker).drain();
  }
  async function verify(person: Person, method: string, code: string) {
    const body = { mfa_token: await halfway(world.app, person), method, code };
    return world.app.asGuest().post('/api/auth/mfa/verify', body);
  }

  it('is scheduled: the owner is notified, and needs the factor until then', async () => {
    const { person, token } = await secured(world.app);
    const { person: admin, token: by } = await signedIn(world.app, { roles: ['admin'] });
    const earliest = world.app.clock.nowMs() + DAY * 1_000;
    const dueAt = await ask(person, by);
    expect(Date.parse(dueAt)).toBeGreaterThanOrEqual(earliest);
    expect(Date.parse(dueAt)).toBeLessThanOrEqual(world.app.clock.nowMs() + DAY * 1_000);
    expect(await waiting(token)).toBe(dueAt);
    const { subject, text } = await world.mailTo(person.email);
    expect(subject).toContain('are about to be removed');
    expect(text).toContain('24 hours');
    await pass(DAY - 60);
    await halfway(world.app, person);
    expect(await actionNames(person)).toEqual(['factor.plan']);
    await pass(61);
    expect((await world.app.as(token).get('/api/auth/me')).status).toBe(401);
    await signIn(world.app, person);
    const actor = `account:${admin.id}`;
    expect(await actionsOn(person)).toEqual([
      ['factor.plan', actor],
      ['factor.reset', actor],
    ]);
    await world.app.get(JobWorker).drain();
    const texts = world.mailbox.received.filter(({ to }) => to.includes(person.email)).map((mail) => mail.text);
    expect(texts.filter((mail) => mail.includes('removed all second factors'))).toHaveLength(1);
  });

  it('is not postponed and not mailed again by sixteen concurrent requests', async () => {
    const { person } = await secured(world.app);
    const by = await root();
    const dueAt = await ask(person, by);
    world.app.clock.advance(60);
    expect(new Set(await Promise.all(Array.from({ length: 16 }, () => ask(person, by))))).toEqual(new Set([dueAt]));
    await world.mailTo(person.email);
    await world.app.get(JobWorker).drain();
    const mails = world.mailbox.received.filter(
      ({ to, subject }) => to.includes(person.email) && /about/.test(subject),
    );
    expect(mails).toHaveLength(1);
    expect(await actionNames(person)).toEqual(['factor.plan']);
  });

  describe('is cancelled', () => {
    type Secured = Awaited<ReturnType<typeof secured>>;
    const WAYS: Readonly<Record<string, (secured: Secured) => Promise<unknown>>> = {
      'by a sign-in with a code': async ({ person, secret }) =>
        expect((await verify(person, 'totp', codeAt(secret, stepNow(world.app)))).status).toBe(200),
      'by a code on paper': async ({ person }) => {
        const code = await writeRecoveryCode(world.app, person.id);
        expect((await verify(person, 'recovery_code', code)).status).toBe(200);
      },
      'by another proof in a session': async ({ token, secret }) => {
        const code = codeAt(secret, stepNow(world.app));
        await world.app.as(token).post('/api/auth/mfa/step-up', { method: 'totp', code }).expect(200);
      },
      'by adding another one': async ({ token }) => addAuthenticator(world.app, token, 'Tablet'),
    };

    it.each(Object.keys(WAYS))('%s', async (name) => {
      const owner = await secured(world.app);
      await ask(owner.person);
      await WAYS[name]!(owner);
      expect(await actionsOn(owner.person)).toContainEqual(['factor.keep', `account:${owner.person.id}`]);
      await pass(DAY + 1);
      await halfway(world.app, owner.person);
      expect(await actionNames(owner.person)).toEqual(['factor.plan', 'factor.keep']);
    });

    it('by a sign-in with a passkey', async () => {
      const { person, token } = await signedIn(world.app);
      const passkey = await addPasskey(world.app, token);
      await ask(person);
      expect((await passkeySignIn(world.app, passkey)).status).toBe(200);
      await pass(DAY + 1);
      expect(await actionNames(person)).toEqual(['factor.plan', 'factor.keep']);
    });

    it('by an administrator with the permission', async () => {
      const { person, token } = await secured(world.app);
      const path = `/api/mfa/${person.id}/reset`;
      const by = await root();
      expect(errorOf(await world.app.as(by).delete(path))).toBe('record_not_found');
      await ask(person, by);
      const stranger = await signedIn(world.app);
      expect(errorOf(await world.app.as(stranger.token).delete(path))).toBe('permission_denied');
      expect(errorOf(await world.app.as(token).delete(path))).toBe('permission_denied');
      expect((await world.app.asGuest().delete(path)).status).toBe(401);
      expect(errorOf(await world.app.as(by).delete('/api/mfa/nobody/reset'))).toBe('record_not_found');
      expect(await waiting(token)).not.toBeNull();
      const answers = await Promise.all(Array.from({ length: 16 }, () => world.app.as(by).delete(path)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await waiting(token)).toBeNull();
      expect(await actionNames(person)).toEqual(['factor.plan', 'factor.keep']);
    });

    it('only with the lost factor: not by a password, a wrong code, a mail or a continued session', async () => {
      const { person, token } = await secured(world.app);
      const dueAt = await ask(person);
      await halfway(world.app, person);
      expect((await verify(person, 'totp', '000000')).status).toBe(401);
      expect((await verify(person, 'recovery_code', 'aaaa-bbbb-cccc-dddd')).status).toBe(401);
      await world.app.asGuest().post('/api/auth/local/recover', { email: person.email }).expect(200);
      await world.app.as(token).get('/api/auth/me').expect(200);
      expect(await waiting(token)).toBe(dueAt);
    });

    it('in time or not at all: a concurrent code and removal have one winner', async () => {
      // One after another: each advances the clock, and the code of another would belong to a past step.
      const owners: Awaited<ReturnType<typeof secured>>[] = [];
      while (owners.length < 8) owners.push(await secured(world.app));
      const by = await root();
      for (const { person } of owners) await ask(person, by);
      world.app.clock.advance(DAY + 1);
      const proofs = owners.map(async ({ person, secret }) => {
        const { status, body } = await world.app
          .asGuest()
          .post('/api/auth/local/login', { login: person.email, password: person.password });
        if (status === 200) return;
        const { mfa_token } = (body as { data: { mfa_token: string } }).data;
        const code = codeAt(secret, stepNow(world.app));
        await world.app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method: 'totp', code });
      });
      await Promise.all([world.app.get(JobWorker).drain(), ...proofs]);
      await world.app.get(JobWorker).drain();
      for (const { person } of owners) {
        const [first, second, ...more] = await actionNames(person);
        expect([first, more]).toEqual(['factor.plan', []]);
        const [row] = await world.app.sql('SELECT second_factor FROM users WHERE id = $1', [person.id]);
        expect([second, row]).toEqual([second, { second_factor: second === 'factor.keep' }]);
      }
    });
  });

  it('does not affect an account that has become root, if the administrator is not root', async () => {
    const { person: helper, token } = await signedIn(world.app);
    const by = await root();
    const permissions = [{ resource: 'mfa.reset', value: 'allow' }];
    const { body } = await world.app.as(by).post('/api/content/roles', { name: 'helpdesk', permissions }).expect(201);
    const { id } = (body as { data: { id: string } }).data;
    const give = (user: string, role: string) =>
      world.app.as(by).patch(`/api/content/users/${user}`, { roles: { $add: [{ id: role }] } });
    await give(helper.id, id).expect(200);
    const { person } = await secured(world.app);
    await ask(person, token);
    const [admin] = await world.app.sql<{ id: string }>(`SELECT id FROM roles WHERE name = 'admin'`);
    await give(person.id, admin!.id).expect(200);
    await pass(DAY + 1);
    expect(await actionNames(person)).toEqual(['factor.plan']);
  });
});
