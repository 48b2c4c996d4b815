import { ConflictException } from '@nestjs/common';
import { AccountService } from '../../../src/identity/auth/account.service.js';
import type { LifecycleEvent, LoggedInEvent } from '../../../src/identity/lifecycle/lifecycle-event.types.js';
import { SetupService } from '../../../src/edge/setup/setup.service.js';
import { UsersService } from '../../../src/identity/users/users.service.js';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import { race, tokenOf } from '../../support/flows.js';
import { DiaryModule, reactions } from '../../support/lifecycle-diary.js';
import { Mailbox } from '../../support/mailbox.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { TestOidcProvider } from '../../support/oidc-provider.js';
import { createPerson, PASSWORD, type Person, signedIn, signIn } from '../../support/people.js';
import { SignInWays, WAYS } from '../../support/sign-in-methods.js';
import { APP, exchange, providersVariable, signInBy } from '../../support/social-fixture.js';
import { TestApp } from '../../support/test-app.js';

const NEW = 'pebble orchard 12';

describe('account lifecycle hooks', () => {
  const provider = new TestOidcProvider([`${APP}/api/auth/acme/callback`]);
  let mailbox: Mailbox;
  let app: TestApp;

  beforeAll(async () => {
    await provider.start();
    mailbox = await Mailbox.open();
    app = await TestApp.start({
      modules: [DiaryModule],
      env: {
        MAIL_URL: mailbox.url,
        AUTH: providersVariable({ acme: provider.settings() }),
        AUTH_CLI_LOGIN_ENABLED: 'true',
        AUTH_OTP_ENABLED: 'true',
        AUTH_ENABLE_REFRESH_TOKEN: 'true',
      },
    });
    await app.sql('CREATE TABLE diary (at bigserial, account uuid, entry text)');
  });

  afterEach(() => reactions.clear());
  afterAll(async () => {
    await app?.stop();
    await Promise.all([mailbox?.close(), provider.stop()]);
  });

  const entries = async (id: string): Promise<string[]> =>
    (await app.sql<{ entry: string }>('SELECT entry FROM diary WHERE account = $1 ORDER BY at', [id])).map(
      ({ entry }) => entry,
    );
  /** Returns the diary entries that the work adds for an account. */
  const entriesDuring = async (id: string, work: () => Promise<unknown>): Promise<string[]> => {
    const before = (await entries(id)).length;
    await work();
    return (await entries(id)).slice(before);
  };
  const idOf = async (email: string): Promise<string> =>
    (await app.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [email]))[0]?.id ?? '';
  const sessions = (id: string) => app.sql('SELECT id FROM sessions WHERE user_id = $1', [id]);
  const register = (email: string) =>
    app.asGuest().post('/api/auth/local/register', { email, password: PASSWORD, password_confirmation: PASSWORD });
  const reset = async (person: Pick<Person, 'email'>): Promise<void> => {
    await app.asGuest().post('/api/auth/local/recover', { email: person.email }).expect(200);
    await app.get(JobWorker).drain();
    const mail = mailbox.mailsTo(person.email).findLast(({ links }) => links[0]?.includes('/recover'))!;
    const body = { token: tokenOf(mail), password: NEW, password_confirmation: NEW };
    await app.asGuest().post('/api/auth/local/recover/reset', body).expect(200);
  };

  describe('a sign-in', () => {
    const ways = (): SignInWays => new SignInWays(app);
    const METHODS: Readonly<Record<string, string>> = {
      'POST /api/auth/otp/verify': 'otp',
      'POST /api/auth/passkeys/login': 'passkey',
      'a native app, by mailed code': 'otp',
      'a provider, for our own pages': 'acme',
      'a native app, by a provider': 'acme',
    };

    it.each(WAYS)('calls the hook once, where its session starts: %s', async (way) => {
      const taken = ways();
      const { person } = await taken.prove();
      provider.signsIn = { sub: person.id, email: person.email, email_verified: true };
      const method = METHODS[way] ?? 'local';
      const begun = [`before login: ${method}`, `logged in: ${method}, 1 session`];
      const isCode = !way.startsWith('POST');
      expect(await entriesDuring(person.id, () => taken.take(way))).toEqual(isCode ? [] : begun);
      if (way === 'a provider, for our own pages')
        expect(await entriesDuring(person.id, () => exchange(app, taken.landed))).toEqual(begun);
    });

    it.each(WAYS.filter((way) => way.startsWith('POST')))(
      'is rejected with the error of the hook, and starts nothing: %s',
      async (way) => {
        const taken = ways();
        const { person } = await taken.prove();
        reactions.set('before login', () => {
          throw new ConflictException({ error: 'acme_closed', message: 'We are closed.' });
        });
        const before = (await sessions(person.id)).length;
        const noted = await entriesDuring(person.id, async () => {
          expect(await taken.take(way)).toEqual({ status: 409, error: 'acme_closed' });
        });
        // The entry of the hook is rolled back with the sign-in.
        expect(noted).toEqual([]);
        expect(await sessions(person.id)).toHaveLength(before);
      },
    );

    it('passes user and client address, and contains what its hooks write', async () => {
      const person = await createPerson(app);
      let event: LoggedInEvent | undefined;
      reactions.set('logged in', async (input) => {
        event = input as LoggedInEvent;
        await input.manager.query(`UPDATE users SET first_name = 'seen' WHERE id = $1`, [input.account.id]);
      });
      await signIn(app, person);
      expect(event?.account).toEqual({
        id: person.id,
        email: person.email,
        username: null,
        firstName: null,
        lastName: null,
        activated: true,
      });
      expect(event?.client.address).toBe('127.0.0.1');
      // 16 concurrent sign-ins, each of which changes the account.
      const login = { login: person.email, password: PASSWORD };
      expect(await race(16, () => app.asGuest().post('/api/auth/local/login', login))).toEqual({ 200: 16 });
    });

    it('does not call the hook after a wrong password or for a refresh', async () => {
      const taken = ways();
      const { person, refreshToken } = await taken.prove();
      const wrong = { login: person.email, password: 'wrong' };
      const diaryEntries = entriesDuring(person.id, async () => {
        await app.asGuest().post('/api/auth/local/login', wrong).expect(401);
        await app.asGuest().post('/api/auth/token/refresh', { refresh_token: refreshToken }).expect(200);
      });
      expect(await diaryEntries).toEqual([]);
    });

    it('is rejected if a hook throws, without details', async () => {
      const person = await createPerson(app);
      reactions.set('logged in', () => {
        throw new TypeError('secret plans');
      });
      const { body } = await app
        .asGuest()
        .post('/api/auth/local/login', { login: person.email, password: PASSWORD })
        .expect(500);
      expect(JSON.stringify(body)).not.toContain('secret plans');
      expect(await sessions(person.id)).toHaveLength(0);
    });

    it('starts no session if its account changes while the hook runs', async () => {
      const person = await createPerson(app);
      reactions.set('before login', ({ manager, account }) =>
        manager.query('UPDATE users SET credentials_version = credentials_version + 1 WHERE id = $1', [account.id]),
      );
      const login = { login: person.email, password: PASSWORD };
      await app.asGuest().post('/api/auth/local/login', login).expect(401);
      expect(await sessions(person.id)).toHaveLength(0);
    });
  });

  describe('a new account', () => {
    it('calls the hook once, for every way of creation', async () => {
      await register('own@example.com').expect(201);
      provider.signsIn = { sub: 'stranger', email: 'stranger@example.com', email_verified: true };
      await signInBy(app, 'acme');
      const { token } = await signedIn(app, { roles: ['admin'] });
      await app.as(token).post('/api/content/user', { email: 'made@example.com', password: PASSWORD }).expect(201);
      const all = await Promise.all(
        ['own@example.com', 'stranger@example.com', 'made@example.com'].map(async (email) =>
          entries(await idOf(email)),
        ),
      );
      expect(all).toEqual([
        ['registered: local by person'],
        ['registered: acme by person'],
        ['registered: local by administrator'],
      ]);
    });

    it('is rolled back if a hook throws, with the writes of the hook', async () => {
      reactions.set('registered', () => {
        throw new AppError('registration_rejected', { message: 'No seat is left.' });
      });
      const { body } = await register('late@example.com').expect(400);
      expect(body).toMatchObject({ message: 'No seat is left.', data: { error: 'registration_rejected' } });
      expect(await idOf('late@example.com')).toBe('');
    });
  });

  describe('an ended session', () => {
    const ended = (reason: string, method = 'local'): string => `session ended: ${method} ${reason}, 0 session`;

    it('calls the hook once, for every way of ending', async () => {
      const { person, token } = await signedIn(app);
      const logout = () => app.as(token).post('/api/auth/logout');
      expect(await entriesDuring(person.id, () => race(16, logout))).toEqual([ended('logout')]);
      const [one, other] = [await signIn(app, person), await signIn(app, person)];
      const list = await app.as(one).get('/api/auth/sessions').expect(200);
      const rest = (list.body.data as { id: string; current: boolean }[]).find(({ current }) => !current);
      expect(
        await entriesDuring(person.id, () => app.as(one).delete(`/api/auth/sessions/${rest?.id}`).expect(200)),
      ).toEqual([ended('revoked')]);
      await app.as(other).get('/api/auth/me').expect(401);
      await signIn(app, person);
      expect(await entriesDuring(person.id, () => app.as(one).delete('/api/auth/sessions').expect(200))).toEqual([
        ended('revoked'),
      ]);
      expect(await entriesDuring(person.id, () => app.get(AccountService).deactivate(person.id))).toEqual([
        ended('credentials'),
      ]);
    });

    it('by a reused refresh token calls the hook, and stays revoked if the hook throws', async () => {
      const person = await createPerson(app);
      const login = { login: person.email, password: PASSWORD };
      const { body } = await app.asGuest().post('/api/auth/local/login', login).expect(200);
      const refresh = () => app.asGuest().post('/api/auth/token/refresh', { refresh_token: body.refresh_token });
      await refresh().expect(200);
      app.clock.advance(11);
      reactions.set('session ended', () => {
        throw new ConflictException('stay');
      });
      const diaryEntries = await entriesDuring(person.id, () => refresh().expect(401));
      // The writes of the hook are rolled back, but the session stays ended.
      expect(diaryEntries).toEqual([]);
      expect(await sessions(person.id)).toHaveLength(0);
      expect(app.log.join('')).toContain('Diary.ended');
      reactions.clear();
      const again = await app.asGuest().post('/api/auth/local/login', login).expect(200);
      const token = { refresh_token: again.body.refresh_token as string };
      await app.asGuest().post('/api/auth/token/refresh', token).expect(200);
      app.clock.advance(11);
      expect(
        await entriesDuring(person.id, () => race(16, () => app.asGuest().post('/api/auth/token/refresh', token))),
      ).toEqual([ended('reuse')]);
    });

    it('of a deleted account calls the hook before the account is deleted', async () => {
      const { person } = await signedIn(app);
      const { token } = await signedIn(app, { roles: ['admin'] });
      expect(
        await entriesDuring(person.id, () => app.as(token).delete(`/api/content/user/${person.id}`).expect(200)),
      ).toEqual([ended('credentials')]);
    });
  });

  describe('a changed password', () => {
    it('calls the hook once, for every way of changing, with the revoked sessions', async () => {
      const { person } = await signedIn(app);
      const ends = 'session ended: local credentials, 0 session';
      expect(await entriesDuring(person.id, () => reset(person))).toEqual(['password: recovery', ends]);
      expect(await entriesDuring(person.id, () => app.get(AccountService).setPassword(person.id, PASSWORD))).toEqual([
        'password: administrator',
      ]);
      const { token } = await signedIn(app, { roles: ['admin'] });
      const patch = () => app.as(token).patch(`/api/content/user/${person.id}`, { password: NEW }).expect(200);
      expect(await entriesDuring(person.id, patch)).toEqual(['password: administrator']);
    });

    it('by the first proof of an address is one change; a proof without a password is a removal', async () => {
      const [one, two] = [
        await createPerson(app, { emailVerifiedAt: null }),
        await createPerson(app, { emailVerifiedAt: null }),
      ];
      expect(await entriesDuring(one.id, () => reset(one))).toEqual(['password: recovery']);
      provider.signsIn = { sub: two.id, email: two.email, email_verified: true };
      expect(await entriesDuring(two.id, () => signInBy(app, 'acme'))).toEqual(['password: proof removed']);
      expect((await app.get(UsersService).findById(two.id))?.passwordHash).toBeNull();
    });

    it('stays changed and its sessions revoked, whatever a hook throws or waits for', async () => {
      const { person } = await signedIn(app);
      reactions.set('password', async ({ manager }: LifecycleEvent) => {
        await manager.query('SELECT no_such_function()');
      });
      await reset(person);
      expect(await sessions(person.id)).toHaveLength(0);
      await app.asGuest().post('/api/auth/local/login', { login: person.email, password: NEW }).expect(200);
    });
  });

  // Must come last: the log output of a process goes to the application that was started last.
  it('an account of the setup is reported as created by an administrator', async () => {
    const fresh = await TestApp.start({ modules: [DiaryModule] });
    try {
      await fresh.sql('CREATE TABLE diary (at bigserial, account uuid, entry text)');
      const token = (await fresh.get(SetupService).issueToken()) ?? '';
      await fresh.get(SetupService).complete(token, { email: 'first@example.com', username: null, password: PASSWORD });
      expect(await fresh.sql('SELECT entry FROM diary')).toEqual([{ entry: 'registered: local by administrator' }]);
    } finally {
      await fresh.stop();
    }
  });
});
