import { DataSource } from 'typeorm';
import { CustomersService } from '../src/customers/customers.service.js';
import type { Customer } from '../src/customers/customers.tables.js';
import { type Acme, ask, startAcme } from './support/acme.js';

const PASSWORD = 'sturdy walnut 47';

let acme: Acme;
beforeAll(async () => {
  acme = await startAcme({ env: { AUTH: '{"providers": {"local": {"activation_method": "auto"}}}' } });
});
afterAll(() => acme?.stop());

/** Returns Acme's data of an account. */
function customer(userId: string): Promise<Customer | null> {
  return acme.app.get(CustomersService).find(acme.app.get(DataSource).manager, userId);
}

/** Signs in over the API. */
function signIn(login: string, password = PASSWORD): ReturnType<typeof ask> {
  return ask(acme, null, '/api/auth/local/login', { login, password });
}

/** Returns the token of a link in a mail. */
function tokenOf(text: string): string | undefined {
  return /#(?:token=)?([\w-]{43})|token=([\w-]{43})/.exec(text)?.slice(1).find(Boolean);
}

describe('account lifecycle hooks', () => {
  it('create a customer for each new account', async () => {
    const email = 'new@example.com';
    const body = { email, password: PASSWORD, password_confirmation: PASSWORD };
    expect(await ask(acme, null, '/api/auth/local/register', body)).toMatchObject({ status: 201 });
    const { token } = (await signIn(email)).body as { token: string };
    const me = (await (await acme.app.fetch('/api/auth/me', { token })).json()) as { id: string };
    expect(await customer(me.id)).toMatchObject({ company: '', blocked: false, openSessions: 1 });
  });

  it('reject the sign-in of a blocked customer with an error of Acme', async () => {
    const { id, email } = await acme.app.account();
    await acme.app.get(CustomersService).change(acme.app.get(DataSource).manager, id, { blocked: true });
    expect(await signIn(email)).toMatchObject({
      status: 403,
      body: { message: 'Please call us: your account is blocked.', data: { error: 'acme_customer_blocked' } },
    });
  });

  it('count sessions as they start and end', async () => {
    const account = await acme.app.account();
    await acme.app.signIn(account.email);
    expect(await customer(account.id)).toMatchObject({ openSessions: 2 });
    await ask(acme, account, '/api/auth/logout', {});
    expect(await customer(account.id)).toMatchObject({ openSessions: 1 });
  });

  it('receive a new password', async () => {
    const account = await acme.app.account();
    expect(await customer(account.id)).toMatchObject({ passwordChangedAt: null });
    await ask(acme, null, '/api/auth/local/recover', { email: account.email });
    await acme.app.runJobs();
    const [mail] = acme.mails.to(account.email);
    const body = {
      token: tokenOf(mail!.text),
      password: 'another walnut 48',
      password_confirmation: 'another walnut 48',
    };
    expect(await ask(acme, null, '/api/auth/local/recover/reset', body)).toMatchObject({ status: 200 });
    expect((await customer(account.id))?.passwordChangedAt).toBeInstanceOf(Date);
    expect((await signIn(account.email, 'another walnut 48')).status).toBe(200);
  });
});

describe('an earlier registrant of an address', () => {
  it('loses the company when the address is verified', async () => {
    const email = 'owner@example.com';
    const body = { email, password: PASSWORD, password_confirmation: PASSWORD };
    expect(await ask(acme, null, '/api/auth/local/register', body)).toMatchObject({ status: 201 });
    const { token } = (await signIn(email)).body as { token: string };
    const squatter = { id: '', email, username: null, password: PASSWORD, token };
    const invite = { company: 'Squatters & Co', email: 'friend@example.com' };
    expect(await ask(acme, squatter, '/api/acme/company/invitations', invite)).toMatchObject({ status: 202 });
    const { id } = (await ask(acme, squatter, '/api/auth/me')).body as { id: string };
    expect(await customer(id)).toMatchObject({ company: 'Squatters & Co' });
    await ask(acme, null, '/api/auth/local/recover', { email });
    await acme.app.runJobs();
    const reset = { token: tokenOf(acme.mails.to(email).at(-1)!.text), password: 'another walnut 48' };
    const answer = await ask(acme, null, '/api/auth/local/recover/reset', {
      ...reset,
      password_confirmation: reset.password,
    });
    expect(answer).toMatchObject({ status: 200 });
    expect(await customer(id)).toMatchObject({ company: '', openSessions: 0 });
  });
});

