import { ExpiredRows } from '../../../src/platform/jobs/expired-rows.service.js';
import { initiate, type NativeApp, nativeApp } from '../../support/native-app.js';
import { createPerson, PASSWORD, type Person } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const LOGIN = '/api/auth/cli/login/local';

describe('POST /api/auth/cli/login/local', () => {
  const world = useTestApp({ env: { AUTH_CLI_LOGIN_ENABLED: 'true' } });
  const post = (body: unknown) => world.app.asGuest().post(LOGIN, body);
  const form = (body: object, query = '') => world.app.asGuest().post(`${LOGIN}${query}`).type('form').send(body);
  const input = async (native: NativeApp, person: Person) => ({
    carrier: await initiate(world.app, native),
    login: person.email,
    password: PASSWORD,
  });
  const codesOf = (person: Person) =>
    world.app.sql(`SELECT id FROM one_time_secrets WHERE purpose = 'exchange' AND user_id = $1`, [person.id]);

  describe('302', () => {
    it.each(['json', 'form'])('redirects the browser to the app with code and state, by %s', async (kind) => {
      const native = nativeApp();
      const person = await createPerson(world.app);
      const body = await input(native, person);
      const { headers, text } = await (kind === 'form' ? form(body) : post(body)).expect(302);
      const address = new URL(headers['location'] as string);
      expect(address.origin + address.pathname).toBe(native.redirectUri);
      expect([...address.searchParams.keys()]).toEqual(['code', 'state']);
      expect(address.searchParams.get('state')).toBe(native.correlation);
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(text).toBe('');
      const code = address.searchParams.get('code');
      const exchange = { code, code_verifier: native.verifier };
      const { body: tokens } = await world.app.asGuest().post('/api/auth/exchange', exchange).expect(200);
      const me = await world.app.as(tokens.token).get('/api/auth/me').expect(200);
      expect(me.body.id).toBe(person.id);
    });

    it.each([
      ['http://127.0.0.1:5000', 'http://127.0.0.1:5000/?code=CODE&state=STATE'],
      ['http://127.0.0.1:5000/cb?', 'http://127.0.0.1:5000/cb?code=CODE&state=STATE'],
      ['http://127.0.0.1:5000/cb?a=1&b=%20+', 'http://127.0.0.1:5000/cb?a=1&b=%20+&code=CODE&state=STATE'],
      ['http://[::1]:5000/cb?a', 'http://[::1]:5000/cb?a&code=CODE&state=STATE'],
    ])('appends to %s correctly', async (redirectUri, expected) => {
      const correlation = 'ünï ✓ &code=evil#x';
      const body = await input(nativeApp({ redirectUri, correlation }), await createPerson(world.app));
      const { headers } = await post(body).expect(302);
      const location = headers['location'] as string;
      const address = new URL(location);
      expect(address.searchParams.getAll('code')).toHaveLength(1);
      expect(address.searchParams.get('state')).toBe(correlation);
      expect(address.hash).toBe('');
      const state = encodeURIComponent(correlation);
      expect(location).toBe(expected.replace('CODE', address.searchParams.get('code')!).replace('STATE', state));
    });

    it('creates no session until the code is exchanged', async () => {
      const person = await createPerson(world.app);
      await post(await input(nativeApp(), person)).expect(302);
      expect(await world.app.sql('SELECT id FROM sessions WHERE user_id = $1', [person.id])).toEqual([]);
    });

    it('accepts the correct password after a wrong one, with the same carrier', async () => {
      const person = await createPerson(world.app);
      const body = await input(nativeApp(), person);
      await post({ ...body, password: 'mistyped' }).expect(401);
      await post(body).expect(302);
    });

    it('completes on one instance what started on another', async () => {
      const second = await world.app.secondInstance({ env: { AUTH_CLI_LOGIN_ENABLED: 'true' } });
      try {
        const body = await input(nativeApp(), await createPerson(world.app));
        await second.asGuest().post(LOGIN, body).expect(302);
        await post(body).expect(400);
      } finally {
        await second.stop();
      }
    });
  });

  describe('400 carrier_invalid', () => {
    it('lets one of 16 concurrent completions succeed', async () => {
      const person = await createPerson(world.app);
      const body = await input(nativeApp(), person);
      const answers = await Promise.all(Array.from({ length: 16 }, () => post(body)));
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([302, ...Array<number>(15).fill(400)]);
      expect(await codesOf(person)).toHaveLength(1);
    });

    it('rejects a carrier after ten minutes, and not before', async () => {
      const person = await createPerson(world.app);
      const [inTime, late] = [await input(nativeApp(), person), await input(nativeApp(), person)];
      world.app.clock.advance(597);
      await post(inTime).expect(302);
      world.app.clock.advance(3);
      const { body } = await post(late).expect(400);
      expect(body.data).toEqual({ error: 'carrier_invalid' });
    });

    it('remembers that a carrier was used until it has expired', async () => {
      await post(await input(nativeApp(), await createPerson(world.app))).expect(302);
      const used = () => world.app.sql('SELECT id FROM used_carriers');
      expect((await used()).length).toBeGreaterThan(0);
      await world.app.get(ExpiredRows).sweep();
      expect((await used()).length).toBeGreaterThan(0);
      world.app.clock.advance(2 * 86_400);
      await world.app.get(ExpiredRows).sweep();
      expect(await used()).toEqual([]);
    });

    it('rejects every modified carrier', async () => {
      const person = await createPerson(world.app);
      const body = await input(nativeApp(), person);
      const [payload, signature] = body.carrier.split('.') as [string, string];
      const evil = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
      evil['redirect_uri'] = 'https://evil.example/';
      const forged = Buffer.from(JSON.stringify(evil)).toString('base64url');
      const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
      const carriers = [
        `${forged}.${signature}`,
        `${payload}.${flipped}`,
        `${payload}.`,
        `.${signature}`,
        payload,
        `${payload}.${signature}.${signature}`,
        `${payload}.${signature}=`,
        `${payload}=.${signature}`,
        ` ${payload}.${signature}`,
        `${payload}.${signature.slice(0, -1)}`,
        `${signature}.${payload}`,
        'x',
        'x'.repeat(100_000),
      ];
      for (const carrier of carriers) {
        const answer = await post({ ...body, carrier }).expect(400);
        expect(answer.body.data).toEqual({ error: 'carrier_invalid' });
      }
      expect(await codesOf(person)).toEqual([]);
      await post(body).expect(302);
    });

    it('rejects a carrier of another key', async () => {
      const other = await world.app.secondInstance({
        env: { AUTH_CLI_LOGIN_ENABLED: 'true', APP_KEY: 'another key that is long enough to be one too' },
      });
      try {
        const person = await createPerson(world.app);
        const carrier = await initiate(other, nativeApp());
        await post({ carrier, login: person.email, password: PASSWORD }).expect(400);
      } finally {
        await other.stop();
      }
    });
  });

  describe('401', () => {
    it('responds like the password login', async () => {
      const person = await createPerson(world.app);
      const inactive = await createPerson(world.app, { activated: false });
      const body = await input(nativeApp(), person);
      for (const wrong of [{ password: 'wrong' }, { login: 'nobody@example.com' }]) {
        const answer = await post({ ...body, ...wrong }).expect(401);
        expect(answer.body.data).toEqual({ error: 'invalid_credentials' });
      }
      const answer = await post({ ...body, login: inactive.email }).expect(401);
      expect(answer.body.data).toEqual({ error: 'account_inactive' });
      expect(await codesOf(person)).toEqual([]);
    });
  });

  describe('422', () => {
    it.each([
      [{}, ['carrier', 'login', 'password']],
      [{ carrier: ['a.b'], login: 'a', password: 'b' }, ['carrier']],
      [{ carrier: 'a.b', login: { $gt: '' }, password: { $gt: '' } }, ['login', 'password']],
      [{ carrier: 'a.b', login: 1, password: null }, ['login', 'password']],
    ])('rejects %j', async (body, fields) => {
      const answer = await post(body).expect(422);
      expect((answer.body.data.errors as { field: string }[]).map(({ field }) => field)).toEqual(fields);
    });
  });

  describe('303 for a form', () => {
    it('redirects to its page, with the error in the fragment', async () => {
      const person = await createPerson(world.app);
      const body = await input(nativeApp(), person);
      const page = `/dash/login?cli=${body.carrier}`;
      const wrong = await form({ ...body, password: 'wrong' }).expect(303);
      expect(wrong.headers['location']).toBe(`${page}#error=invalid_credentials`);
      expect(wrong.headers['cache-control']).toBe('no-store');
      expect(wrong.headers['referrer-policy']).toBe('no-referrer');
      const { password: _none, ...incomplete } = body;
      expect((await form(incomplete).expect(303)).headers['location']).toBe(`${page}#error=validation_failed`);
      await form(body).expect(302);
      expect((await form(body).expect(303)).headers['location']).toBe(`${page}#error=carrier_invalid`);
    });

    it('keeps the language of the page, and no other value', async () => {
      const body = { ...(await input(nativeApp(), await createPerson(world.app))), password: 'wrong' };
      const sentTo = async (query: string): Promise<unknown> =>
        (await form(body, query).expect(303)).headers['location'];
      expect(await sentTo('?lang=de')).toBe(`/dash/login?cli=${body.carrier}&lang=de#error=invalid_credentials`);
      for (const query of ['?lang=xx', '?lang=', '?lang=de&lang=en', '?lang=%23error=x'])
        expect(await sentTo(query)).toBe(`/dash/login?cli=${body.carrier}#error=invalid_credentials`);
    });

    it.each(['https://evil.example/', '//evil.example', 'a.b#code=x', 'a.b&c=d', 'a.b\r\nx: y', '<script>.x', 'ü.x'])(
      'does not repeat an invalid carrier: %j',
      async (carrier) => {
        const { headers } = await form({ carrier, login: 'a', password: 'b' }).expect(303);
        expect(headers['location']).toBe('/dash/login#error=carrier_invalid');
      },
    );
  });

  it('logs neither carrier, code, verifier, password nor token', async () => {
    const native = nativeApp();
    const body = await input(native, await createPerson(world.app));
    await form({ ...body, password: 'a wrong password 19' }).expect(303);
    const { headers } = await form(body).expect(302);
    const code = new URL(headers['location'] as string).searchParams.get('code');
    const exchange = { code, code_verifier: native.verifier };
    const { body: tokens } = await world.app.asGuest().post('/api/auth/exchange', exchange).expect(200);
    const log = world.app.log.join('\n');
    expect(log).toContain(LOGIN);
    for (const secret of [body.carrier, code!, native.verifier, PASSWORD, 'wrong password 19', tokens.token as string])
      expect(log).not.toContain(secret);
  });
});
