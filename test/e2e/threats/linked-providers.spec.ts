import { AUTH_LIMITS } from '../../../src/identity/auth/auth.limits.js';
import { mailAfterRequest, tokenOf } from '../../support/flows.js';
import { HostileProvider } from '../../support/hostile-provider.js';
import { Mailbox, type MailedApp } from '../../support/mailbox.js';
import { PASSWORD, type Person, signedIn } from '../../support/people.js';
import {
  APP,
  beginLinking,
  exchange,
  freshBrowser,
  meBy,
  providersVariable,
  signInBy,
} from '../../support/social-fixture.js';
import { TestApp } from '../../support/test-app.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';

const LINK = '/api/auth/identities';
const NEW = 'a wholly new walnut';
const WRONG = [undefined, null, '', 'a wrong password', 1, true, [PASSWORD], { $ne: '' }, 'x'.repeat(100_000)] as const;

/** A stolen access token must not give permanent access: linked providers outlive sessions and passwords. */
describe('a stolen session and linked providers', () => {
  const provider = new HostileProvider();
  const world = {} as { app: TestApp; mailbox: Mailbox } & MailedApp;

  beforeAll(async () => {
    provider.userinfo = null;
    await provider.start();
    world.mailbox = await Mailbox.open();
    world.mailTo = async (address) => {
      await world.app.get(JobWorker).drain();
      return world.mailbox.waitFor(address);
    };
    world.app = await TestApp.start({
      env: { MAIL_URL: world.mailbox.url, AUTH: providersVariable({ acme: provider.settings() }) },
    });
    provider.nowMs = () => world.app.clock.nowMs();
  });

  afterAll(async () => {
    await world.app?.stop();
    await Promise.all([world.mailbox?.close(), provider.stop()]);
  });

  beforeEach(() => {
    provider.claims = { sub: `thief ${Math.random()}`, email: 'thief@evil.example' };
  });

  const linked = ({ id }: Person): Promise<unknown[]> =>
    world.app.sql('SELECT provider, email FROM identities WHERE user_id = $1', [id]);

  async function link(token: string, body: object): Promise<string | null> {
    const browser = freshBrowser(world.app);
    const address = await beginLinking({ app: world.app, browser, token }, { provider: 'acme', ...body });
    return (await browser.follow(address, /\/dash\//)).location;
  }

  it('cannot link without the password', async () => {
    const { person, token } = await signedIn(world.app);
    for (const current_password of WRONG) {
      const answer = await world.app.as(token).post(LINK, { provider: 'acme', current_password });
      expect([401, 422]).toContain(answer.status);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    const missing = await world.app.as(token).post(LINK, { provider: 'acme' }).expect(422);
    expect(missing.body.data.errors).toEqual([
      { field: 'current_password', code: 'required', message: expect.any(String) },
    ]);
    expect(await linked(person)).toEqual([]);
  });

  it('notifies the owner of a link', async () => {
    const { person, token } = await signedIn(world.app);
    expect(await link(token, { current_password: PASSWORD })).toBe(`${APP}/dash/account#linked=acme`);
    const mail = await world.mailTo(person.email);
    expect([mail.subject, mail.text]).toEqual([
      expect.stringContaining('new sign-in method'),
      expect.stringContaining('acme'),
    ]);
  });

  it('notifies the owner when a sign-in is linked by its address', async () => {
    const { person } = await signedIn(world.app);
    provider.claims = { sub: person.id, email: person.email };
    expect((await meBy(world.app, 'acme')).id).toBe(person.id);
    expect((await world.mailTo(person.email)).text).toContain('acme');
    await meBy(world.app, 'acme');
    await world.app.get(JobWorker).drain();
    expect(world.mailbox.mailsTo(person.email)).toHaveLength(1);
  });

  it('needs a sign-in in the last ten minutes if there is no password', async () => {
    const email = `federated${Math.random()}@example.com`;
    provider.claims = { sub: email, email };
    const token = await exchange(world.app, await signInBy(world.app, 'acme'));
    await world.app.as(token).post(LINK, { provider: 'acme' }).expect(200);
    await world.app.as(token).post(LINK, { provider: 'acme', current_password: 'anything' }).expect(200);
    world.app.clock.advance(601);
    const { body, headers } = await world.app.as(token).post(LINK, { provider: 'acme' }).expect(401);
    expect(body.data).toEqual({ error: 'step_up_required' });
    expect(headers['www-authenticate']).toBe('Bearer error="insufficient_user_authentication"');
    await world.app.as(token).get('/api/auth/me').expect(200);
  });

  describe('when the owner resets the password', () => {
    const post = (path: string, body: unknown) => world.app.asGuest().post(`/api/auth/local/${path}`, body);
    const passwords = { password: NEW, password_confirmation: NEW };

    async function stolen(): Promise<{ person: Person; token: string }> {
      provider.claims = { sub: `thief ${Math.random()}`, email: 'thief@evil.example' };
      const { person, token } = await signedIn(world.app);
      await link(token, { current_password: PASSWORD });
      await world.mailTo(person.email);
      await post('recover', { email: person.email }).expect(200);
      await mailAfterRequest(world, person.email);
      return { person, token: tokenOf(await world.mailbox.waitFor(person.email, 2)) };
    }

    it('shows the links without consuming anything, and removes them on request', async () => {
      const { person, token } = await stolen();
      for (let times = 0; times < 2; times += 1) {
        const { body } = await post('recover/identities', { token }).expect(200);
        expect(body).toEqual({
          data: [
            {
              kind: 'identities',
              id: expect.any(String),
              name: 'acme',
              detail: 'thief@evil.example',
              provider: 'acme',
              email: 'thief@evil.example',
              created_at: expect.stringMatching(/Z$/),
            },
          ],
        });
      }
      await post('recover/reset', { token, ...passwords, end_identities: true }).expect(200);
      expect(await linked(person)).toEqual([]);
      await world.app.sql('DELETE FROM users WHERE email = $1', ['thief@evil.example']);
      expect((await meBy(world.app, 'acme')).id).not.toBe(person.id);
    });

    it('keeps them without a request', async () => {
      for (const choice of [{}, { end_identities: false }]) {
        const { person, token } = await stolen();
        await post('recover/reset', { token, ...passwords, ...choice }).expect(200);
        expect(await linked(person)).toHaveLength(1);
      }
    });

    it('accepts only true or false, and shows nothing to others', async () => {
      const { person, token } = await stolen();
      for (const end_identities of ['true', 1, null, [], {}])
        await post('recover/reset', { token, ...passwords, end_identities }).expect(422);
      for (const body of [{ token: `${token}x` }, { session_id: 'x' }])
        expect((await post('recover/identities', body).expect(400)).body.data).toEqual({ error: 'token_invalid' });
      await post('recover/identities', {}).expect(422);
      await post('recover/reset', { token, ...passwords }).expect(200);
      expect((await post('recover/identities', { token }).expect(400)).body.data.error).toBe('token_invalid');
      expect(await linked(person)).toHaveLength(1);
    });
  });
});

describe('guessing the password where a provider is linked', () => {
  const provider = new HostileProvider();
  let app: TestApp;

  beforeAll(async () => {
    await provider.start();
    const AUTH = providersVariable({ acme: provider.settings() });
    app = await TestApp.start({ env: { AUTH, RATE_LIMIT_ENABLED: 'true' } });
  });

  afterAll(async () => {
    await app?.stop();
    await provider.stop();
  });

  it('uses a budget of the signed-in owner and does not affect the sign-in', async () => {
    const { person, token } = await signedIn(app);
    const guess = (current_password: string) => app.as(token).post(LINK, { provider: 'acme', current_password });
    for (let tries = 0; tries < AUTH_LIMITS.loginAccount.points; tries += 1)
      await guess('a wrong password').expect(401);
    await guess(person.password).expect(429);
    const login = { login: person.email, password: person.password };
    await app.asGuest().post('/api/auth/local/login', login).expect(200);
  });
});
