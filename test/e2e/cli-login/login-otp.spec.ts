import { OTP_CODE } from '../../../src/sign-in/otp/otp.service.js';
import { OneTimeSecrets } from '../../../src/identity/secrets/one-time-secrets.port.js';
import { initiate, nativeApp } from '../../support/native-app.js';
import { createPerson, type Person } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const LOGIN = '/api/auth/cli/login/otp';

describe('POST /api/auth/cli/login/otp', () => {
  const world = useTestApp({ env: { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_OTP_ENABLED: 'true' } });
  const post = (body: unknown) => world.app.asGuest().post(LOGIN, body);
  const form = (body: object) => world.app.asGuest().post(LOGIN).type('form').send(body);
  const mailedCode = async (person: Person): Promise<string> => {
    const { id: userId, email } = person;
    const request = {
      purpose: OTP_CODE,
      userId,
      lifetimeSeconds: 300,
      length: 6,
      attempts: 3,
      data: { email },
    } as const;
    return (await world.app.get(OneTimeSecrets).issueCode(world.app.database.manager, request)).secret;
  };
  const another = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

  it.each(['json', 'form'])('redirects the browser to the app with code and state, by %s', async (kind) => {
    const native = nativeApp();
    const person = await createPerson(world.app);
    const body = { carrier: await initiate(world.app, native), email: person.email, code: await mailedCode(person) };
    const { headers } = await (kind === 'form' ? form(body) : post(body)).expect(302);
    const address = new URL(headers['location'] as string);
    expect(address.origin + address.pathname).toBe(native.redirectUri);
    expect(address.searchParams.get('state')).toBe(native.correlation);
    const exchange = { code: address.searchParams.get('code'), code_verifier: native.verifier };
    const { body: tokens } = await world.app.asGuest().post('/api/auth/exchange', exchange).expect(200);
    const me = await world.app.as(tokens.token).get('/api/auth/me').expect(200);
    expect(me.body.id).toBe(person.id);
    const sessions = await world.app.sql('SELECT provider FROM sessions WHERE user_id = $1', [person.id]);
    expect(sessions).toEqual([{ provider: 'otp' }]);
  });

  it('rejects a wrong code and an unknown address in the same way, and the carrier stays valid', async () => {
    const person = await createPerson(world.app);
    const carrier = await initiate(world.app, nativeApp());
    const code = await mailedCode(person);
    for (const wrong of [
      { email: person.email, code: another(code) },
      { email: 'nobody@example.com', code },
    ]) {
      const { body } = await post({ carrier, ...wrong }).expect(401);
      expect(body.data).toEqual({ error: 'otp_invalid' });
    }
    const sentBack = await form({ carrier, email: person.email, code: another(code) }).expect(303);
    expect(sentBack.headers['location']).toBe(`/dash/login?cli=${carrier}#error=otp_invalid`);
    await post({ carrier, email: person.email, code: await mailedCode(person) }).expect(302);
  });

  it('does not consume the code if the carrier is invalid', async () => {
    const person = await createPerson(world.app);
    const code = await mailedCode(person);
    const { body } = await post({ carrier: 'a.b', email: person.email, code }).expect(400);
    expect(body.data).toEqual({ error: 'carrier_invalid' });
    await post({ carrier: await initiate(world.app, nativeApp()), email: person.email, code }).expect(302);
  });

  it.each([
    [{}, ['carrier', 'email', 'code']],
    [{ carrier: 7, email: ['a@example.com'], code: 123_456 }, ['carrier', 'email', 'code']],
  ])('rejects %j', async (body, fields) => {
    const answer = await post(body).expect(422);
    expect((answer.body.data.errors as { field: string }[]).map(({ field }) => field)).toEqual(fields);
  });

  it('returns 403 if one-time codes are off, without reading the body', async () => {
    const off = await world.app.secondInstance({ env: { AUTH_CLI_LOGIN_ENABLED: 'true' } });
    try {
      const { body } = await off.asGuest().post(LOGIN, {}).expect(403);
      expect(body.data).toEqual({ error: 'otp_disabled' });
    } finally {
      await off.stop();
    }
  });
});