describe('a subscriber of an own entity', () => {
  it('receives changes by any repository', async () => {
    const account = await acme.app.account();
    await acme.app
      .get(CustomersService)
      .change(acme.app.get(DataSource).manager, account.id, { company: 'Heard & Co' });
    expect(acme.app.log.some((line) => line.includes('A customer changed: company.'))).toBe(true);
    expect(acme.app.log.some((line) => line.includes('Heard & Co'))).toBe(false);
  });
});

describe('the data export of an account', () => {
  it('contains the data of Acme', async () => {
    const account = await acme.app.account();
    const company = 'Tell & Co';
    await acme.app.get(CustomersService).change(acme.app.get(DataSource).manager, account.id, { company });
    const { status, body } = await ask(acme, account, '/api/auth/me/export');
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain('"acme_customer":[{"company":"Tell & Co","password_changed_at":null}]');
  });
});

describe('registration rules', () => {
  it('reject employees, who have the directory', async () => {
    const body = { email: 'clerk@acme.example', password: PASSWORD, password_confirmation: PASSWORD };
    expect(await ask(acme, null, '/api/auth/local/register', body)).toMatchObject({
      status: 400,
      body: { message: 'Please sign in with Acme ID.', data: { error: 'registration_rejected' } },
    });
  });
});

describe('invitations', () => {
  /** Sends an invitation, and returns the mail. */
  async function invited(to: string, company: string): Promise<string> {
    const host = await acme.app.account();
    const answer = await ask(acme, host, '/api/acme/company/invitations', { company, email: to });
    expect(answer).toEqual({ status: 202, body: {} });
    await acme.app.runJobs();
    const mail = acme.mails.to(to).at(-1)!;
    expect(mail.subject).toBe(`${company} invites you`);
    expect(mail.text).toContain('within 24 hours');
    return /join#([\w-]+)/.exec(mail.text)![1]!;
  }

  it('are valid once, also for concurrent requests', async () => {
    const guest = await acme.app.account();
    const token = await invited(guest.email, 'Tea & Co');
    const accept = (): ReturnType<typeof ask> => ask(acme, guest, '/api/acme/company/invitations/accept', { token });
    const answers = await Promise.all(Array.from({ length: 16 }, accept));
    const won = answers.filter(({ status }) => status === 200);
    expect(won.map(({ body }) => body)).toEqual([{ company: 'Tea & Co' }]);
    expect(await accept()).toMatchObject({
      status: 400,
      body: { data: { error: 'acme_invitation_invalid', reason: 'invalid' } },
    });
  });

  it('expire', async () => {
    const guest = await acme.app.account();
    const token = await invited(guest.email, 'Late & Co');
    acme.app.clock.advance(25 * 3_600);
    const later = { ...guest, token: await acme.app.signIn(guest.email) };
    expect(await ask(acme, later, '/api/acme/company/invitations/accept', { token })).toMatchObject({ status: 400 });
  });

  it('add the company to the access token of the next sign-in', async () => {
    const guest = await acme.app.account();
    const token = await invited(guest.email, 'Pots & Co');
    await ask(acme, guest, '/api/acme/company/invitations/accept', { token });
    expect(await ask(acme, guest, '/api/acme/company')).toEqual({ status: 200, body: { company: null } });
    const next = { ...guest, token: await acme.app.signIn(guest.email) };
    expect(await ask(acme, next, '/api/acme/company')).toEqual({ status: 200, body: { company: 'Pots & Co' } });
  });
});

describe('the mail transport', () => {
  // The framework has one log per process, that of the newest application.
  it('drops a mail that the service rejects, and logs it', async () => {
    const host = await acme.app.account();
    const invite = { company: 'Nobody & Co', email: 'nobody@example.com' };
    await ask(acme, host, '/api/acme/company/invitations', invite);
    await acme.app.runJobs();
    expect(acme.app.log.some((line) => line.includes('the service takes no mail to this address'))).toBe(true);
    expect(acme.mails.to('nobody@example.com')).toEqual([]);
  });

  it('sends the mails of Lintel in the words of Acme, too', async () => {
    const email = 'words@example.com';
    const body = { email, password: PASSWORD, password_confirmation: PASSWORD };
    const byMail = await startAcme({ env: { AUTH: '{"providers": {"local": {"activation_method": "email"}}}' } });
    try {
      await ask(byMail, null, '/api/auth/local/register', body);
      await byMail.app.runJobs();
      expect(byMail.mails.to(email)).toMatchObject([{ subject: 'Welcome to Acme' }]);
    } finally {
      await byMail.stop();
    }
  });
});
