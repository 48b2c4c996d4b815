import { ENROLMENT_TOKEN, MfaTokens } from '../../src/identity/assurance/mfa-tokens/mfa-tokens.service.js';
import type { ProvenAccount } from '../../src/identity/auth/sign-in/sign-in-method.port.js';
import { OneTimeSecrets } from '../../src/identity/secrets/one-time-secrets.port.js';
import { OTP_CODE } from '../../src/sign-in/otp/otp.service.js';
import { optionsOf, originOf, signInOptions } from './passkeys.js';
import { codeAt, stepNow, writeRecoveryCode } from './second-factors.js';
import { FLAGS, SoftwareAuthenticator } from './software-authenticator.js';
import { initiate, type NativeApp, nativeApp } from './native-app.js';
import { createPerson, PASSWORD, type Person } from './people.js';
import { APP, freshBrowser, landing } from './social-fixture.js';
import type { TestApp } from './test-app.js';

export interface Answer {
  readonly status: number;
  readonly error: string | null;
}

/** A user who has proven everything except the second factor. */
export interface Proven {
  readonly person: Person;
  readonly native: NativeApp;
  readonly carrier: string;
  readonly otp: string;
  /** Exchange code of a sign-in from before the second factor was required. */
  readonly code: string;
  readonly refreshToken: string;
}

/** Every route that returns a token set, and every method (by name) that issues an exchange code. */
export const WAYS = [
  'POST /api/auth/local/login',
  'POST /api/auth/otp/verify',
  'POST /api/auth/exchange',
  'POST /api/auth/mfa/verify',
  'POST /api/auth/mfa/totp/confirm',
  'POST /api/auth/mfa/passkeys',
  'POST /api/auth/passkeys/login',
  'a native app, by password',
  'a native app, by mailed code',
  'a native app, by passkey',
  'a provider, for our own pages',
  'a native app, by a provider',
] as const;

export type Way = (typeof WAYS)[number];

/** Signs in one user by every method. The application has the provider `acme`. */
export class SignInWays {
  /** The user who signs in; created by {@link prove}. */
  carried: Proven;
  landed = '';

  constructor(private readonly app: TestApp) {}

  async post(path: string, body: unknown): Promise<Answer> {
    const { status, body: answer } = await this.app.asGuest().post(path, body);
    return { status, error: (answer as { data?: { error?: string } }).data?.error ?? null };
  }

  async prove(): Promise<Proven> {
    const { app } = this;
    const person = await createPerson(app);
    const native = nativeApp();
    const { id: userId, email } = person;
    const digits = { length: 6, attempts: 3, lifetimeSeconds: 300 } as const;
    const request = { purpose: OTP_CODE, userId, data: { email }, ...digits };
    const { secret: otp } = await app.get(OneTimeSecrets).issueCode(app.database.manager, request);
    const login = { login: email, password: PASSWORD };
    const { body } = await app.asGuest().post('/api/auth/local/login', login).expect(200);
    const { headers } = await app
      .asGuest()
      .post('/api/auth/cli/login/local', { carrier: await initiate(app, native), ...login })
      .expect(302);
    const code = new URL(headers['location'] as string).searchParams.get('code') ?? '';
    const refreshToken = (body as { refresh_token: string }).refresh_token;
    this.carried = { person, native, carrier: await initiate(app, native), otp, code, refreshToken };
    return this.carried;
  }

  async take(way: Way): Promise<Answer> {
    const { person, native, carrier, otp, code } = this.carried;
    const { email } = person;
    switch (way) {
      case 'POST /api/auth/local/login':
        return this.post('/api/auth/local/login', { login: email, password: PASSWORD });
      case 'POST /api/auth/otp/verify':
        return this.post('/api/auth/otp/verify', { email, code: otp });
      case 'POST /api/auth/exchange':
        return this.post('/api/auth/exchange', { code, code_verifier: native.verifier });
      case 'POST /api/auth/mfa/verify':
        return this.byFactor();
      case 'POST /api/auth/mfa/totp/confirm':
        return this.byNewApp();
      case 'POST /api/auth/mfa/passkeys':
        return this.byNewPasskey();
      case 'POST /api/auth/passkeys/login':
        return this.post('/api/auth/passkeys/login', { credential: await this.passkeyAnswer() });
      case 'a native app, by password':
        return this.post('/api/auth/cli/login/local', { carrier, login: email, password: PASSWORD });
      case 'a native app, by mailed code':
        return this.post('/api/auth/cli/login/otp', { carrier, email, code: otp });
      case 'a native app, by passkey':
        return this.post('/api/auth/cli/login/passkey', { carrier, credential: await this.passkeyAnswer() });
      case 'a provider, for our own pages':
        return this.byProvider('');
      case 'a native app, by a provider':
        return this.byProvider(`?cli=${carrier}`);
    }
  }

  private async byFactor(): Promise<Answer> {
    const { mfa_token } = await this.app.get(MfaTokens).issue(await this.proven(), {});
    const code = await writeRecoveryCode(this.app, this.carried.person.id);
    return this.post('/api/auth/mfa/verify', { mfa_token, method: 'recovery_code', code });
  }

  private async byNewApp(): Promise<Answer> {
    const { mfa_token } = await this.app.get(MfaTokens).issue(await this.proven(), {}, ENROLMENT_TOKEN);
    const { body } = await this.app.asGuest().post('/api/auth/mfa/totp', { mfa_token });
    const { id, secret } = (body as { data: { id: string; secret: string } }).data;
    const code = codeAt(secret, stepNow(this.app));
    return this.post('/api/auth/mfa/totp/confirm', { mfa_token, id, code });
  }

  private async byNewPasskey(): Promise<Answer> {
    const { mfa_token } = await this.app.get(MfaTokens).issue(await this.proven(), {}, ENROLMENT_TOKEN);
    const options = await optionsOf(this.app.asGuest().post('/api/auth/mfa/passkeys/options', { mfa_token }));
    const credential = new SoftwareAuthenticator(originOf(this.app)).create(options);
    return this.post('/api/auth/mfa/passkeys', { mfa_token, credential });
  }

  /** Returns the assertion of a passkey without user verification, which counts as one factor. */
  private async passkeyAnswer(): Promise<object> {
    const { app, carried } = this;
    const authenticator = new SoftwareAuthenticator(originOf(app));
    authenticator.flags = FLAGS.userPresent;
    authenticator.userHandle = Buffer.from(carried.person.id.replaceAll('-', ''), 'hex').toString('base64url');
    await app.sql(
      `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, aaguid, rp_id, verifies_user, backup_eligible, backed_up, created_at)
       VALUES (gen_random_uuid(), $1, 'Key', $2, $3, 0, gen_random_uuid(), 'localhost', false, false, false, now())`,
      [carried.person.id, authenticator.credentialId, authenticator.storedKey],
    );
    return authenticator.get(await signInOptions(app));
  }

  private async proven(): Promise<ProvenAccount> {
    const { id: userId } = this.carried.person;
    const [row] = await this.app.sql<{ version: number }>(
      'SELECT credentials_version AS version FROM users WHERE id = $1',
      [userId],
    );
    const client = { address: '127.0.0.1', device: null };
    return { userId, provider: 'local', client, credentialsVersion: row!.version, activated: true };
  }

  private async byProvider(query: string): Promise<Answer> {
    const browser = freshBrowser(this.app);
    const page = await browser.follow(`${APP}/api/auth/acme/login${query}`, /\/dash\/|127\.0\.0\.1:49152/);
    this.landed = landing(page);
    return { status: page.status, error: /#error=(\w+)/.exec(this.landed)?.[1] ?? null };
  }
}
