import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseProxy, type ProxyBehaviour } from '../../support/database-proxy.js';
import { newcomer, signIn, signUp } from '../../support/service-users.js';
import { schema } from '../../support/schema-definitions.js';
import type { Answer, Service } from '../../support/service.js';
import { ServiceHome } from '../../support/service-home.js';
import { createDatabase } from '../../support/test-server.js';

jest.setTimeout(120_000);

const ROUNDS = 3;

describe('the service with dropped database connections', () => {
  let home: ServiceHome;
  let proxy: DatabaseProxy;
  let drop: () => Promise<void>;
  let service: Service;
  let root: string;
  const person = newcomer();
  const administrator = newcomer();

  beforeAll(async () => {
    const database = await createDatabase();
    ({ drop } = database);
    proxy = await DatabaseProxy.open(database.address);
    home = await ServiceHome.make();
    const env = { DATABASE_URL: proxy.url, RATE_LIMIT_ENABLED: 'false', DATABASE_POOL_SIZE: '4' };
    service = await home.start({ env });
    await signUp(service, person);
    const made = await home.run(['admin:create', '--email', administrator.email], {
      env,
      input: `${administrator.password}\n`,
    });
    expect(made).toMatchObject({ code: 0 });
    root = await signIn(service, administrator);
    expect((await service.post('/api/schema', schema('note'), root)).status).toBeLessThan(300);
  });

  afterAll(async () => {
    await service?.stop();
    await home?.remove();
    await proxy?.close();
    await drop?.();
  });

  /** Sends every kind of request several times concurrently, and returns the number of responses by status. */
  async function ask(): Promise<Record<string, number>> {
    const { email, password } = newcomer();
    const requests: (() => Promise<Answer>)[] = [
      () => service.get('/readyz'),
      () => service.get('/api/content/notes', root),
      () => service.post('/api/content/notes', { title: 'one' }, root),
      () => service.post('/api/content/notes', [{ title: 'one' }, { title: 'two' }], root),
      () => service.post('/api/schema', schema('more'), root),
      () => service.post('/api/auth/local/login', { login: person.email, password: person.password }),
      () => service.post('/api/auth/local/register', { email, password, password_confirmation: password }),
      () => service.get('/api/auth/me', root),
    ];
    const counted: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(requests.map((request) => request()));
      for (const { status, body } of answers) {
        counted[status] = (counted[status] ?? 0) + 1;
        if (status === 400) expect(body).toMatchObject({ data: { error: 'email_taken' } });
      }
    }
    return counted;
  }

  it.each<ProxyBehaviour>(['end-fresh', 'end-every-second', 'refuse'])(
    'returns 503 and keeps running, for every request: %s',
    async (behaviour) => {
      proxy.behaviour = behaviour;
      proxy.cut();
      // Background work meets the fault, too.
      const before = proxy.connections;
      await delay(1_500);
      expect(proxy.connections).toBeGreaterThan(before);
      const counted = await ask();
      const { 200: _ok, 201: _made, 400: _taken, 503: unavailable = 0, ...others } = counted;
      expect(others).toEqual({});
      if (behaviour !== 'end-every-second') expect(unavailable).toBe(ROUNDS * 8);
      proxy.behaviour = 'pass';
      await delay(500);
      expect((await service.get('/readyz')).status).toBe(200);
      await signIn(service, person);
      expect(service.stderr).toBe('');
    },
  );

  it('returns Retry-After, without texts of the driver', async () => {
    proxy.behaviour = 'end-fresh';
    proxy.cut();
    const { email, password } = newcomer();
    const answer = await service.post('/api/auth/local/register', { email, password, password_confirmation: password });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.body).toEqual({
      code: '503',
      message: 'The database is not available. Try again in a moment.',
      data: { error: 'database_unavailable' },
    });
    proxy.behaviour = 'pass';
  });
});
