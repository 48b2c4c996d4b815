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
import { createPerson, type Person, signedIn, signIn } from '../../support/people.js';
import { halfway } from '../../support/second-factors.js';
import { FLAGS, SoftwareAuthenticator, type Twist } from '../../support/software-authenticator.js';
import type { TestApp } from '../../support/test-app.js';

const { userPresent, userVerified, backupEligible, backedUp } = FLAGS;

describe('a passkey', () => {
  const world = useMailedApp();
  let app: TestApp;
  let person: Person;
  let token: string;
  beforeAll(async () => {
    ({ app } = world);
  });
  beforeEach(async () => {
    person = await createPerson(app);
    token = await signIn(app, person);
  });

  const errorOf = ({ status, body }: { status: number; body: unknown }) =>
    (body as { data?: { error?: string } }).data?.error ?? status;
  const add = (credential: unknown, name?: string) =>
    app.as(token).post('/api/auth/mfa/passkeys', { credential, name });
  const challenge = (mfa_token: string) =>
    optionsOf(app.asGuest().post('/api/auth/mfa/passkeys/challenge', { mfa_token }).expect(200));

  describe('is added', () => {
    it.each(['ES256', 'EdDSA', 'RS256'] as const)(
      'with a key of %s, and signs in with two factors',
      async (algorithm) => {
        const authenticator = await addPasskey(app, token, { algorithm });
        const { body } = await passkeySignIn(app, authenticator);
        await app
          .as((body as { token: string }).token)
          .get('/api/auth/me')
          .expect(200);
        const [row] = await app.sql(
          'SELECT provider, amr, level, level_at FROM sessions WHERE user_id = $1 ORDER BY id DESC',
          [person.id],
        );
        expect(row).toEqual({ provider: 'passkey', amr: ['passkey'], level: 2, level_at: expect.any(Date) });
      },
    );

    it('with browser options for this host, discoverable and without attestation', async () => {
      const options = await creationOptions(app, token);
      expect(options).toEqual({
        rp: { id: new URL(originOf(app)).hostname, name: app.config.appName },
        user: {
          id: Buffer.from(person.id.replaceAll('-', ''), 'hex').toString('base64url'),
          name: person.email,
          displayName: person.email,
        },
        challenge: expect.stringMatching(/^[\w-]{72}$/),
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
        timeout: 300_000,
        attestation: 'none',
        excludeCredentials: [],
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
      });
      const { credentialId } = await addPasskey(app, token);
      expect(await creationOptions(app, token)).toMatchObject({
        excludeCredentials: [{ id: credentialId, transports: ['internal'] }],
      });
    });

    it('is listed with its properties, notified by mail and audited', async () => {
      const flags = userPresent | userVerified | backupEligible | backedUp;
      const { credentialId } = await addPasskey(app, token, { flags, counts: false });
      const { body } = await app.as(token).get('/api/auth/mfa').expect(200);
      expect((body as { data: { factors: object[] } }).data.factors).toEqual([
        {
          id: expect.any(String),
          type: 'passkey',
          name: 'Key ring',
          created_at: expect.any(String),
          last_used_at: null,
          backup_eligible: true,
          backed_up: true,
          verifies_user: true,
          credential_id: credentialId,
        },
      ]);
      await app.get(JobWorker).drain();
      expect((await world.mailTo(person.email)).text).toContain('Key ring');
      const events = await eventsOf(app, `action = 'factor.add' AND resource = $1`, [`user:${person.id}`]);
      expect(events).toMatchObject([{ actor: `account:${person.id}` }]);
      const { body: exported } = await app.as(token).get('/api/auth/me/export').expect(200);
      expect(JSON.stringify(exported)).toContain(credentialId);
    });

    it('with the password or a step-up, and not with a recent sign-in only', async () => {
      expect(errorOf(await app.as(token).post('/api/auth/mfa/passkeys/options', {}))).toBe('step_up_required');
      expect((await app.asGuest().post('/api/auth/mfa/passkeys/options', {})).status).toBe(401);
    });

    it('at most twenty times', async () => {
      const values = [person.id, originOf(app)];
      await app.sql(
        `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, aaguid, rp_id, verifies_user, backup_eligible, backed_up, created_at)
         SELECT gen_random_uuid(), $1, 'x', gen_random_uuid()::text, '', 0, gen_random_uuid(), $2, true, false, false, now() FROM generate_series(1, 19)`,
        values,
      );
      const options = await creationOptions(app, token);
      const others = [await creationOptions(app, token), await creationOptions(app, token)];
      await add(new SoftwareAuthenticator(originOf(app)).create(options)).expect(200);
      expect(errorOf(await app.as(token).post('/api/auth/mfa/passkeys/options', {}))).toBe('too_many_factors');
      for (const late of others)
        expect(errorOf(await add(new SoftwareAuthenticator(originOf(app)).create(late)))).toBe('too_many_factors');
    });

    it('once per challenge, for concurrent requests', async () => {
      const options = await creationOptions(app, token);
      const credentials = Array.from({ length: 16 }, () => new SoftwareAuthenticator(originOf(app)).create(options));
      const answers = await Promise.all(credentials.map((credential) => add(credential)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter((answer) => errorOf(answer) === 'mfa_invalid')).toHaveLength(15);
    });

    it('to one account only', async () => {
      const authenticator = await addPasskey(app, token);
      const other = await signedIn(app);
      const credential = authenticator.create(await creationOptions(app, other.token));
      expect(errorOf(await app.as(other.token).post('/api/auth/mfa/passkeys', { credential }))).toBe('mfa_invalid');
    });

    it.each<[string, Twist]>([
      ['from another page', { origin: 'https://evil.example' }],
      ['for another host', { rpId: 'evil.example' }],
      ['of another ceremony', { type: 'webauthn.get' }],
      ['in a frame', { crossOrigin: true }],
      ['in a frame of another site', { topOrigin: 'https://evil.example' }],
      ['without user presence', { flags: userVerified }],
      ['that is backed up but not eligible for backup', { flags: userPresent | backedUp }],
      ['with an invented challenge', { challenge: 'A'.repeat(72) }],
      ['with an id that differs from the signed one', { credentialId: 'AAAAAAAAAAAAAAAAAAAAAA' }],
      [
        'with an attestation of another form',
        { attestation: { fmt: 'packed', attStmt: new Map([['x5c', [Buffer.from('cert')]]]) } },
      ],
      ['with an unknown attestation format', { attestation: { fmt: 'fido-u2f', attStmt: new Map() } }],
    ])('rejects a credential %s', async (_what, twist) => {
      const credential = new SoftwareAuthenticator(originOf(app)).create(await creationOptions(app, token), twist);
      expect(errorOf(await add(credential))).toBe('mfa_invalid');
      expect(await app.sql('SELECT 1 FROM passkeys WHERE user_id = $1', [person.id])).toEqual([]);
    });

    it('rejects the challenge of another account or of a sign-in, and an expired one', async () => {
      const other = await signedIn(app);
      const make = (options: { challenge: string }) => new SoftwareAuthenticator(originOf(app)).create(options);
      expect(errorOf(await add(make(await creationOptions(app, other.token))))).toBe('mfa_invalid');
      expect(errorOf(await add(make(await signInOptions(app))))).toBe('mfa_invalid');
      const options = await creationOptions(app, token);
      app.clock.advance(301);
      expect(errorOf(await add(make(options)))).toBe('mfa_invalid');
    });
  });

  describe('is a second factor', () => {
    it('after a password, of this account alone', async () => {
      const authenticator = await addPasskey(app, token, { flags: userPresent });
      const other = await signedIn(app);
      const foreign = await addPasskey(app, other.token);
      const mfa_token = await halfway(app, person);
      const options = await challenge(mfa_token);
      expect(options).toMatchObject({ allowCredentials: [{ id: authenticator.credentialId }] });
      const verify = (credential: object) =>
        app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method: 'passkey', credential });
      expect(errorOf(await verify(foreign.get(options)))).toBe('mfa_invalid');
      expect(errorOf(await verify(authenticator.get(await signInOptions(app))))).toBe('mfa_invalid');
      expect(errorOf(await verify(authenticator.get(await challenge(mfa_token), { isForged: true })))).toBe(
        'mfa_invalid',
      );
      await verify(authenticator.get(await challenge(mfa_token))).expect(200);
      const [row] = await app.sql('SELECT amr, level FROM sessions WHERE user_id = $1 ORDER BY id DESC', [person.id]);
      expect(row).toEqual({ amr: ['password', 'security_key'], level: 2 });
    });

    it('that is required at the sign-in and for a step-up', async () => {
      const authenticator = await addPasskey(app, token);
      app.clock.advance(601);
      expect(errorOf(await app.as(token).post('/api/auth/mfa/recovery-codes', {}))).toBe('step_up_required');
      const options = await optionsOf(app.as(token).post('/api/auth/mfa/passkeys/step-up', {}).expect(200));
      const body = { method: 'passkey', credential: authenticator.get(options) };
      await app.as(token).post('/api/auth/mfa/step-up', body).expect(200);
      expect(errorOf(await app.as(token).post('/api/auth/mfa/step-up', body))).toBe('mfa_invalid');
      await app.as(token).post('/api/auth/mfa/recovery-codes', {}).expect(200);
    });

    it('that an administrator removes with the others', async () => {
      const authenticator = await addPasskey(app, token);
      const root = await signedIn(app, { roles: ['admin'] });
      await app.as(root.token).delete(`/api/mfa/${person.id}`).expect(200);
      expect(errorOf(await passkeySignIn(app, authenticator))).toBe('passkey_invalid');
      await signIn(app, person);
    });

    it('that is deleted with its account', async () => {
      await addPasskey(app, token);
      await app.sql('DELETE FROM users WHERE id = $1', [person.id]);
      expect(await app.sql('SELECT 1 FROM passkeys WHERE user_id = $1', [person.id])).toEqual([]);
    });
  });
});
