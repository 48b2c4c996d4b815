import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { useMailedApp } from '../../support/mailbox.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { createPerson, PASSWORD, signIn } from '../../support/people.js';

/** Attacks that were found before, in other variants. */
describe('typed codes and addresses', () => {
  const AUTH = JSON.stringify({ providers: { local: { verification_method: 'otp', activation_method: 'email' } } });
  const world = useMailedApp({
    env: {
      AUTH,
      RATE_LIMIT_ENABLED: 'true',
      TRUST_PROXY: '1',
      AUTH_CLI_LOGIN_ENABLED: 'true',
      AUTH_OTP_ENABLED: 'true',
    },
  });
  let counter = 0;
  /** Sends each request from a new client address, so that only limits of the account count. */
  const post = (path: string, body: unknown, token = '') => {
    counter += 1;
    const client = token === '' ? world.app.asGuest() : world.app.as(token);
    return client.post(`/api/auth/${path}`, body).set('x-forwarded-for', `198.19.${counter >> 8}.${counter & 255}`);
  };
  const spellings = (email: string): readonly string[] => [
    email,
    email.toUpperCase(),
    email.replace('example', 'EXAMPLE'),
    email.replace(/^./, (first) => first.toUpperCase()),
  ];

  it('reveal nothing about an address in other spellings, over many sessions', async () => {
    const seen: string[] = [];
    for (const email of [(await createPerson(world.app)).email, `nobody${Math.random()}@example.com`]) {
      const answers: string[] = [];
      for (let tries = 0; tries < 14; tries += 1) {
        const asked = await post('local/recover', { email: spellings(email)[tries % 4] });
        const { session_id } = asked.body as { session_id: string };
        const result = await post('local/recover/check', { session_id, code: `9${String(tries).padStart(5, '0')}` });
        answers.push(`${asked.status} ${result.status} ${JSON.stringify(result.body)}`);
      }
      seen.push(answers.join('\n'));
    }
    expect(seen[0]).toBe(seen[1]);
  });

  it('a stolen session learns about a few addresses only, over all sessions and spellings', async () => {
    const thief = await createPerson(world.app);
    const victims = await Promise.all(Array.from({ length: 25 }, () => createPerson(world.app)));
    const tokens = await Promise.all([1, 2, 3].map(() => signIn(world.app, thief)));
    const result = await Promise.all(
      victims.map(async ({ email }, index) => {
        const body = { new_email: spellings(email)[index % 4], current_password: PASSWORD };
        return (await post('local/email/change', body, tokens[index % 3])).body.data?.error as string;
      }),
    );
    expect(result.filter((error) => error === 'email_taken').length).toBeLessThanOrEqual(5);
    expect(result.filter((error) => error === 'rate_limited').length).toBeGreaterThanOrEqual(15);
  });

  it.each(['local/login', 'cli/login/local'])(
    'wrong passwords at %s do not block the recovery by mail',
    async (path) => {
      const person = await createPerson(world.app);
      const carrier = await initiate(world.app, nativeApp());
      const { body } = await post('local/recover', { email: person.email }).expect(200);
      await world.app.get(JobWorker).drain();
      const code = (await world.mailTo(person.email)).codes[0];
      await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          post(path, { carrier, login: spellings(person.email)[index % 4], password: `wrong ${index}` }),
        ),
      );
      const { session_id } = body as { session_id: string };
      await post('local/recover/check', { session_id, code }).expect(200);
      const passwords = { password: 'a wholly new walnut', password_confirmation: 'a wholly new walnut' };
      await post('local/recover/reset', { session_id, ...passwords }).expect(200);
      await post('local/login', { login: person.email, password: passwords.password }).expect(200);
    },
  );

  it('a session does not outlive a concurrent reset, in either order', async () => {
    for (let round = 0; round < 8; round += 1) {
      const person = await createPerson(world.app);
      const { body } = await post('local/recover', { email: person.email }).expect(200);
      await world.app.get(JobWorker).drain();
      const { session_id } = body as { session_id: string };
      const code = (await world.mailTo(person.email)).codes[0];
      await post('local/recover/check', { session_id, code }).expect(200);
      const passwords = { password: 'a wholly new walnut', password_confirmation: 'a wholly new walnut' };
      const [reset, ...logins] = await Promise.all([
        post('local/recover/reset', { session_id, ...passwords }),
        ...Array.from({ length: 5 }, () => post('local/login', { login: person.email, password: PASSWORD })),
      ]);
      expect(reset?.status).toBe(200);
      for (const { status, body: answer } of logins) {
        if (status !== 200) continue;
        await world.app
          .as((answer as { token: string }).token)
          .get('/api/auth/me')
          .expect(401);
      }
      expect(await world.app.sql('SELECT id FROM sessions WHERE user_id = $1', [person.id])).toEqual([]);
    }
  });
});

describe('a carrier whose host was removed from the list', () => {
  it('is rejected even if a similar host is listed', async () => {
    const { TestApp } = await import('../../support/test-app.js');
    const env = { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_CLI_ALLOWED_REDIRECT_HOSTS: 'cli.example.com' };
    const before = await TestApp.start({ env });
    const left = 'xcli.example.com,cli.example.com.evil.test,example.com,cli.example.co,cli-example.com';
    const after = await before.secondInstance({ env: { ...env, AUTH_CLI_ALLOWED_REDIRECT_HOSTS: left } });
    try {
      const person = await createPerson(before);
      for (const redirectUri of [
        'https://cli.example.com/cb',
        'https://cli.example.com/other?x=1',
        'https://cli.example.com/cb?to=https://example.com',
      ]) {
        const carrier = await initiate(before, nativeApp({ redirectUri }));
        const body = { carrier, login: person.email, password: PASSWORD };
        const { status, body: answer } = await after.asGuest().post('/api/auth/cli/login/local', body);
        expect([redirectUri, status, answer.data?.error]).toEqual([redirectUri, 400, 'carrier_invalid']);
      }
    } finally {
      await after.stop();
      await before.stop();
    }
  });
});
