import { race } from '../../support/flows.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { optionsOf, addPasskey, originOf, signInOptions } from '../../support/passkeys.js';
import { createPerson, PASSWORD, type Person, signedIn, signIn } from '../../support/people.js';
import { FLAGS, SoftwareAuthenticator } from '../../support/software-authenticator.js';
import { TestApp } from '../../support/test-app.js';

const CLI = '/api/auth/cli/login';

describe('passkeys in a sign-in to an app', () => {
  let app: TestApp;
  let person: Person;
  let key: SoftwareAuthenticator;
  const native = nativeApp();

  beforeAll(async () => {
    app = await TestApp.start({ env: { AUTH_CLI_LOGIN_ENABLED: 'true' } });
  });
  beforeEach(async () => {
    person = await createPerson(app);
    key = await addPasskey(app, await signIn(app, person));
  });
  afterAll(() => app?.stop());

  const post = (path: string, body: object) => app.asGuest().post(`${CLI}/${path}`, body);
  const form = (path: string, body: Record<string, string>) =>
    app.asGuest().post(`${CLI}/${path}`).type('form').set('sec-fetch-site', 'same-origin').send(body);
  const errorOf = ({ body }: { body: unknown }) => (body as { data?: { error?: string } }).data?.error ?? null;
  const codes = async () =>
    (await app.sql(`SELECT 1 FROM one_time_secrets WHERE purpose = 'exchange' AND user_id = $1`, [person.id])).length;
  const sessionOf = async (location: string) => {
    const code = new URL(location).searchParams.get('code');
    await app.asGuest().post('/api/auth/exchange', { code, code_verifier: native.verifier }).expect(200);
    const text = 'SELECT provider, amr, level FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT 1';
    return (await app.sql(text, [person.id]))[0];
  };
  const half = async (carrier: string): Promise<string> => {
    const { body } = await post('local', { carrier, login: person.email, password: PASSWORD }).expect(401);
    return (body as { data: { mfa_token: string } }).data.mfa_token;
  };
  const challenge = (mfa_token: string) =>
    optionsOf(app.asGuest().post('/api/auth/mfa/passkeys/challenge', { mfa_token }).expect(200));

  it('sign in without a user name, as JSON and as a form, with two factors', async () => {
    const carrier = await initiate(app, native);
    const credential = key.get(await signInOptions(app));
    const { headers } = await post('passkey', { carrier, credential }).expect(302);
    expect(new URL(headers['location'] as string).searchParams.get('state')).toBe(native.correlation);
    expect(await sessionOf(headers['location'] as string)).toEqual({ provider: 'passkey', amr: ['passkey'], level: 2 });
    const fields = {
      carrier: await initiate(app, native),
      credential: JSON.stringify(key.get(await signInOptions(app))),
    };
    const sent = await form('passkey', fields);
    expect(await sessionOf(sent.headers['location'] as string)).toMatchObject({ amr: ['passkey'], level: 2 });
  });

  it('that do not verify their user wait for another factor, bound to the carrier', async () => {
    key.flags = FLAGS.userPresent;
    const carrier = await initiate(app, native);
    const asked = await post('passkey', { carrier, credential: key.get(await signInOptions(app)) }).expect(401);
    const { data } = asked.body as { data: { error: string; methods: string[]; mfa_token: string } };
    expect(data).toMatchObject({ error: 'mfa_required', methods: ['passkey', 'password'] });
    const other = { carrier: await initiate(app, nativeApp()), mfa_token: data.mfa_token, method: 'password' };
    expect(errorOf(await post('mfa', { ...other, code: PASSWORD }))).toBe('mfa_token_invalid');
    const proof = { carrier, mfa_token: data.mfa_token, method: 'password', code: PASSWORD };
    const { headers } = await post('mfa', proof).expect(302);
    expect(await sessionOf(headers['location'] as string)).toMatchObject({
      amr: ['security_key', 'password'],
      level: 2,
    });
  });

  it('are rejected with one error for every cause; a form returns to its page', async () => {
    const carrier = await initiate(app, native);
    const stranger = new SoftwareAuthenticator(originOf(app));
    const options = await signInOptions(app);
    const used = key.get(options);
    await app.asGuest().post('/api/auth/passkeys/login', { credential: used }).expect(200);
    const prove = await challenge(await half(carrier));
    const wrong = [
      stranger.get(await signInOptions(app)),
      key.get(await signInOptions(app), { isForged: true }),
      key.get(await signInOptions(app), { origin: 'https://evil.example' }),
      used,
      key.get(prove),
      {},
      'x',
      'x'.repeat(50_000),
    ];
    const before = await codes();
    for (const credential of wrong) {
      const answer = await post('passkey', { carrier, credential });
      expect([400, 401, 413, 422]).toContain(answer.status);
      if (answer.status === 401) expect(errorOf(answer)).toBe('passkey_invalid');
    }
    const sent = await form('passkey', { carrier, credential: JSON.stringify(used) });
    expect(sent.status).toBe(303);
    expect(sent.headers['location']).toBe(`/dash/login?cli=${carrier}#error=passkey_invalid`);
    expect(await codes()).toBe(before);
    // None of these attempts used up the carrier.
    await post('passkey', { carrier, credential: key.get(await signInOptions(app)) }).expect(302);
  });

  it('create one code for sixteen concurrent attempts', async () => {
    const carrier = await initiate(app, native);
    const credential = key.get(await signInOptions(app));
    const before = await codes();
    expect((await race(16, () => post('passkey', { carrier, credential })))[302]).toBe(1);
    expect(await codes()).toBe(before + 1);
  });

  it('are the second factor after a password, also in a form', async () => {
    const carrier = await initiate(app, native);
    const mfa_token = await half(carrier);
    const proof = { carrier, mfa_token, method: 'passkey' };
    const wrong = JSON.stringify(key.get(await challenge(mfa_token), { isForged: true }));
    const back = await form('mfa', { ...proof, credential: wrong });
    expect(back.headers['location']).toBe(`/dash/login?cli=${carrier}#error=mfa_invalid&mfa=${mfa_token}`);
    // The page continues with the methods of the account. Nothing else is added to the address.
    const kept = await form('mfa', { ...proof, credential: wrong, methods: 'passkey,recovery_code' });
    expect(kept.headers['location']).toMatch(/&methods=passkey,recovery_code$/);
    const odd = await form('mfa', { ...proof, credential: wrong, methods: 'x"><script>&mfa=y' });
    expect(odd.headers['location']).toMatch(new RegExp(`&mfa=${mfa_token}$`));
    const right = JSON.stringify(key.get(await challenge(mfa_token)));
    const { headers } = await form('mfa', { ...proof, credential: right });
    expect(await sessionOf(headers['location'] as string)).toEqual({
      provider: 'local',
      amr: ['password', 'passkey'],
      level: 2,
    });
  });

  it('are added by a sign-in that requires one, which continues to its app', async () => {
    const carrier = await initiate(app, native);
    const { token } = await signedIn(app, { roles: ['admin'] });
    await app.as(token).post('/api/content/roles', { name: 'careful', mfa: 'required' }).expect(201);
    person = await createPerson(app, { roles: ['careful'] });
    const { body } = await post('local', { carrier, login: person.email, password: PASSWORD }).expect(401);
    const { error, mfa_token } = (body as { data: { error: string; mfa_token: string } }).data;
    expect(error).toBe('mfa_enrollment_required');
    const options = await optionsOf(app.asGuest().post('/api/auth/mfa/passkeys/options', { mfa_token }));
    const credential = new SoftwareAuthenticator(originOf(app)).create(options);
    const added = await app.asGuest().post('/api/auth/mfa/passkeys', { mfa_token, credential }).expect(200);
    const next = (added.body as { data: { mfa_token: string } }).data.mfa_token;
    const sent = await form('mfa', { carrier, mfa_token: next, method: 'passkey' });
    expect(await sessionOf(sent.headers['location'] as string)).toMatchObject({ amr: ['password', 'passkey'] });
  });
});
