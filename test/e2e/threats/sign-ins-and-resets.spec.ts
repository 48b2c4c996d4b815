import { ExchangeCodes } from '../../../src/identity/auth/exchange/exchange-codes.service.js';
import { AccountService } from '../../../src/identity/auth/account.service.js';
import { OneTimeSecrets } from '../../../src/identity/secrets/one-time-secrets.port.js';
import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';
import { mailAfterRequest, tokenOf } from '../../support/flows.js';
import { useMailedApp } from '../../support/mailbox.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { createPerson, type Person, signIn } from '../../support/people.js';

const NEW = 'a wholly new walnut';
const ROUNDS = Array.from({ length: 12 }, (_, index) => index + 1);

/** A reset ends every session. A sign-in that was proven before must not start a session after it, with any method. */
describe('a sign-in concurrent with a password reset', () => {
  const world = useMailedApp({
    env: { AUTH_OTP_ENABLED: 'true', AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_ENABLE_REFRESH_TOKEN: 'true' },
  });
  const post = (path: string, body: unknown) => world.app.asGuest().post(`/api/auth/${path}`, body);

  async function recovery(person: Person): Promise<string> {
    await post('local/recover', { email: person.email }).expect(200);
    return tokenOf(await mailAfterRequest(world, person.email));
  }

  async function mailedCode(person: Person): Promise<string> {
    const before = world.mailbox.mailsTo(person.email).length;
    await post('otp/request', { email: person.email }).expect(200);
    await mailAfterRequest(world, person.email);
    return (await world.mailbox.waitFor(person.email, before + 1)).codes[0] as string;
  }

  const reset = (token: string) => post('local/recover/reset', { token, password: NEW, password_confirmation: NEW });
  const exchangeCode = (person: Person): Promise<string> =>
    world.app
      .get(ExchangeCodes)
      .issue(
        { userId: person.id, provider: 'acme', client: { address: '::1', device: null }, credentialsVersion: 0 },
        { codeChallenge: null },
      );

  const codeOf = (location: string | undefined) => new URL(location ?? '').searchParams.get('code');

  /** Runs the work after the next call of a method, before its caller continues. */
  function afterNext<T, K extends keyof T & string>(target: T, method: K, work: () => Promise<unknown>): void {
    const original = (target[method] as (...given: unknown[]) => Promise<unknown>).bind(target);
    jest.spyOn(target as never, method as never).mockImplementationOnce((async (...given: unknown[]) => {
      const answer = await original(...given);
      await work();
      return answer;
    }) as never);
  }

  const living = async ({ id }: Person): Promise<unknown[]> =>
    world.app.sql('SELECT id FROM sessions WHERE user_id = $1', [id]);

  afterEach(() => jest.restoreAllMocks());

  it.each<[string, (person: Person, meanwhile: () => Promise<unknown>) => Promise<unknown>]>([
    [
      'a mailed code',
      async (person, meanwhile) => {
        const code = await mailedCode(person);
        afterNext(world.app.get(OneTimeSecrets), 'tryCode', meanwhile);
        const { body } = await post('otp/verify', { email: person.email, code }).expect(401);
        expect(body.data).toEqual({ error: 'otp_invalid' });
      },
    ],
    [
      'the code of a completed sign-in',
      async (person, meanwhile) => {
        const code = await exchangeCode(person);
        afterNext(world.app.get(OneTimeSecrets), 'consumeToken', meanwhile);
        expect((await post('exchange', { code }).expect(401)).body.data).toEqual({ error: 'code_invalid' });
      },
    ],
    [
      'a mailed code for a native app',
      async (person, meanwhile) => {
        const native = nativeApp();
        const carrier = await initiate(world.app, native);
        const code = await mailedCode(person);
        afterNext(world.app.get(OneTimeSecrets), 'tryCode', meanwhile);
        const answer = await post('cli/login/otp', { carrier, email: person.email, code });
        if (answer.status === 401) return;
        const code_verifier = native.verifier;
        await post('exchange', { code: codeOf(answer.headers['location']), code_verifier }).expect(401);
      },
    ],
    [
      'a password',
      async (person, meanwhile) => {
        afterNext(world.app.get(PasswordHasher), 'verify', meanwhile);
        await post('local/login', { login: person.email, password: person.password }).expect(401);
      },
    ],
    [
      'a password for a native app',
      async (person, meanwhile) => {
        const native = nativeApp();
        const carrier = await initiate(world.app, native);
        afterNext(world.app.get(PasswordHasher), 'verify', meanwhile);
        const answer = await post('cli/login/local', { carrier, login: person.email, password: person.password });
        if (answer.status === 401) return;
        const code_verifier = native.verifier;
        await post('exchange', { code: codeOf(answer.headers['location']), code_verifier }).expect(401);
      },
    ],
  ])('with %s that was correct a moment before starts no session', async (_name, enter) => {
    const ends: readonly ((person: Person, token: string) => Promise<unknown>)[] = [
      (_person, token) => reset(token).expect(200),
      ({ id }) => world.app.get(AccountService).setPassword(id, NEW),
      async ({ id }) => {
        await world.app.get(AccountService).deactivate(id);
        await world.app.get(AccountService).activate(id);
      },
    ];
    for (const end of ends) {
      const person = await createPerson(world.app);
      const token = await recovery(person);
      await enter(person, () => end(person, token));
      expect(await living(person)).toEqual([]);
    }
  });

  it.each(ROUNDS)('in parallel with fifteen others leaves no session, round %i', async () => {
    const person = await createPerson(world.app);
    const before = await signIn(world.app, person);
    const [token, code] = [await recovery(person), await mailedCode(person)];
    const codes = await Promise.all(Array.from({ length: 5 }, () => exchangeCode(person)));
    const [done, ...answers] = await Promise.all([
      reset(token),
      post('otp/verify', { email: person.email, code }),
      post('otp/verify', { email: person.email, code }),
      ...codes.map((each) => post('exchange', { code: each })),
      ...Array.from({ length: 8 }, () => post('local/login', { login: person.email, password: person.password })),
    ]);
    expect(done.status).toBe(200);
    const tokens = [before, ...answers.flatMap(({ status, body }) => (status === 200 ? [body.token as string] : []))];
    for (const each of tokens) await world.app.as(each).get('/api/auth/me').expect(401);
    expect(await living(person)).toEqual([]);
    await post('local/login', { login: person.email, password: NEW }).expect(200);
  });
});
