import { setTimeout as delay } from 'node:timers/promises';
import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { Controller, Get, type INestApplication } from '@nestjs/common';
import type { Server } from 'node:http';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { makeKey, makeServiceKey, outcome, unknownKey } from '../../support/api-keys.js';
import { ADAPTERS, startGuarded } from '../../support/guarded-service.js';
import { IssuerProxy } from '../../support/issuer-proxy.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import { TestClient } from '../../support/test-client.js';

const EDDSA = { AUTH_TOKEN_ALG: 'EdDSA' };

describe.each(ADAPTERS)('a service on %s with the Lintel guards', (_name, adapter) => {
  const world = useTestApp({ env: EDDSA });
  let issuer: IssuerProxy;
  let service: INestApplication;
  let root: string;
  let key: string;

  beforeAll(async () => {
    issuer = await IssuerProxy.open(world.app.url);
    root = (await signedIn(world.app, { roles: ['admin'] })).token;
    const roles = world.app.get(RoleSeeder);
    const allow = (resource: string) => ({ resource, value: 'allow', fields: null });
    await roles.seed([
      { name: 'gateway', permissions: [allow('tokens.introspect')] },
      { name: 'clerk', permissions: [allow('acme.orders.*'), { ...allow('acme.orders.delete'), value: 'deny' }] },
      { name: 'reader', permissions: [allow('acme.orders.list')] },
    ]);
    key = (await makeServiceKey(world.app, root, ['gateway'], { expires_in_days: null })).key;
    service = await startGuarded(adapter(), { issuer: world.app.config.appUrl, url: issuer.url, key });
  });
  afterAll(async () => {
    await service?.close();
    await issuer?.close();
  });
  beforeEach(() => {
    issuer.behaviour = 'pass';
    issuer.seen.length = 0;
  });

  const as = (token?: string) => new TestClient(service.getHttpServer() as Server, token);
  const orders = (token?: string) => as(token).get('/orders');

  it('identifies the caller by an access token', async () => {
    const { token, person } = await signedIn(world.app, { roles: ['clerk'] });
    const { body } = await orders(token).expect(200);
    expect(body).toEqual({
      userId: person.id,
      email: person.email,
      roles: ['clerk'],
      byKey: false,
    });
    expect((await as(token).post('/orders', {}).expect(201)).body).toEqual({ may: false });
    expect((await as(root).post('/orders', {}).expect(201)).body).toEqual({ may: true });
  });

  it('identifies the caller by an API key, limited to its scopes', async () => {
    const { token, person } = await signedIn(world.app, { roles: ['clerk'] });
    const cut = await makeKey(world.app, token, { scopes: [{ resource: 'acme.orders.list' }] });
    expect((await orders(cut.key).expect(200)).body).toMatchObject({ userId: person.id, byKey: true });
    expect(outcome(await as(cut.key).post('/orders', {}))).toEqual([403, 'permission_denied']);
  });

  it('rejects callers without permission, with the error of the issuer', async () => {
    const { token } = await signedIn(world.app, { roles: ['reader'] });
    await orders(token).expect(200);
    const refused = await as(token).post('/orders', {});
    expect(refused.body).toEqual({
      code: '403',
      message: 'You do not have permission to do this.',
      data: { error: 'permission_denied' },
    });
    expect(outcome(await orders())).toEqual([401, 'token_missing']);
    const { token: other } = await signedIn(world.app);
    expect(outcome(await orders(other))).toEqual([403, 'permission_denied']);
  });

  it('does not authenticate on a public route', async () => {
    expect((await as(root).get('/orders/menu').expect(200)).body).toEqual({ kind: 'guest', user: null });
    expect((await as('rubbish').get('/orders/menu').expect(200)).body).toEqual({ kind: 'guest', user: null });
    expect(issuer.seen).toEqual([]);
  });

  it('calls the issuer once a second per token, for any number of requests', async () => {
    const { token } = await signedIn(world.app, { roles: ['reader'] });
    issuer.seen.length = 0;
    const begun = performance.now();
    await Promise.all(Array.from({ length: 40 }, () => orders(token).expect(200)));
    // A busy machine needs more than a second for 40 requests.
    const asked = issuer.introspections;
    expect(asked).toBeLessThanOrEqual(1 + (performance.now() - begun) / 1_000);
    await delay(1_100);
    await orders(token).expect(200);
    expect(issuer.introspections).toBe(asked + 1);
  });

  it('rejects a token with a wrong signature without calling the issuer', async () => {
    const { token } = await signedIn(world.app, { roles: ['reader'] });
    await orders(token).expect(200);
    const jwks = (await world.app.asGuest().get('/.well-known/jwks.json')).body as {
      keys: { x: string; kid: string }[];
    };
    const [own] = jwks.keys;
    const [head, body, signature] = token.split('.') as [string, string, string];
    const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as object;
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const by = (some: object, other = claims): string => {
      const input = `${encode(some)}.${encode(other)}`;
      return `${input}.${signBytes(null, Buffer.from(input), privateKey).toString('base64url')}`;
    };
    const hmac = (secret: string | Buffer): string => {
      const input = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: own!.kid })}.${body}`;
      return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
    };
    issuer.seen.length = 0;
    const forged = [
      'x',
      'a.b.c',
      `${encode({ ...header, alg: 'none' })}.${body}.`,
      `${encode({ ...header, alg: 'None' })}.${body}.${signature}`,
      hmac(Buffer.from(own!.x, 'base64url')),
      hmac(own!.x),
      hmac(JSON.stringify(own)),
      by(header),
      by({ ...header, jwk: publicKey.export({ format: 'jwk' }) }),
      by({ ...header, jku: `${issuer.url}/evil.json` }),
      `${encode({ ...header, typ: 'JWT' })}.${body}.${signature}`,
      `${head}.${encode({ ...claims, sub: 'x' })}.${signature}`,
      `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
      `${token}.x`,
      'x'.repeat(9_000),
    ];
    for (const one of forged) expect([one, ...outcome(await orders(one))]).toEqual([one, 401, 'token_invalid']);
    for (const one of ['lin_', unknownKey().slice(0, -1), `${unknownKey()}x`])
      expect([one, ...outcome(await orders(one))]).toEqual([one, 401, 'key_invalid']);
    expect(issuer.introspections).toBe(0);
  });

  it('rejects an unknown key, and reads tokens from the header only', async () => {
    expect(outcome(await orders(unknownKey()))).toEqual([401, 'key_invalid']);
    for (const [name, value] of [
      ['cookie', `token=${root}`],
      ['x-access-token', root],
      ['authorization', root],
      ['authorization', `Basic ${root}`],
    ] as const)
      expect(outcome(await as().get(`/orders?access_token=${root}&token=${root}`).set(name, value))).toEqual([
        401,
        'token_missing',
      ]);
  });

  it('requests unknown keys once a second, whatever it receives', async () => {
    const header = { alg: 'EdDSA', typ: 'at+jwt' };
    await orders(root).expect(200);
    issuer.seen.length = 0;
    const begun = performance.now();
    const { privateKey } = generateKeyPairSync('ed25519');
    for (let i = 0; i < 30; i += 1) {
      const input = [{ ...header, kid: `k${i}` }, { sub: 'x' }]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      const token = `${input}.${signBytes(null, Buffer.from(input), privateKey).toString('base64url')}`;
      expect(outcome(await orders(token))).toEqual([401, 'token_invalid']);
    }
    expect(issuer.seen.length).toBeLessThanOrEqual(2 + (performance.now() - begun) / 1_000);
  });

  describe('applies within two seconds', () => {
    const until = async (token: string, expected: readonly [number, string]): Promise<void> => {
      const end = performance.now() + 2_000;
      for (;;) {
        const found = outcome(await orders(token));
        if (found[0] === expected[0]) return expect(found).toEqual(expected);
        expect(performance.now()).toBeLessThan(end);
        await delay(50);
      }
    };

    it('the end of a session', async () => {
      const { token } = await signedIn(world.app, { roles: ['reader'] });
      await orders(token).expect(200);
      await world.app.as(token).post('/api/auth/logout').expect(200);
      await until(token, [401, 'token_invalid']);
    });

    it('the revocation of an API key', async () => {
      const { token } = await signedIn(world.app, { roles: ['reader'] });
      const made = await makeKey(world.app, token);
      await orders(made.key).expect(200);
      await world.app.as(token).delete(`/api/auth/keys/${made.id}`).expect(200);
      await until(made.key, [401, 'key_invalid']);
    });

    it('the loss of a role, and a deactivation', async () => {
      const { token, person } = await signedIn(world.app, { roles: ['reader'] });
      await orders(token).expect(200);
      const change = (body: object) => world.app.as(root).patch(`/api/content/users/${person.id}`, body).expect(200);
      await change({ roles: [] });
      await until(token, [403, 'permission_denied']);
      const { token: second, person: shut } = await signedIn(world.app, { roles: ['reader'] });
      await orders(second).expect(200);
      await world.app.as(root).patch(`/api/content/users/${shut.id}`, { activated: false }).expect(200);
      await until(second, [401, 'token_invalid']);
    });
  });

  it('needs no key: each token introspects itself', async () => {
    const keyless = await startGuarded(adapter(), { issuer: world.app.config.appUrl, url: issuer.url });
    try {
      const client = (token: string) => new TestClient(keyless.getHttpServer() as Server, token).get('/orders');
      const { token, person } = await signedIn(world.app, { roles: ['reader'] });
      expect((await client(token).expect(200)).body).toMatchObject({ userId: person.id });
      const made = await makeKey(world.app, token);
      await client(made.key).expect(200);
      await world.app.as(token).post('/api/auth/logout').expect(200);
      await delay(1_100);
      expect(outcome(await client(token))).toEqual([401, 'token_invalid']);
      await client(made.key).expect(200);
      expect(outcome(await client(unknownKey()))).toEqual([401, 'key_invalid']);
    } finally {
      await keyless.close();
    }
  });

  it('closes every route by default, and logs open routes at the start', async () => {
    @Controller('forgotten')
    class ForgottenController {
      @Get()
      list(): string {
        return 'secret';
      }
    }
    const options = { issuer: world.app.config.appUrl, url: issuer.url, key };
    await expect(startGuarded(adapter(), options, [ForgottenController])).rejects.toThrow(/ForgottenController\.list/);
    const some = await startGuarded(adapter(), { ...options, everywhere: false }, [ForgottenController]);
    await new TestClient(some.getHttpServer() as Server).get('/forgotten').expect(200);
    await some.close();
  });

  it.each([
    [{ issuer: 'lintel.example.com' }, /issuer/],
    [{ issuer: 'ftp://lintel.example.com' }, /issuer/],
    [{ issuer: 'https://me:you@lintel.example.com' }, /issuer/],
    [{ issuer: 'https://lintel.example.com', url: 'lintel:8000' }, /url/],
    [{ issuer: 'https://lintel.example.com', key: 'lin_svc_x' }, /API key/],
    [{ issuer: 'https://lintel.example.com', key: '' }, /API key/],
  ])('does not start with %j', async (options, message) => {
    await expect(startGuarded(adapter(), options)).rejects.toThrow(message);
  });
});
