import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { Server } from 'node:http';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { makeServiceKey, outcome } from '../../support/api-keys.js';
import { ADAPTERS, startGuarded } from '../../support/guarded-service.js';
import { IssuerProxy } from '../../support/issuer-proxy.js';
import { signedIn } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';
import { TestClient } from '../../support/test-client.js';

const EDDSA = { AUTH_TOKEN_ALG: 'EdDSA' };
const [, express] = ADAPTERS[0]!;

describe('a guarded service', () => {
  const world = useTestApp({ env: EDDSA });
  let issuer: IssuerProxy;
  let service: INestApplication;
  let root: string;
  let key: string;

  beforeAll(async () => {
    issuer = await IssuerProxy.open(world.app.url);
    root = (await signedIn(world.app, { roles: ['admin'] })).token;
    const permissions = ['tokens.introspect', 'acme.orders.list'].map((resource) => ({
      resource,
      value: 'allow',
      fields: null,
    }));
    await world.app.get(RoleSeeder).seed([{ name: 'reader', permissions }]);
    key = (await makeServiceKey(world.app, root, ['reader'], { expires_in_days: null })).key;
    service = await startGuarded(express(), { issuer: world.app.config.appUrl, url: issuer.url, key });
  });
  afterAll(async () => {
    await service?.close();
    await issuer?.close();
  });
  beforeEach(() => {
    issuer.behaviour = 'pass';
    issuer.seen.length = 0;
  });

  const orders = (token: string) => new TestClient(service.getHttpServer() as Server, token).get('/orders');

  describe('rejects requests while the issuer', () => {
    const refuses = async (): Promise<void> => {
      const { token } = await signedIn(world.app, { roles: ['reader'] });
      expect(outcome(await orders(token))).toEqual([503, 'issuer_unavailable']);
      issuer.behaviour = 'pass';
      await delay(1_100);
      await orders(token).expect(200);
    };

    it('is unavailable', async () => {
      issuer.behaviour = (_request, response) => void response.destroy();
      await refuses();
    });

    it.each([
      ['returns 500', 500, '{"code":"500"}'],
      ['returns 429', 429, '{}'],
      ['returns 404', 404, '{}'],
      ['returns HTML', 200, '<html>'],
      ['returns an empty body', 200, ''],
      ['returns null', 200, 'null'],
      ['returns a list', 200, '[{"active":true}]'],
      ['omits the member active', 200, '{}'],
      ['returns active as text', 200, '{"active":"true"}'],
      ['returns only the member active', 200, '{"active":true}'],
      ['names another issuer', 200, JSON.stringify({ active: true, iss: 'http://evil.test' })],
      ['rejects the API key', 401, '{"data":{"error":"key_invalid"}}'],
      ['denies the API key access', 403, '{"data":{"error":"permission_denied"}}'],
    ])('%s', async (_what, status, body) => {
      issuer.behaviour = (request, response) => {
        if (request.url === '/.well-known/jwks.json') response.writeHead(503).end();
        else response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      };
      await refuses();
    });

    it('redirects elsewhere, and forwards no token', async () => {
      let visited = 0;
      issuer.behaviour = (request, response) => {
        if (request.url === '/elsewhere') visited += 1;
        response.writeHead(307, { location: `${issuer.url}/elsewhere` }).end();
      };
      await refuses();
      expect(visited).toBe(0);
    });

    it('does not respond, and calls it once a second at most', async () => {
      const slow = await startGuarded(express(), {
        issuer: world.app.config.appUrl,
        url: issuer.url,
        key,
        timeoutMs: 200,
      });
      try {
        const client = (token: string) => new TestClient(slow.getHttpServer() as Server, token).get('/orders');
        await client(root).expect(200);
        await delay(1_100);
        issuer.behaviour = () => undefined;
        issuer.seen.length = 0;
        const answers = [];
        const begin = performance.now();
        for (let i = 0; i < 20; i += 1) answers.push(outcome(await client(root)));
        // A busy machine needs more than a second for 20 requests.
        const seconds = Math.ceil((performance.now() - begin) / 1_000);
        expect(new Set(answers.map(String))).toEqual(new Set(['503,issuer_unavailable']));
        expect(issuer.introspections).toBeGreaterThan(0);
        expect(issuer.introspections).toBeLessThanOrEqual(seconds);
      } finally {
        await slow.close();
      }
    });
  });
});

describe('a guarded service and its issuer', () => {
  const KEYS = ['the key before is long enough to be one', 'the key after is long enough to be one'] as const;

  it('continues over a change of APP_KEY: old tokens are invalid, new ones valid, API keys stay', async () => {
    const before = await TestApp.start({ env: { ...EDDSA, APP_KEY: KEYS[0] } });
    const issuer = await IssuerProxy.open(before.url);
    const { token } = await signedIn(before, { roles: ['admin'] });
    const made = await makeServiceKey(before, token, ['admin']);
    const service = await startGuarded(express(), { issuer: before.config.appUrl, url: issuer.url, key: made.key });
    const after = await before.secondInstance({ env: { ...EDDSA, APP_KEY: KEYS[1], APP_KEY_PREVIOUS: KEYS[0] } });
    try {
      const client = (one: string) => new TestClient(service.getHttpServer() as Server, one).get('/orders');
      await client(token).expect(200);
      issuer.target = after.url;
      await delay(1_100);
      expect(outcome(await client(token))).toEqual([401, 'token_invalid']);
      const { token: next } = await signedIn(after, { roles: ['admin'] });
      await client(next).expect(200);
      await client(made.key).expect(200);
    } finally {
      await service.close();
      await issuer.close();
      await after.stop();
      await before.stop();
    }
  });

  it('may have different clocks; the issuer decides when a token expires', async () => {
    const lintel = await TestApp.start({ env: { ...EDDSA, AUTH_ACCESS_TOKEN_LIFETIME: '60' } });
    const service = await startGuarded(express(), { issuer: lintel.config.appUrl, url: lintel.url });
    try {
      const client = (one: string) => new TestClient(service.getHttpServer() as Server, one).get('/orders');
      // The clock of the issuer is 90 seconds behind, so its tokens look expired here.
      lintel.clock.advance(-90);
      const { token: behind } = await signedIn(lintel, { roles: ['admin'] });
      await client(behind).expect(200);
      lintel.clock.advance(180);
      const { token: ahead } = await signedIn(lintel, { roles: ['admin'] });
      await client(ahead).expect(200);
      lintel.clock.advance(60);
      await delay(1_100);
      expect(outcome(await client(ahead))).toEqual([401, 'token_invalid']);
    } finally {
      await service.close();
      await lintel.stop();
    }
  });

  it('rejects tokens signed with HS256', async () => {
    const lintel = await TestApp.start();
    const service = await startGuarded(express(), { issuer: lintel.config.appUrl, url: lintel.url });
    try {
      const { token } = await signedIn(lintel, { roles: ['admin'] });
      const answer = await new TestClient(service.getHttpServer() as Server, token).get('/orders');
      expect(outcome(answer)).toEqual([401, 'token_invalid']);
    } finally {
      await service.close();
      await lintel.stop();
    }
  });
});
