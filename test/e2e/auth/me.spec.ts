import { createHmac } from 'node:crypto';
import { deriveNamedKey } from '../../../src/kernel/keys/key-derivation.js';
import { newId } from '../../../src/kernel/keys/random.js';
import { signedIn } from '../../support/people.js';
import { statementsOf } from '../../support/sent-statements.js';
import { useTestApp } from '../../support/test-app.js';

const ME = '/api/auth/me';
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('GET /api/auth/me', () => {
  const world = useTestApp();

  function forge(
    header: object,
    claims: unknown,
    hash = 'sha256',
    key = deriveNamedKey(world.app.config.appKey, 'access-token'),
  ): string {
    const body = `${encode(header)}.${encode(claims)}`;
    return `${body}.${createHmac(hash, key).update(body).digest('base64url')}`;
  }

  function claimsOf(token: string): Record<string, unknown> {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  }

  const HEADER = { alg: 'HS256', typ: 'at+jwt' };

  describe('200', () => {
    it('returns the documented fields, and no others', async () => {
      const { person, token } = await signedIn(world.app, { username: 'zoe', firstName: 'Zoë', lastName: null });
      const { body, headers } = await world.app.as(token).get(ME).expect(200);
      expect(body).toEqual({
        id: person.id,
        login: 'zoe',
        email: person.email,
        activated: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: expect.stringMatching(/Z$/),
        username: 'zoe',
        first_name: 'Zoë',
        last_name: null,
        language: null,
        provider: 'local',
        roles: ['user'],
      });
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('returns the address as login if there is no user name', async () => {
      const { person, token } = await signedIn(world.app);
      const { body } = await world.app.as(token).get(ME).expect(200);
      expect(body.login).toBe(person.email);
    });

    it('accepts the token in the cookie, and prefers the header', async () => {
      const { token } = await signedIn(world.app);
      await world.app.asGuest().get(ME).set('cookie', `token=${token}`).expect(200);
      await world.app.as('rubbish').get(ME).set('cookie', `token=${token}`).expect(401);
      await world.app.asGuest().get(ME).set('authorization', `bearer ${token}`).expect(200);
    });

    it('uses a token with the account and the session, and no role', async () => {
      const { token } = await signedIn(world.app, { roles: ['admin'] });
      expect(Object.keys(claimsOf(token)).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'sid', 'sub']);
    });

    it('runs one statement, and the guards none, in the steady state', async () => {
      const { token } = await signedIn(world.app);
      await world.app.as(token).get(ME).expect(200);
      const statements = await statementsOf(async () => {
        for (let round = 0; round < 5; round += 1) await world.app.as(token).get(ME).expect(200);
      });
      // The listener reads change notices from time to time.
      expect(statements.filter(({ text }) => !text.includes('change_notices'))).toHaveLength(5);
    });
  });

  describe('401', () => {
    it('token_missing without a token, and with an unknown scheme', async () => {
      for (const authorization of [undefined, 'Basic YTpi', 'Token x']) {
        const request = world.app.asGuest().get(ME);
        const { body } = await (
          authorization === undefined ? request : request.set('authorization', authorization)
        ).expect(401);
        expect(body).toEqual({ code: '401', message: expect.any(String), data: { error: 'token_missing' } });
      }
    });

    it('token_expired from its expiration second', async () => {
      const { token } = await signedIn(world.app);
      const { exp } = claimsOf(token) as { exp: number };
      world.app.clock.advance(exp - world.app.clock.nowMs() / 1_000 - 5);
      await world.app.as(token).get(ME).expect(200);
      world.app.clock.advance(5);
      const { body } = await world.app.as(token).get(ME).expect(401);
      expect(body.data).toEqual({ error: 'token_expired' });
    });

    it('token_invalid for every kind of forged token', async () => {
      const { token } = await signedIn(world.app);
      const claims = claimsOf(token);
      const [head, body, signature] = token.split('.') as [string, string, string];
      const without = (name: string): object =>
        Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
      await world.app.as(forge(HEADER, claims)).get(ME).expect(200);
      const forged: Record<string, string> = {
        'alg none': `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.`,
        'alg none with signature': `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.${signature}`,
        'alg None': forge({ alg: 'None', typ: 'at+jwt' }, claims),
        'another hash': forge({ alg: 'HS512', typ: 'at+jwt' }, claims, 'sha512'),
        'another algorithm family': forge({ alg: 'RS256', typ: 'at+jwt' }, claims),
        'typ JWT': forge({ alg: 'HS256', typ: 'JWT' }, claims),
        'no typ': forge({ alg: 'HS256' }, claims),
        crit: forge({ ...HEADER, crit: ['exp'] }, claims),
        kid: forge({ ...HEADER, kid: '../../dev/null' }, claims),
        'jwk in the header': forge({ ...HEADER, jwk: { kty: 'oct', k: 'AAAA' } }, claims),
        'another key': forge(
          HEADER,
          claims,
          'sha256',
          deriveNamedKey('another key that is long enough for it', 'access-token'),
        ),
        'a key of another purpose': forge(
          HEADER,
          claims,
          'sha256',
          deriveNamedKey(world.app.config.appKey, 'oauth-state'),
        ),
        'no exp': forge(HEADER, without('exp')),
        'no iss': forge(HEADER, without('iss')),
        'no aud': forge(HEADER, without('aud')),
        'no sid': forge(HEADER, without('sid')),
        'another iss': forge(HEADER, { ...claims, iss: 'http://evil.test' }),
        'another aud': forge(HEADER, { ...claims, aud: 'http://evil.test' }),
        'exp as text': forge(HEADER, { ...claims, exp: '9999999999' }),
        'a session of another account': forge(HEADER, { ...claims, sub: newId() }),
        'a session that never was': forge(HEADER, { ...claims, sid: newId() }),
        'an array as payload': forge(HEADER, [claims]),
        'null as payload': forge(HEADER, null),
        'changed payload': `${head}.${encode({ ...claims, sub: newId() })}.${signature}`,
        'cut signature': token.slice(0, -2),
        'junk behind': `${token} junk`,
        'a second token': `${token},${token}`,
        'only a header': head,
        nothing: '',
        'not base64': `${head}.%%%.${signature}`,
        long: 'a'.repeat(5_000),
      };
      for (const [name, value] of Object.entries(forged)) {
        const { body: answer, status } = await world.app.asGuest().get(ME).set('authorization', `Bearer ${value}`);
        expect([name, status, answer.data?.error]).toEqual([name, 401, 'token_invalid']);
      }
    });

    it('token_invalid after a change of APP_KEY', async () => {
      const { token } = await signedIn(world.app);
      const other = await world.app.secondInstance({ env: { APP_KEY: 'a wholly other key of more than 32 bytes' } });
      await other.as(token).get(ME).expect(401);
      await other.stop();
      await world.app.as(token).get(ME).expect(200);
    });
  });
});
