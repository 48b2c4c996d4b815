import { AccountService } from '../../../src/identity/auth/account.service.js';
import { race } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD, type Person, signedIn, signIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const CHANGE = '/api/auth/local/password';
const ME = '/api/auth/me';
const NEXT = 'another sturdy walnut';

function body(current: unknown = PASSWORD, password: unknown = NEXT, confirmation: unknown = password) {
  return { current_password: current, password, password_confirmation: confirmation };
}

describe('POST /api/auth/local/password', () => {
  const world = useMailedApp({ env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
  const change = (token: string, input: unknown = body()) => world.app.as(token).post(CHANGE, input);
  const login = ({ email }: Pick<Person, 'email'>, password: string) =>
    world.app.asGuest().post('/api/auth/local/login', { login: email, password });

  it('sets the password, keeps this session, revokes all others, and notifies the owner', async () => {
    const { person, token } = await signedIn(world.app);
    const other = (await login(person, PASSWORD).expect(200)).body as { token: string; refresh_token: string };
    expect((await change(token).expect(200)).body).toEqual({ data: true });
    await world.app.as(token).get(ME).expect(200);
    await world.app.as(other.token).get(ME).expect(401);
    await world.app.asGuest().post('/api/auth/token/refresh', { refresh_token: other.refresh_token }).expect(401);
    await login(person, PASSWORD).expect(401);
    await login(person, NEXT).expect(200);
    const mail = await world.mailTo(person.email);
    expect(mail.subject).toMatch(/password/i);
    expect(mail.text).not.toContain(NEXT);
    expect(world.app.log.join('')).not.toContain(NEXT);
  });

  it('invalidates earlier mailed links', async () => {
    const { person, token } = await signedIn(world.app);
    await world.app.asGuest().post('/api/auth/local/recover', { email: person.email }).expect(200);
    const { links } = await world.mailTo(person.email);
    await change(token).expect(200);
    const recovery = new URL(links[0]!).searchParams.get('token');
    const reset = {
      token: recovery,
      password: 'a third sturdy walnut',
      password_confirmation: 'a third sturdy walnut',
    };
    await world.app.asGuest().post('/api/auth/local/recover/reset', reset).expect(400);
  });

  it('lets one of 16 concurrent requests succeed, with its password', async () => {
    const { person, token } = await signedIn(world.app);
    let counter = 0;
    const passwords: string[] = [];
    const result = await race(16, async () => {
      const password = `sturdy walnut number ${(counter += 1)}`;
      const answer = await change(token, body(PASSWORD, password));
      if (answer.status === 200) passwords.push(password);
      return answer;
    });
    expect(result).toEqual({ 200: 1, 401: 15 });
    expect(passwords).toHaveLength(1);
    await login(person, passwords[0]!).expect(200);
  });

  it.each<[string, unknown]>([
    ['a wrong one', 'not the password'],
    ['the new one', NEXT],
    ['in another case', PASSWORD.toUpperCase()],
    ['with a blank behind', `${PASSWORD} `],
    ['over-long', 'x'.repeat(5_000)],
  ])('rejects %s as the current one, and changes nothing', async (_name, current) => {
    const { person, token } = await signedIn(world.app);
    const other = await signIn(world.app, person);
    expect((await change(token, body(current)).expect(401)).body.data).toEqual({ error: 'invalid_credentials' });
    await world.app.as(other).get(ME).expect(200);
    await login(person, PASSWORD).expect(200);
  });

  it('reports all malformed fields', async () => {
    const { token } = await signedIn(world.app);
    const cases: [unknown, string[]][] = [
      [{}, ['current_password', 'password', 'password_confirmation']],
      [body(['x'], { $ne: '' }, 1), ['current_password', 'password', 'password_confirmation']],
      [body(PASSWORD, 'short'), ['password']],
      [body(PASSWORD, 'password1'), ['password']],
      [body(PASSWORD, 'x'.repeat(257)), ['password']],
      [body(PASSWORD, NEXT, ''), ['password_confirmation']],
    ];
    for (const [input, fields] of cases) {
      const { body: answer } = await change(token, input).expect(422);
      expect((answer.data.errors as { field: string }[]).map(({ field }) => field).sort()).toEqual(fields);
    }
    expect((await change(token, body(PASSWORD, NEXT, `${NEXT}x`)).expect(400)).body.data.error).toBe(
      'password_mismatch',
    );
  });

  it('reports an account without a password', async () => {
    const { person, token } = await signedIn(world.app);
    await world.app.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [person.id]);
    expect((await change(token).expect(400)).body.data.error).toBe('not_a_local_account');
  });

  it('needs a valid session', async () => {
    const person = await createPerson(world.app);
    const token = await signIn(world.app, person);
    await world.app.asGuest().post(CHANGE, body()).expect(401);
    await world.app
      .asGuest()
      .post(CHANGE, body())
      .set({ cookie: `token=${token}`, origin: 'https://evil.example' })
      .expect(403);
    await world.app.get(AccountService).deactivate(person.id);
    await change(token).expect(401);
  });
});

describe('with limits', () => {
  const world = useTestApp({ env: { RATE_LIMIT_ENABLED: 'true' } });

  it('guesses at the current password have a separate limit, and do not affect the sign-in', async () => {
    const { person, token } = await signedIn(world.app);
    const guess = () => world.app.as(token).post(CHANGE, body('not the password'));
    for (let tries = 0; tries < 10; tries += 1) await guess().expect(401);
    expect((await guess().expect(429)).headers['retry-after']).toBeDefined();
    const login = { login: person.email, password: PASSWORD };
    await world.app.asGuest().post('/api/auth/local/login', login).expect(200);
  });
});

describe('in federated-only mode', () => {
  const providers = { github: { client_id: 'x', client_secret: 'y' } };
  const AUTH = JSON.stringify({ enabled_providers: ['github'], providers });
  const world = useTestApp({ env: { AUTH, AUTH_DISABLE_LOCAL_LOGIN: 'true' } });

  it('is not available', async () => {
    expect((await world.app.asGuest().post(CHANGE, body()).expect(404)).body.data.error).toBe('route_not_found');
  });
});
