import { createHash } from 'node:crypto';
import { ExchangeCodes } from '../../src/identity/auth/exchange/exchange-codes.service.js';
import { JobWorker } from '../../src/platform/jobs/job-worker.service.js';
import { AccountService } from '../../src/identity/auth/account.service.js';
import { tokenOf } from './flows.js';
import type { HostileProvider } from './hostile-provider.js';
import type { MailedApp } from './mailbox.js';
import { beginLinking, exchange, freshBrowser, signInBy } from './social-fixture.js';

export const THIEF = 'the thief’s walnut 47';
export const OWNER = 'the owner’s walnut 11';

/** Step of a thief who registered another person's address. A rejected step fails silently. */
export type ThiefStep = 'enter' | 'change' | 'confirm' | 'link' | 'wait';
export type OwnerStep = 'otp' | 'native' | 'provider' | 'reset' | 'cancel';

let counter = 0;

/** A mailbox owner, and a thief who registers the address first. Each uses the provider of the same name, `owner` or `thief`. */
export class PreHijack {
  readonly address: string;
  readonly evil: string;
  owned: string | null = null;
  protected readonly subject: string;
  protected readonly access: string[] = [];
  private readonly refresh: string[] = [];
  private readonly codes: string[] = [];
  private readonly visits: (() => Promise<unknown>)[] = [];

  constructor(
    protected readonly world: MailedApp,
    protected readonly providers: { readonly owner: HostileProvider; readonly thief: HostileProvider },
  ) {
    counter += 1;
    this.subject = `person${counter}`;
    this.address = `victim${counter}@example.com`;
    this.evil = `thief${counter}@evil.example`;
  }

  protected post(path: string, body: unknown) {
    return this.world.app.asGuest().post(`/api/auth/${path}`, body);
  }

