import { eventsOf } from '../../support/audit-log.js';
import { CookieJar, STAYS } from '../../support/browser-session.js';
import { useMailedApp } from '../../support/mailbox.js';
import { addPasskey, optionsOf, signInOptions } from '../../support/passkeys.js';
import { PASSWORD, type Person, signedIn, signIn } from '../../support/people.js';
import { addAuthenticator, codeAt, halfway, secured, stepNow } from '../../support/second-factors.js';
import { statementsOf } from '../../support/sent-statements.js';
import { FLAGS } from '../../support/software-authenticator.js';

const DAY = 86_400;
const VERIFY = '/api/auth/mfa/verify';
const OTHER_PASSWORD = 'another walnut 48';
const DEVICES = '/api/auth/devices';
type Secured = Awaited<ReturnType<typeof secured>>;

describe('a remembered browser', () => {
  const world = useMailedApp({ env: { AUTH_OTP_ENABLED: 'true' } });
  let owner: Secured;
  let browser: CookieJar;
  beforeEach(async () => {
    owner = await secured(world.app);
    browser = new CookieJar(world.app);
  });

  const errorOf = ({ status, body }: { status: number; body: unknown }) =>
    (body as { data?: { error?: string } }).data?.error ?? status;
  const login = ({ email, password }: Pick<Person, 'email' | 'password'>, jar = browser) =>
    jar.post('/api/auth/local/login', { login: email, password });
  /** Signs in with the second factor, and has the browser remembered. */
  async function remember({ person, secret }: Secured = owner, jar = browser): Promise<void> {
    world.app.clock.advance(30);
    const mfa_token = await halfway(world.app, person);
    const body = { mfa_token, method: 'totp', code: codeAt(secret, stepNow(world.app)), remember: true };
    expect((await jar.post(VERIFY, body)).status).toBe(200);
  }
  async function listed(token: string, jar = browser): Promise<Record<string, unknown>[]> {
    const { body } = await world.app.as(token).get(DEVICES).set({ cookie: jar.header }).expect(200);
    return (body as { data: Record<string, unknown>[] }).data;
  }
  async function enter(jar = browser): Promise<string> {
    const answer = await login(owner.person, jar);
    expect(errorOf(answer)).toBe(200);
    return (answer.body as { token: string }).token;
  }

  it('is not asked again, and its session has two factors of which none is fresh', async () => {
    await remember();
    const token = await enter();
    const [session] = await world.app.sql(
      'SELECT amr, level, level_at FROM sessions WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
      [owner.person.id],
    );
    expect(session).toEqual({ amr: ['password', 'device'], level: 2, level_at: null });
    await world.app.as(token).get('/api/auth/me').expect(200);
    expect(errorOf(await world.app.as(token).post('/api/auth/mfa/totp', {}))).toBe('step_up_required');
    expect(errorOf(await world.app.as(token).post('/api/auth/keys', { name: 'a job' }))).toBe('step_up_required');
    world.app.clock.advance(30);
    const code = codeAt(owner.secret, stepNow(world.app));
    await world.app.as(token).post('/api/auth/mfa/step-up', { method: 'totp', code }).expect(200);
    await world.app.as(token).post('/api/auth/mfa/totp', {}).expect(200);
  });

  it('is enough for a role that requires a second factor', async () => {
    const { token: root } = await signedIn(world.app, { roles: ['admin'] });
    const fields = { name: `strict${owner.person.id}`, mfa: 'required', permissions: [] };
    const { body } = await world.app.as(root).post('/api/content/roles', fields).expect(201);
    const { id } = (body as { data: { id: string } }).data;
    await world.app
      .as(root)
      .patch(`/api/content/users/${owner.person.id}`, { roles: { $add: [{ id }] } })
      .expect(200);
    await remember();
    await world.app
      .as(await enter())
      .get('/api/auth/sessions')
      .expect(200);
  });

  it('has a cookie that scripts cannot read and the database does not contain', async () => {
    await remember();
    expect([...browser.cookies.keys()]).toContain('remembered');
    const token = browser.cookies.get('remembered')!;
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(browser.given.get('remembered')).toMatch(/; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    const rows = await world.app.sql('SELECT * FROM remembered_devices WHERE user_id = $1', [owner.person.id]);
    expect(JSON.stringify(rows)).not.toContain(token);
    const events = await eventsOf(world.app, `action = 'device.remember' AND actor = $1`, [
      `account:${owner.person.id}`,
    ]);
    expect(events).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain(token);
  });

  it('has a cookie with the __Host- prefix over HTTPS', async () => {
    const secure = await world.app.secondInstance({ env: { APP_URL: 'https://lintel.test' } });
    try {
      const jar = new CookieJar(secure);
      world.app.clock.advance(30);
      const code = codeAt(owner.secret, stepNow(world.app));
      const body = { mfa_token: await halfway(secure, owner.person), method: 'totp', code, remember: true };
      expect((await jar.post(VERIFY, body)).status).toBe(200);
      expect(jar.given.get('__Host-remembered')).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
      expect(errorOf(await login(owner.person, jar))).toBe(200);
    } finally {
      await secure.stop();
    }
  });

  describe('is valid', () => {
    it('for no other account, in any spelling', async () => {
      await remember();
      const token = browser.cookies.get('remembered')!;
      const other = await secured(world.app);
      expect(errorOf(await login(other.person))).toBe('mfa_required');
      const swapped = token.replace(/[a-z]/, (letter) => letter.toUpperCase());
      const others = Array.from({ length: 5 }, () => 'A'.repeat(43)).join('.');
      for (const value of ['', swapped, token.slice(1), `${token}A`, `"${token}"`, `${others}.${token}`, `${token} `]) {
        const answer = await world.app
          .asGuest()
          .post('/api/auth/local/login', { login: owner.person.email, password: PASSWORD })
          .set({ ...STAYS, cookie: `remembered=${value}` });
        expect([value, errorOf(answer)]).toEqual([value, value === `${token} ` ? 200 : 'mfa_required']);
      }
      const [row] = await world.app.sql<{ token_hash: string }>(
        'SELECT token_hash FROM remembered_devices WHERE user_id = $1',
        [owner.person.id],
      );
      browser.cookies.set('remembered', row!.token_hash.slice(0, 43));
      expect(errorOf(await login(owner.person))).toBe('mfa_required');
    });

    it('only for the second factor: the first proof is required, and two of one class count once', async () => {
      await remember();
      expect(errorOf(await login({ ...owner.person, password: OTHER_PASSWORD }))).toBe('invalid_credentials');
      expect(errorOf(await browser.resume())).toBe(200);
      const { person, token } = await signedIn(world.app);
      const key = await addPasskey(world.app, token, { flags: FLAGS.userPresent | FLAGS.backupEligible });
      const mfa_token = await halfway(world.app, person);
      const asked = world.app.asGuest().post('/api/auth/mfa/passkeys/challenge', { mfa_token });
      const credential = key.get(await optionsOf(asked));
      const jar = new CookieJar(world.app);
      expect((await jar.post(VERIFY, { mfa_token, method: 'passkey', credential, remember: true })).status).toBe(200);
      expect(errorOf(await login(person, jar))).toBe(200);
      // A passkey with user presence only and the browser remembered with it are both possession factors.
      const alone = { credential: key.get(await signInOptions(world.app)) };
      expect(errorOf(await jar.post('/api/auth/passkeys/login', alone))).toBe('mfa_required');
    });
  });

  it('for several accounts, and drops the first of more than five', async () => {
    const people = [owner];
    for (let count = 1; count < 6; count += 1) people.push(await secured(world.app));
    for (const each of people) await remember(each);
    const answers: unknown[] = [];
    for (const { person } of people) answers.push(errorOf(await login(person)));
    expect(answers).toEqual(['mfa_required', 200, 200, 200, 200, 200]);
  });

  it('is one of twenty: the least recently used is replaced', async () => {
    await remember();
    for (let count = 0; count < 20; count += 1) await remember(owner, new CookieJar(world.app));
    expect(await listed(owner.token)).toHaveLength(20);
    expect(errorOf(await login(owner.person))).toBe('mfa_required');
  });

  it('is listed for its owner, who can remove it; others can neither see nor remove it', async () => {
    await remember();
    const second = new CookieJar(world.app);
    await remember(owner, second);
    const token = await enter();
    const [mine, other] = await listed(token);
    expect(mine).toMatchObject({ current: true, address: expect.any(String) as string });
    expect(other).toMatchObject({ current: false });
    const days = (Date.parse(mine!['expires_at'] as string) - Date.parse(mine!['created_at'] as string)) / 1_000 / DAY;
    expect(days).toBe(30);
    const path = `${DEVICES}/${mine!['id'] as string}`;
    const stranger = await signedIn(world.app);
    expect(await listed(stranger.token)).toEqual([]);
    expect(errorOf(await world.app.as(stranger.token).delete(path))).toBe('device_not_found');
    expect((await world.app.asGuest().get(DEVICES)).status).toBe(401);
    expect((await world.app.asGuest().delete(path)).status).toBe(401);
    expect(errorOf(await world.app.as(token).delete(`${DEVICES}/nobody`))).toBe('device_not_found');
    const answers = await Promise.all(Array.from({ length: 16 }, () => world.app.as(token).delete(path)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(errorOf(await login(owner.person))).toBe('mfa_required');
    expect(errorOf(await login(owner.person, second))).toBe(200);
  });

  describe('is asked again', () => {
    const ENDS: Readonly<Record<string, () => Promise<unknown>>> = {
      'after another password': async () => {
        const body = { current_password: PASSWORD, password: OTHER_PASSWORD, password_confirmation: OTHER_PASSWORD };
        await world.app.as(owner.token).post('/api/auth/local/password', body).expect(200);
        owner = { ...owner, person: { ...owner.person, password: OTHER_PASSWORD } };
      },
      'when a factor was added': () => addAuthenticator(world.app, owner.token, 'Tablet'),
      'when a factor was removed': async () => {
        const { id } = await addAuthenticator(world.app, owner.token, 'Tablet');
        world.app.clock.advance(30);
        await remember();
        await world.app.as(owner.token).delete(`/api/auth/mfa/${id}`).expect(200);
      },
      'when its days are over': async () => {
        world.app.clock.advance(30 * DAY);
      },
    };

    it.each(Object.keys(ENDS))('%s', async (name) => {
      await remember();
      await enter();
      owner = { ...owner, token: await raised() };
      await ENDS[name]!();
      expect(errorOf(await login(owner.person))).toBe('mfa_required');
    });

    it('after the number of days was reduced or set to none', async () => {
      await remember();
      world.app.clock.advance(2 * DAY);
      const answers = await Promise.all(
        ['3', '1', '0'].map(async (days) => {
          const app = await world.app.secondInstance({ env: { AUTH_MFA_REMEMBER_DAYS: days } });
          const jar = new CookieJar(app);
          for (const [name, value] of browser.cookies) jar.cookies.set(name, value);
          const answer = errorOf(await login(owner.person, jar));
          await app.stop();
          return answer;
        }),
      );
      expect(answers).toEqual([200, 'mfa_required', 'mfa_required']);
    });

    /** Signs in the owner with the second factor, and returns the token. */
    async function raised(): Promise<string> {
      world.app.clock.advance(30);
      const code = codeAt(owner.secret, stepNow(world.app));
      const body = { mfa_token: await halfway(world.app, owner.person), method: 'totp', code };
      const answer = await world.app.asGuest().post(VERIFY, body).expect(200);
      return (answer.body as { token: string }).token;
    }
  });

  it('needs no statement for accounts without a second factor, and one for accounts with one', async () => {
    await remember();
    const plain = await signedIn(world.app);
    const count = async (person: Person) =>
      (await statementsOf(() => login(person))).filter(({ text }) => text.includes('remembered_devices')).length;
    expect([await count(plain.person), await count(owner.person)]).toEqual([0, 1]);
    await signIn(world.app, plain.person);
  });
});
