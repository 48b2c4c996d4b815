import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const APP = 'https://app.acme.test';
const OTHERS = [
  'https://evil.test',
  'https://app.acme.test.evil.test',
  'http://app.acme.test',
  'https://app.acme.test:444',
  'null',
];

describe('pages of other origins', () => {
  describe('that are configured', () => {
    const world = useTestApp({ env: { CORS_ORIGINS: `${APP}, http://localhost:5173` } });
    const preflight = (origin: string, path = '/api/content/posts') =>
      world.app
        .asGuest()
        .options(path)
        .set({ origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' });

    it('may ask before they send, for the methods and headers of the API', async () => {
      const { headers } = await preflight(APP).expect(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': APP,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-max-age': '600',
        vary: expect.stringContaining('Origin'),
      });
      expect(headers['access-control-allow-headers']).toMatch(
        /Authorization, .*Content-Type, Idempotency-Key, If-Match/,
      );
      await preflight('http://localhost:5173').expect(204);
    });

    it('may read answers and refusals alike, and never with cookies', async () => {
      const { token } = await signedIn(world.app);
      const good = await world.app.as(token).get('/api/auth/me').set('origin', APP).expect(200);
      const bad = await world.app.asGuest().get('/api/auth/me').set('origin', APP).expect(401);
      for (const { headers } of [good, bad]) {
        expect(headers['access-control-allow-origin']).toBe(APP);
        expect(headers['access-control-expose-headers']).toMatch(/ETag.*X-Request-Id/);
        expect(headers['access-control-allow-credentials']).toBeUndefined();
      }
    });

    it.each(OTHERS)('and no others: %s is told nothing', async (origin) => {
      const asked = await preflight(origin);
      const answered = await world.app.asGuest().get('/api/auth/methods').set('origin', origin).expect(200);
      for (const { headers } of [asked, answered]) expect(headers['access-control-allow-origin']).toBeUndefined();
    });

    it('leave an address that is not there what it was', async () => {
      const { body } = await world.app.asGuest().get('/api/nothing').set('origin', APP).expect(404);
      expect(body.data).toEqual({ error: 'route_not_found' });
      await world.app.asGuest().delete('/api/auth/methods').set('origin', APP).expect(405);
    });
  });

  describe('where none is configured', () => {
    const world = useTestApp();

    it('are told nothing', async () => {
      const answered = await world.app.asGuest().get('/api/auth/methods').set('origin', APP).expect(200);
      expect(Object.keys(answered.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    });
  });
});
