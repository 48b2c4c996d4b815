import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { AccountService } from '../../../src/identity/auth/account.service.js';
import { mailAfterRequest, race, tokenOf } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const ACTIVATE = '/api/auth/local/activate';
const SEND = '/api/auth/local/activate/send';
const LOGIN = '/api/auth/local/login';

describe('activation by mail', () => {
  const world = useMailedApp();
  const post = (path: string, body: unknown) => world.app.asGuest().post(path, body);
  let counter = 0;

  async function registered(): Promise<{ email: string; token: string }> {
    const email = `new${(counter += 1)}@example.com`;
    const body = { email, password: PASSWORD, password_confirmation: PASSWORD };
    expect((await post('/api/auth/local/register', body).expect(201)).body).toEqual({ data: { activation: 'email' } });
    return { email, token: tokenOf(await world.mailTo(email)) };
  }

  it('activates the account and verifies the address', async () => {
    const { email, token } = await registered();
    expect((await post(LOGIN, { login: email, password: PASSWORD }).expect(401)).body.data).toEqual({
      error: 'account_inactive',
    });
    expect((await post(ACTIVATE, { token }).expect(200)).body).toEqual({ message: expect.any(String) });
    await post(LOGIN, { login: email, password: PASSWORD }).expect(200);
    const [row] = await world.app.sql<Record<string, unknown>>(
      'SELECT email_verified_at, activated_at FROM users WHERE email = $1',
      [email],
    );
    expect(row).toEqual({ email_verified_at: expect.any(Date), activated_at: expect.any(Date) });
  });

  it('the link opens the page of the service, with the token', async () => {
    const { email, token } = await registered();
    const mail = await world.mailTo(email);
    expect(mail.links[0]).toBe(`http://lintel.test/auth/local/activate?token=${token}`);
    expect(mail.subject).not.toContain(token);
  });

  it('rejects a second use, and one of 16 concurrent uses succeeds', async () => {
    const { token } = await registered();
    expect(await race(16, () => post(ACTIVATE, { token }))).toEqual({ 200: 1, 400: 15 });
    expect((await post(ACTIVATE, { token }).expect(400)).body.data).toEqual({ error: 'token_invalid' });
  });

  it('rejects a token of another purpose, an unknown one, and every wrong type', async () => {
    const { email } = await registered();
    await world.app.sql('UPDATE users SET activated = true WHERE email = $1', [email]);
    await post('/api/auth/local/recover', { email }).expect(200);
    const recovery = tokenOf(await mailAfterRequest(world, email));
    expect((await post(ACTIVATE, { token: recovery }).expect(400)).body.data.error).toBe('token_invalid');
    expect((await post(ACTIVATE, { token: 'x' }).expect(400)).body.data.error).toBe('token_invalid');
    for (const token of [undefined, null, '', ['a'], { $ne: null }, 1]) await post(ACTIVATE, { token }).expect(422);
  });

  it('expires after 24 hours', async () => {
    const { email, token } = await registered();
    world.app.clock.advance(86_401);
    expect((await post(ACTIVATE, { token }).expect(400)).body.data).toEqual({ error: 'token_expired' });
    await post(LOGIN, { login: email, password: PASSWORD }).expect(401);
  });

  it('a newer link invalidates the older one', async () => {
    const { email, token } = await registered();
    await post(SEND, { email }).expect(200);
    await world.app.get(JobWorker).drain();
    await world.mailbox.waitFor(email, 2);
    const newer = tokenOf(await world.mailTo(email));
    expect(newer).not.toBe(token);
    await post(ACTIVATE, { token }).expect(400);
    await post(ACTIVATE, { token: newer }).expect(200);
  });

  it('responds the same for any address, and mails only inactive accounts', async () => {
    const active = await createPerson(world.app);
    const { email } = await registered();
    const answers = [];
    for (const address of [email, active.email, 'nobody@example.com'])
      answers.push((await post(SEND, { email: address }).expect(200)).body);
    expect(answers).toEqual(Array(3).fill({ message: expect.any(String) }));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await world.app.get(JobWorker).drain();
    await world.mailbox.waitFor(email, 2);
    expect(world.mailbox.mailsTo(active.email)).toEqual([]);
    expect(world.mailbox.mailsTo('nobody@example.com')).toEqual([]);
    expect(await world.app.sql(`SELECT * FROM background_jobs WHERE kind = 'mail.request'`)).toEqual([]);
  });

  it('a deactivated account cannot reactivate itself, neither by an old link nor by a new one', async () => {
    const { email, token } = await registered();
    const [row] = await world.app.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [email]);
    const accounts = world.app.get(AccountService);
    await accounts.activate(row!.id);
    await accounts.deactivate(row!.id);
    await post(ACTIVATE, { token }).expect(400);
    await post(SEND, { email }).expect(200);
    await world.app.get(JobWorker).drain();
    expect(world.mailbox.mailsTo(email)).toHaveLength(1);
    await post(LOGIN, { login: email, password: PASSWORD }).expect(401);
  });

  it('stores no token in clear text, and logs none', async () => {
    const { token } = await registered();
    const rows = await world.app.sql('SELECT * FROM one_time_secrets');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(world.app.log.join('')).not.toContain(token);
  });
});

