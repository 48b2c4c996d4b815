import { MfaTokens } from '../../src/identity/auth/sign-in/mfa-tokens.service.js';
import { OneTimeSecrets } from '../../src/identity/secrets/one-time-secrets.port.js';
import { OTP_CODE } from '../../src/sign-in/otp/otp.service.js';
import { writeRecoveryCode } from './second-factors.js';
import { initiate, type NativeApp, nativeApp } from './native-app.js';
import { createPerson, PASSWORD, type Person } from './people.js';
import { APP, freshBrowser, landing } from './social-world.js';
import type { TestApp } from './test-app.js';

/** How a way to sign in was answered, reduced to what is common to all of them. */
export interface Answer {
  readonly status: number;
  readonly error: string | null;
}

/** A person who has proven everything but the second factor. */
export interface Proven {
  readonly person: Person;
  readonly native: NativeApp;
  readonly carrier: string;
  readonly otp: string;
  /** A code of a sign-in that was let pass before the factor was due. */
  readonly code: string;
  /** The refresh token of a session that there is already. */
  readonly refreshToken: string;
}

/** Every way that ends in a token set, by its route; and every way to a code, by the name of it. */
export const WAYS = [
  'POST /api/auth/local/login',
  'POST /api/auth/otp/verify',
  'POST /api/auth/exchange',
  'POST /api/auth/mfa/verify',
  'a native app, by password',
  'a native app, by mailed code',
  'a provider, for our own pages',
  'a native app, by a provider',
] as const;

/** A way to sign in, or to a code for it. */
export type Way = (typeof WAYS)[number];

/** Takes one person through the ways to sign in. The application has the provider `acme`. */
export class SignInWays {
  /** Who takes them; {@link prove} makes one. */
  carried: Proven;
  /** Where the last browser ended. */
  landed = '';

  constructor(private readonly app: TestApp) {}

  async post(path: string, body: unknown): Promise<Answer> {
    const { status, body: answer } = await this.app.asGuest().post(path, body);
    return { status, error: (answer as { data?: { error?: string } }).data?.error ?? null };
  }

  /** Makes a person who has proven everything. */
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

  /** Takes a way. */
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
      case 'a native app, by password':
        return this.post('/api/auth/cli/login/local', { carrier, login: email, password: PASSWORD });
      case 'a native app, by mailed code':
        return this.post('/api/auth/cli/login/otp', { carrier, email, code: otp });
      case 'a provider, for our own pages':
        return this.byProvider('');
      case 'a native app, by a provider':
        return this.byProvider(`?cli=${carrier}`);
    }
  }

  /** The end of a sign-in that waits for a second factor, by a code on paper. */
  private async byFactor(): Promise<Answer> {
    const { id: userId } = this.carried.person;
    const [row] = await this.app.sql<{ version: number }>(
      'SELECT credentials_version AS version FROM users WHERE id = $1',
      [userId],
    );
    const client = { address: '127.0.0.1', device: null };
    const account = { userId, provider: 'local', client, credentialsVersion: row!.version, activated: true };
    const { mfa_token } = await this.app.get(MfaTokens).issue(account, {});
    const code = await writeRecoveryCode(this.app, userId);
    return this.post('/api/auth/mfa/verify', { mfa_token, method: 'recovery_code', code });
  }

  private async byProvider(query: string): Promise<Answer> {
    const browser = freshBrowser(this.app);
    const page = await browser.follow(`${APP}/api/auth/acme/login${query}`, /\/dash\/|127\.0\.0\.1:49152/);
    this.landed = landing(page);
    return { status: page.status, error: /#error=(\w+)/.exec(this.landed)?.[1] ?? null };
  }
}
