import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { eventsOf } from '../../support/audit-log.js';
import { useMailedApp } from '../../support/mailbox.js';
import {
  addPasskey,
  creationOptions,
  optionsOf,
  originOf,
  passkeySignIn,
  signInOptions,
} from '../../support/passkeys.js';
import { createPerson, PASSWORD, type Person, signedIn, signIn } from '../../support/people.js';
import { addAuthenticator, halfway, writeRecoveryCode } from '../../support/second-factors.js';
import { FLAGS, type Twist } from '../../support/software-authenticator.js';
import type { TestApp } from '../../support/test-app.js';

const { userPresent, userVerified, backupEligible, backedUp } = FLAGS;

describe('a passkey sign-in', () => {
  const world = useMailedApp();
  let app: TestApp;
  let peer: TestApp;
  let person: Person;
  let token: string;
  beforeAll(async () => {
    ({ app } = world);
    peer = await app.secondInstance({ env: { MAIL_URL: world.mailbox.url } });
  });
  afterAll(() => peer?.stop());
  beforeEach(async () => {
    person = await createPerson(app);
    token = await signIn(app, person);
  });

  const errorOf = ({ status, body }: { status: number; body: unknown }) =>
    (body as { data?: { error?: string } }).data?.error ?? status;
  const sessions = async () => (await app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [person.id])).length;
  const login = (credential: unknown, at = app) => at.asGuest().post('/api/auth/passkeys/login', { credential });
  const challenge = (mfa_token: string) =>
    optionsOf(app.asGuest().post('/api/auth/mfa/passkeys/challenge', { mfa_token }).expect(200));

  describe('accepts a passkey', () => {
    it('only if all parts are valid; the error does not name the invalid part', async () => {
      const flags = userPresent | userVerified | backupEligible;
      const authenticator = await addPasskey(app, token, { flags });
      const other = await signedIn(app);
      const foreign = await addPasskey(app, other.token);
      const before = await sessions();
      const twists: Twist[] = [
        { origin: 'https://evil.example' },
        { origin: `${originOf(app)}.evil.example` },
        { rpId: 'evil.example' },
        { type: 'webauthn.create' },
        { crossOrigin: true },
        { topOrigin: 'https://evil.example' },
        { flags: userVerified | backupEligible },
        { flags: userPresent | userVerified },
        { flags: userPresent | userVerified | backedUp },
        { userHandle: null },
        { userHandle: foreign.userHandle },
        { credentialId: foreign.credentialId },
        { credentialId: 'AAAAAAAAAAAAAAAAAAAAAA' },
        { isForged: true },
        { challenge: 'A'.repeat(72) },
      ];
      for (const twist of twists) {
        const answer = await passkeySignIn(app, authenticator, twist);
        expect([twist, answer.status, errorOf(answer)]).toEqual([twist, 401, 'passkey_invalid']);
      }
      expect(await sessions()).toBe(before);
      await passkeySignIn(app, authenticator).then(({ status }) => expect(status).toBe(200));
    });

    it('once per challenge, for concurrent requests on both instances', async () => {
      const authenticator = await addPasskey(app, token);
      const options = await signInOptions(app);
      const credentials = Array.from({ length: 16 }, () => authenticator.get(options));
      const before = await sessions();
      const answers = await Promise.all(
        credentials.map((credential, at) => login(credential, at % 2 === 0 ? app : peer)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await sessions()).toBe(before + 1);
      expect(errorOf(await login(authenticator.get(options)))).toBe('passkey_invalid');
    });

    it('only with a challenge of this purpose that has not expired', async () => {
      const authenticator = await addPasskey(app, token);
      expect(errorOf(await login(authenticator.get(await creationOptions(app, token))))).toBe('passkey_invalid');
      expect(errorOf(await login(authenticator.get(await challenge(await halfway(app, person)))))).toBe(
        'passkey_invalid',
      );
      const options = await signInOptions(app);
      app.clock.advance(301);
      expect(errorOf(await login(authenticator.get(options)))).toBe('passkey_invalid');
    });

    it('only with an increasing counter: the owner is notified of a clone if the signature is valid', async () => {
      const authenticator = await addPasskey(app, token);
      expect((await passkeySignIn(app, authenticator)).status).toBe(200);
      expect((await passkeySignIn(app, authenticator)).status).toBe(200);
      const copies = () => eventsOf(app, `action = 'factor.copy' AND resource = $1`, [`user:${person.id}`]);
      expect(errorOf(await passkeySignIn(app, authenticator, { signCount: 1, isForged: true }))).toBe(
        'passkey_invalid',
      );
      expect(await copies()).toEqual([]);
      for (const signCount of [2, 1, 0])
        expect(errorOf(await passkeySignIn(app, authenticator, { signCount }))).toBe('passkey_invalid');
      expect(await copies()).toHaveLength(3);
      await app.get(JobWorker).drain();
      expect((await world.mailTo(person.email)).text).toContain('a copy');
      expect((await passkeySignIn(app, authenticator)).status).toBe(200);
    });

    it('repeatedly if it has no counter', async () => {
      const authenticator = await addPasskey(app, token, { counts: false });
      for (let time = 0; time < 3; time += 1) expect((await passkeySignIn(app, authenticator)).status).toBe(200);
    });

    it('as one factor without user verification; then a password is required, and no other passkey or app', async () => {
      const authenticator = await addPasskey(app, token, { flags: userPresent });
      await addAuthenticator(app, token);
      await writeRecoveryCode(app, person.id);
      const before = await sessions();
      const answer = await passkeySignIn(app, authenticator);
      expect([answer.status, errorOf(answer)]).toEqual([401, 'mfa_required']);
      const { mfa_token, methods } = (answer.body as { data: { mfa_token: string; methods: string[] } }).data;
      expect(methods).toEqual(['passkey', 'password']);
      expect(await sessions()).toBe(before);
      const verify = (body: object) => app.asGuest().post('/api/auth/mfa/verify', { mfa_token, ...body });
      expect(errorOf(await verify({ method: 'password', code: 'wrong' }))).toBe('mfa_invalid');
      expect(errorOf(await verify({ method: 'password', password: 'wrong', code: PASSWORD }))).toBe('mfa_invalid');
      expect(errorOf(await verify({ method: 'password', password: 'x'.repeat(100_000) }))).toBe('mfa_invalid');
      expect(errorOf(await verify({ method: 'totp', password: PASSWORD }))).toBe('validation_failed');
      const missing = await verify({ method: 'password' });
      expect(missing.body).toMatchObject({ data: { error: 'validation_failed', errors: [{ field: 'password' }] } });
      const again = authenticator.get(await challenge(mfa_token));
      expect(errorOf(await verify({ method: 'passkey', credential: again }))).toBe('mfa_required');
      const next = (await passkeySignIn(app, authenticator)).body as { data: { mfa_token: string } };
      const body = { mfa_token: next.data.mfa_token, method: 'password', password: PASSWORD };
      await app.asGuest().post('/api/auth/mfa/verify', body).expect(200);
      expect(
        await app.sql('SELECT amr, level FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT 1', [person.id]),
      ).toEqual([{ amr: ['security_key', 'password'], level: 2 }]);
    });

    it('only of an active account, and only until it is removed', async () => {
      const authenticator = await addPasskey(app, token);
      const { body } = await app.as(token).get('/api/auth/mfa');
      const { id } = (body as { data: { factors: { id: string }[] } }).data.factors[0]!;
      await app.as(token).delete(`/api/auth/mfa/${id}`).expect(200);
      expect(errorOf(await passkeySignIn(app, authenticator))).toBe('passkey_invalid');
      const second = await addPasskey(app, await signIn(app, person));
      await app.sql('UPDATE users SET activated = false WHERE id = $1', [person.id]);
      expect(errorOf(await passkeySignIn(app, second))).toBe('account_inactive');
    });

    it('with the same options for every caller', async () => {
      await addPasskey(app, token);
      const { challenge: _one, ...one } = await signInOptions(app);
      expect(one).toEqual({
        rpId: new URL(originOf(app)).hostname,
        timeout: 300_000,
        userVerification: 'preferred',
        allowCredentials: [],
      });
    });
  });
});