  /** Registers the address as the thief; an administrator activates the account. */
  async preRegister(): Promise<void> {
    const body = { email: this.address, password: THIEF, password_confirmation: THIEF };
    await this.post('local/register', body).expect(201);
    const [row] = await this.world.app.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [this.address]);
    await this.world.app.get(AccountService).activate(row?.id ?? '');
  }

  async thief(step: ThiefStep): Promise<void> {
    if (step === 'enter') return this.enter();
    const token = this.access.at(-1);
    if (step === 'confirm') return this.confirm();
    if (token === undefined) return;
    if (step === 'change') {
      const body = { new_email: this.evil, current_password: THIEF };
      await this.world.app.as(token).post('/api/auth/local/email/change', body);
    } else await this.link(token, step === 'wait');
  }

  protected async enter(): Promise<void> {
    for (const login of [this.address, this.evil]) {
      const { status, body } = await this.post('local/login', { login, password: THIEF });
      if (status !== 200) continue;
      this.access.push(body.token as string);
      if (typeof body.refresh_token === 'string') this.refresh.push(body.refresh_token);
      await this.keepCode(body.token as string);
    }
  }

  private async keepCode(token: string): Promise<void> {
    const { body } = await this.world.app.as(token).get('/api/auth/me');
    const [row] = await this.world.app.sql<{ version: number }>(
      'SELECT credentials_version AS version FROM users WHERE id = $1',
      [body.id],
    );
    const client = { address: '192.0.2.1', device: null };
    const session = { userId: body.id as string, provider: 'local', client, credentialsVersion: row?.version ?? 0 };
    this.codes.push(await this.world.app.get(ExchangeCodes).issue(session, { codeChallenge: null }));
  }

  protected async confirm(): Promise<void> {
    for (const mail of await this.mails(this.evil, '/email/confirm'))
      await this.post('local/email/confirm', { token: tokenOf(mail) });
  }

  private async link(token: string, waits: boolean): Promise<void> {
    this.providers.thief.claims = this.claims(`thief ${this.subject}`, this.evil);
    const browser = freshBrowser(this.world.app);
    const body = { provider: 'thief', current_password: THIEF };
    const address = await beginLinking({ app: this.world.app, browser, token }, body).catch(() => null);
    if (address === null) return;
    if (!waits) {
      await browser.follow(address, /\/dash\//);
      return;
    }
    const back = (await browser.follow(address, /\/callback\?|\/dash\//)).location ?? '';
    this.visits.push(() => browser.visit(back));
  }

  /** Proves the mailbox as the owner, who is signed in if an account exists. */
  async owner(step: OwnerStep): Promise<void> {
    if (step === 'cancel') {
      for (const mail of await this.mails(this.address, '/email/cancel'))
        await this.post('local/email/cancel', { token: tokenOf(mail) });
      return;
    }
    const accounts = await this.world.app.sql('SELECT 1 FROM users WHERE email = $1', [this.address]);
    const token = await this[step]();
    if (token === null && accounts.length > 0 && this.owned === null)
      throw new Error(`The owner did not get in by ${step}.`);
    if (token !== null) this.owned = token;
  }

  private async mailedCode(): Promise<string> {
    this.world.app.clock.advance(31);
    await this.post('otp/request', { email: this.address }).expect(200);
    return (await this.mails(this.address)).flatMap(({ codes }) => codes).at(-1) ?? '';
  }

  protected async otp(): Promise<string | null> {
    const { status, body } = await this.post('otp/verify', { email: this.address, code: await this.mailedCode() });
    return status === 200 ? (body.token as string) : null;
  }

  protected async native(): Promise<string | null> {
    const verifier = 'v'.repeat(43);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const app = { redirect_uri: 'http://127.0.0.1:4999/cb', correlation: 'x', code_challenge: challenge };
    const { body } = await this.post('cli/initiate', app).expect(200);
    const code = await this.mailedCode();
    const answer = await this.post('cli/login/otp', { carrier: body.carrier, email: this.address, code });
    if (answer.status !== 302) return null;
    const exchangeCode = new URL(answer.headers['location'] as string).searchParams.get('code');
    const set = await this.post('exchange', { code: exchangeCode, code_verifier: verifier }).expect(200);
    return set.body.token as string;
  }

  protected async provider(): Promise<string | null> {
    this.providers.owner.claims = this.claims(`owner ${this.subject}`, this.address);
    const landed = await signInBy(this.world.app, 'owner');
    return landed.includes('#code=') ? exchange(this.world.app, landed) : null;
  }

  protected async reset(): Promise<string | null> {
    await this.post('local/recover', { email: this.address }).expect(200);
    const mail = (await this.mails(this.address, '/local/recover')).at(-1);
    const body = { token: mail === undefined ? 'none' : tokenOf(mail), password: OWNER, password_confirmation: OWNER };
    const { status } = await this.post('local/recover/reset', body);
    if (status !== 200) return null;
    return (await this.post('local/login', { login: this.address, password: OWNER }).expect(200)).body.token as string;
  }

  /** Registers the address as its owner, if no account uses it. */
  async ownerRegisters(): Promise<void> {
    const body = { email: this.address, password: OWNER, password_confirmation: OWNER };
    await this.post('local/register', body).expect(201);
    const [row] = await this.world.app.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [this.address]);
    await this.world.app.get(AccountService).activate(row?.id ?? '');
    const login = await this.post('local/login', { login: this.address, password: OWNER }).expect(200);
    this.owned = login.body.token as string;
  }

  /** Returns provider claims with timestamps from the service's test clock. */
  protected claims(sub: string, email: string): Record<string, unknown> {
    const iat = Math.floor(this.world.app.clock.nowMs() / 1_000);
    return { sub, email, iat, exp: iat + 300 };
  }

  /** Completes the pending sign-ins and changes of the thief. */
  protected async arrive(): Promise<void> {
    for (const visit of this.visits) await visit();
    await this.confirm();
  }

  /** Returns the thief's tokens and passwords that give access to the account. */
  async standingWaysIn(accountId: string): Promise<string[]> {
    const { found, tell } = this.tellingOf(accountId);
    for (const token of this.access) await tell('an access token', token);
    for (const token of this.refresh)
      await tell('a refresh token', (await this.post('token/refresh', { refresh_token: token })).body.token);
    for (const login of [this.address, this.evil])
      await tell(`the password, as ${login}`, (await this.post('local/login', { login, password: THIEF })).body.token);
    return found;
  }

  private tellingOf(accountId: string): { found: string[]; tell: (way: string, token: unknown) => Promise<void> } {
    const found: string[] = [];
    const tell = async (way: string, token: unknown): Promise<void> => {
      if (typeof token !== 'string') return;
      const { status, body } = await this.world.app.as(token).get('/api/auth/me');
      if (status === 200 && body.id === accountId) found.push(way);
    };
    return { found, tell };
  }

  /** Tries every remaining sign-in method of the thief, and returns those that give access to the account. */
  async waysIn(accountId: string): Promise<string[]> {
    const { found, tell } = this.tellingOf(accountId);
    await this.arrive();
    for (const mail of await this.mails(this.evil, '/email/cancel'))
      await this.post('local/email/cancel', { token: tokenOf(mail) });
    found.push(...(await this.standingWaysIn(accountId)));
    for (const code of this.codes) await tell('an exchange code', (await this.post('exchange', { code })).body.token);
    await this.post('local/recover', { email: this.evil });
    for (const mail of await this.mails(this.evil, '/local/recover')) {
      const body = { token: tokenOf(mail), password: THIEF, password_confirmation: THIEF };
      if ((await this.post('local/recover/reset', body)).status !== 200) continue;
      for (const login of [this.address, this.evil])
        await tell('a recovery', (await this.post('local/login', { login, password: THIEF })).body.token);
    }
    this.providers.thief.claims = this.claims(`thief ${this.subject}`, this.evil);
    const landed = await signInBy(this.world.app, 'thief');
    if (landed.includes('#code=')) await tell('a linked provider', await exchange(this.world.app, landed));
    return found;
  }

  protected async mails(address: string, path = '') {
    await this.world.app.get(JobWorker).drain();
    return this.world.mailbox.mailsTo(address).filter(({ links }) => path === '' || links[0]?.includes(path) === true);
  }
}
