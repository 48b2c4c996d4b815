import type { Response } from 'supertest';
import { OneTimeSecrets } from '../../src/identity/secrets/one-time-secrets.port.js';
import { EXCHANGE_CODE } from '../../src/identity/auth/exchange/exchange-codes.service.js';
import { OTP_CODE } from '../../src/sign-in/otp/otp.service.js';
import { createPerson, PASSWORD, type Person } from './people.js';
import type { TestApp } from './test-app.js';

export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const;
/** Headers of a sign-in request from the product's own page. */
export const STAYS = { ...OWN_PAGE, 'lintel-session': 'cookie' } as const;

export const SIGN_INS = ['/api/auth/local/login', '/api/auth/otp/verify', '/api/auth/exchange'] as const;

export class CookieJar {
  readonly cookies = new Map<string, string>();
  /** The last received attributes of each cookie. */
  readonly given = new Map<string, string>();

  constructor(readonly app: TestApp) {}

  async post(path: string, body: unknown = {}, headers: Readonly<Record<string, string>> = STAYS): Promise<Response> {
    const answer = await this.app
      .asGuest()
      .post(path, body)
      .set({ ...headers, cookie: this.header });
    this.keep(answer);
    return answer;
  }

  get header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  keep(answer: Response): void {
    for (const line of (answer.headers['set-cookie'] as unknown as string[] | undefined) ?? []) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
      if (/Max-Age=0\b/.test(attributes)) this.cookies.delete(name);
      else this.cookies.set(name, value);
      this.given.set(name, attributes);
    }
  }

  async signIn(person: Pick<Person, 'email'>): Promise<string> {
    const answer = await this.post('/api/auth/local/login', { login: person.email, password: PASSWORD });
    expect(answer.status).toBe(200);
    return (answer.body as { token: string }).token;
  }

  resume(headers: Readonly<Record<string, string>> = OWN_PAGE): Promise<Response> {
    return this.post('/api/auth/token/resume', {}, headers);
  }
}

/** Creates an account and a sign-in body for a route. */
export async function proofFor(
  app: TestApp,
  route: (typeof SIGN_INS)[number],
): Promise<{ person: Person; body: Readonly<Record<string, string>> }> {
  const person = await createPerson(app);
  const { id: userId, email } = person;
  const secrets = app.get(OneTimeSecrets);
  if (route === '/api/auth/local/login') return { person, body: { login: email, password: PASSWORD } };
  if (route === '/api/auth/otp/verify') {
    const digits = { length: 6, attempts: 3, lifetimeSeconds: 300 } as const;
    const request = { purpose: OTP_CODE, userId, data: { email }, ...digits };
    const { secret: code } = await secrets.issueCode(app.database.manager, request);
    return { person, body: { email, code } };
  }
  const [row] = await app.sql<{ version: number }>('SELECT credentials_version AS version FROM users WHERE id = $1', [
    userId,
  ]);
  const session = { provider: 'acme', client: { address: '::1', device: null }, credentialsVersion: row!.version };
  const { secret: code } = await secrets.issueToken(app.database.manager, {
    purpose: EXCHANGE_CODE,
    userId,
    lifetimeSeconds: 60,
    data: { session, codeChallenge: null },
    replace: false,
  });
  return { person, body: { code } };
}

export async function sessionsOf(app: TestApp, person: Pick<Person, 'id'>): Promise<string[]> {
  const rows = await app.sql<{ id: string }>('SELECT id FROM sessions WHERE user_id = $1 ORDER BY created_at', [
    person.id,
  ]);
  return rows.map(({ id }) => id);
}