describe('activation with a typed code', () => {
  const world = useMailedApp({
    env: { AUTH: JSON.stringify({ providers: { local: { verification_method: 'otp' } } }) },
  });
  const post = (path: string, body: unknown) => world.app.asGuest().post(path, body);

  it('registration returns the session, the mail has the code, and both activate the account', async () => {
    const email = 'typed@example.com';
    const { body } = await post('/api/auth/local/register', {
      email,
      password: PASSWORD,
      password_confirmation: PASSWORD,
    }).expect(201);
    expect(body).toEqual({ data: { activation: 'email', session_id: expect.any(String), expires_in: 900 } });
    const mail = await world.mailTo(email);
    const code = mail.codes[0] as string;
    expect(code).toMatch(/^\d{6}$/);
    const session_id = body.data.session_id as string;
    await post(ACTIVATE, { session_id, code: code === '000000' ? '000001' : '000000' }).expect(400);
    expect((await post(ACTIVATE, { code }).expect(422)).body.data.errors[0].field).toBe('session_id');
    expect((await post(ACTIVATE, { session_id }).expect(422)).body.data.errors[0].field).toBe('code');
    await post(ACTIVATE, { session_id: 'another', code }).expect(400);
    await post(ACTIVATE, { session_id, code }).expect(200);
    await post(ACTIVATE, { session_id, code }).expect(400);
    await post(LOGIN, { login: email, password: PASSWORD }).expect(200);
  });

  it('sending returns a session for every address, and a code has five attempts', async () => {
    const person = await createPerson(world.app, { activated: false });
    const unknown = await post(SEND, { email: 'nobody@example.com' }).expect(200);
    const known = await post(SEND, { email: person.email }).expect(200);
    const shape = { message: expect.any(String), session_id: expect.stringMatching(/^[\w-]{43}$/), expires_in: 900 };
    expect([unknown.body, known.body]).toEqual([shape, shape]);
    const code = (await mailAfterRequest(world, person.email)).codes[0] as string;
    const wrong = code === '111111' ? '222222' : '111111';
    const { session_id } = known.body as { session_id: string };
    for (let tries = 0; tries < 5; tries += 1) await post(ACTIVATE, { session_id, code: wrong }).expect(400);
    await post(ACTIVATE, { session_id, code }).expect(400);
    await post(ACTIVATE, { session_id: unknown.body.session_id, code }).expect(400);
  });
});

describe('activation without mail', () => {
  const manual = useTestApp({
    env: { AUTH: JSON.stringify({ providers: { local: { activation_method: 'manual' } } }) },
  });

  it('waits for an administrator', async () => {
    const email = 'manual@example.com';
    const guest = manual.app.asGuest();
    const { body } = await guest
      .post('/api/auth/local/register', { email, password: PASSWORD, password_confirmation: PASSWORD })
      .expect(201);
    expect(body).toEqual({ data: { activation: 'manual' } });
    await guest.post(LOGIN, { login: email, password: PASSWORD }).expect(401);
    expect((await guest.post(SEND, { email }).expect(400)).body.data).toEqual({ error: 'activation_not_by_email' });
    const [row] = await manual.app.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [email]);
    await manual.app.get(AccountService).activate(row!.id);
    await guest.post(LOGIN, { login: email, password: PASSWORD }).expect(200);
  });
});
