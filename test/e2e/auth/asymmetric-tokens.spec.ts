import { createHmac, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { calculateJwkThumbprint, createLocalJWKSet, exportJWK, jwtVerify } from 'jose';
import { deriveNamedKey } from '../../../src/kernel/keys/key-derivation.js';
import { newId } from '../../../src/kernel/keys/random.js';
import { deriveTokenKeyPair } from '../../../src/identity/auth/tokens/access-token.format.js';
import { outcome } from '../../support/api-keys.js';
import { signedIn } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const ME = '/api/auth/me';
const JWKS = '/.well-known/jwks.json';
const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const partOf = (token: string, at: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[at]!, 'base64url').toString()) as Record<string, unknown>;

function forge(header: object, claims: object, sign: (input: Buffer) => Buffer): string {
  const body = `${encode(header)}.${encode(claims)}`;
  return `${body}.${sign(Buffer.from(body)).toString('base64url')}`;
}
const ed25519 = (key: KeyObject) => (input: Buffer) => signBytes(null, input, key);
const hmac = (secret: string | Buffer | KeyObject) => (input: Buffer) =>
  createHmac('sha256', secret as string)
    .update(input)
    .digest();

describe('access tokens with AUTH_TOKEN_ALG=EdDSA', () => {
  const world = useTestApp({ env: { AUTH_TOKEN_ALG: 'EdDSA', AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
  const plain = useTestApp();
  const published = async (app = world.app) => (await app.asGuest().get(JWKS).expect(200)).body as { keys: object[] };

  it('can be verified with the published key', async () => {
    const { token, person } = await signedIn(world.app);
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet((await published()) as never), {
      algorithms: ['EdDSA'],
      typ: 'at+jwt',
      issuer: world.app.config.appUrl,
      audience: world.app.config.appUrl,
      currentDate: world.app.clock.now(),
    });
    expect(payload.sub).toBe(person.id);
    const { keys } = await published();
    expect(keys).toEqual([
      { kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: protectedHeader.kid, alg: 'EdDSA', use: 'sig' },
    ]);
    expect(await calculateJwkThumbprint(keys[0] as never)).toBe(protectedHeader.kid);
  });

  it('sign in, are renewed, remembered and revoked like others', async () => {
    const { token } = await signedIn(world.app);
    for (let round = 0; round < 3; round += 1) await world.app.as(token).get(ME).expect(200);
    await world.app.asGuest().get(ME).set('cookie', `token=${token}`).expect(200);
    world.app.clock.advance(900);
    expect(outcome(await world.app.as(token).get(ME))).toEqual([401, 'token_expired']);
    const { token: another } = await signedIn(world.app);
    await world.app.as(another).post('/api/auth/logout').expect(200);
    expect(outcome(await world.app.as(another).get(ME))).toEqual([401, 'token_invalid']);
  });

  it('work in browser sessions like others', async () => {
    const { person } = await signedIn(world.app);
    const headers = { 'lintel-session': 'cookie', origin: world.app.url, host: new URL(world.app.url).host };
    const body = { login: person.email, password: person.password };
    const login = await world.app.asGuest().post('/api/auth/local/login', body).set(headers).expect(200);
    const cookie = (login.headers['set-cookie'] as unknown as string[]).map((one) => one.split(';')[0]).join('; ');
    const resumed = await world.app
      .asGuest()
      .post('/api/auth/token/resume')
      .set({ ...headers, cookie })
      .expect(200);
    await world.app
      .as((resumed.body as { token: string }).token)
      .get(ME)
      .expect(200);
  });

  it('publish the same key on every instance, cacheable, without its secret', async () => {
    const other = await world.app.secondInstance({ env: { AUTH_TOKEN_ALG: 'EdDSA' } });
    try {
      expect(await published(other)).toEqual(await published());
      const { token } = await signedIn(world.app);
      await other.as(token).get(ME).expect(200);
    } finally {
      await other.stop();
    }
    const answer = await world.app.asGuest().get(JWKS).expect(200);
    expect(answer.headers['cache-control']).toBe('public, max-age=300');
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.text).not.toMatch(/"d"|"k"/);
  });

  it('become invalid with a change of APP_KEY, which changes the published key', async () => {
    const { token } = await signedIn(world.app);
    const env = { AUTH_TOKEN_ALG: 'EdDSA', APP_KEY: 'another key that is long enough for it' };
    const changed = await world.app.secondInstance({ env: { ...env, APP_KEY_PREVIOUS: world.app.config.appKey } });
    try {
      expect(outcome(await changed.as(token).get(ME))).toEqual([401, 'token_invalid']);
      expect(await published(changed)).not.toEqual(await published());
      expect((await published(changed)).keys).toHaveLength(1);
    } finally {
      await changed.stop();
    }
  });

  it('are rejected in every other spelling', async () => {
    const { token } = await signedIn(world.app);
    const [header, claims] = [partOf(token, 0), partOf(token, 1)];
    const [head, body, signature] = token.split('.') as [string, string, string];
    const { privateKey, publicKey } = deriveTokenKeyPair(world.app.config.appKey);
    const { privateKey: stranger, publicKey: strangers } = generateKeyPairSync('ed25519');
    const strangerJwk = await exportJWK(strangers);
    const { keys } = await published();
    const own = keys[0] as { x: string; kid: string };
    const raw = Buffer.from(own.x, 'base64url');
    const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const der = publicKey.export({ type: 'spki', format: 'der' }) as Buffer;
    const mine = ed25519(privateKey);
    const theirs = ed25519(stranger);
    await world.app
      .as(forge(header, claims, mine))
      .get(ME)
      .expect(200);
    const hs256 = { alg: 'HS256', typ: 'at+jwt' };
    const forged: Record<string, string> = {
      none: forge({ ...header, alg: 'none' }, claims, () => Buffer.alloc(0)),
      'none with a signature': forge({ ...header, alg: 'none' }, claims, mine),
      None: forge({ ...header, alg: 'None' }, claims, mine),
      'eddsa in small letters': forge({ ...header, alg: 'eddsa' }, claims, mine),
      'Ed25519, the newer name': forge({ ...header, alg: 'Ed25519' }, claims, mine),
      'no alg': forge({ typ: 'at+jwt', kid: own.kid }, claims, mine),
      'HS256 with the public key as it is': forge(hs256, claims, hmac(raw)),
      'HS256 with its x': forge(hs256, claims, hmac(own.x)),
      'HS256 with its PEM': forge(hs256, claims, hmac(pem)),
      'HS256 with its DER': forge(hs256, claims, hmac(der)),
      'HS256 with its JWK': forge(hs256, claims, hmac(JSON.stringify(own))),
      'HS256 with its PEM and the kid': forge({ ...hs256, kid: own.kid }, claims, hmac(pem)),
      'EdDSA over the HMAC of the public key': forge(header, claims, hmac(pem)),
      'HS256 with the key of the other algorithm': forge(
        hs256,
        claims,
        hmac(deriveNamedKey(world.app.config.appKey, 'access-token')),
      ),
      'the same with the kid': forge(
        { ...hs256, kid: own.kid },
        claims,
        hmac(deriveNamedKey(world.app.config.appKey, 'access-token')),
      ),
      'a stranger with our kid': forge(header, claims, theirs),
      'a stranger with a kid of their own': forge(
        { ...header, kid: await calculateJwkThumbprint(strangerJwk) },
        claims,
        theirs,
      ),
      'another kid': forge({ ...header, kid: 'x' }, claims, mine),
      'a kid that is a path': forge({ ...header, kid: '../../../dev/null' }, claims, mine),
      'a kid that is a list': forge({ ...header, kid: [own.kid] }, claims, mine),
      'no kid': forge({ alg: 'EdDSA', typ: 'at+jwt' }, claims, mine),
      'a key in the header': forge({ ...header, jwk: strangerJwk }, claims, theirs),
      'a key in place of the kid': forge({ alg: 'EdDSA', typ: 'at+jwt', jwk: strangerJwk }, claims, theirs),
      'our key in the header': forge({ ...header, jwk: own }, claims, mine),
      jku: forge({ ...header, jku: 'http://evil.test/jwks.json' }, claims, theirs),
      x5u: forge({ ...header, x5u: 'http://evil.test/x' }, claims, theirs),
      x5c: forge({ ...header, x5c: [der.toString('base64')] }, claims, theirs),
      crit: forge({ ...header, crit: ['exp'] }, claims, mine),
      b64: forge({ ...header, b64: false, crit: ['b64'] }, claims, mine),
      'typ JWT': forge({ ...header, typ: 'JWT' }, claims, mine),
      'no typ': forge({ alg: 'EdDSA', kid: own.kid }, claims, mine),
      'a signature of zeros': `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
      'a short signature': `${head}.${body}.${signature.slice(0, 43)}`,
      'no signature': `${head}.${body}.`,
      'another iss': forge(header, { ...claims, iss: 'http://evil.test' }, mine),
      'another aud': forge(header, { ...claims, aud: 'http://evil.test' }, mine),
      'no aud': forge(header, Object.fromEntries(Object.entries(claims).filter(([name]) => name !== 'aud')), mine),
      'a session of another': forge(header, { ...claims, sub: newId() }, mine),
      'changed claims': `${head}.${encode({ ...claims, sub: newId() })}.${signature}`,
    };
    for (const [name, other] of Object.entries(forged))
      expect([name, ...outcome(await world.app.as(other).get(ME))]).toEqual([name, 401, 'token_invalid']);
  });

  it('are rejected with HS256, and vice versa', async () => {
    const shared = await plain.app.secondInstance({ env: { AUTH_TOKEN_ALG: 'EdDSA' } });
    try {
      const { token: ofHs256 } = await signedIn(plain.app);
      const { token: ofEdDsa } = await signedIn(shared);
      await plain.app.as(ofHs256).get(ME).expect(200);
      await shared.as(ofEdDsa).get(ME).expect(200);
      expect(outcome(await shared.as(ofHs256).get(ME))).toEqual([401, 'token_invalid']);
      expect(outcome(await plain.app.as(ofEdDsa).get(ME))).toEqual([401, 'token_invalid']);
    } finally {
      await shared.stop();
    }
  });

  it('are HS256 by default, and then nothing is published', async () => {
    const { token } = await signedIn(plain.app);
    expect(partOf(token, 0)).toEqual({ alg: 'HS256', typ: 'at+jwt' });
    expect(await published(plain.app)).toEqual({ keys: [] });
  });

  it('use no other algorithm', async () => {
    for (const alg of ['none', 'RS256', 'eddsa', 'HS512'])
      await expect(TestApp.start({ env: { AUTH_TOKEN_ALG: alg } })).rejects.toThrow(/AUTH_TOKEN_ALG/);
  });
});
