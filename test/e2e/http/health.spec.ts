import pg from 'pg';
import { until } from '../../support/mailbox.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import { testServer } from '../../support/test-server.js';

describe('a database that is temporarily unavailable', () => {
  const world = useTestApp();

  /** Allows or blocks connections to the database of the application. */
  async function admit(allowed: boolean): Promise<void> {
    const client = new pg.Client({ connectionString: testServer().address.url });
    client.on('error', () => undefined);
    await client.connect();
    const [row] = await world.app.sql<{ name: string }>('SELECT current_database() AS name').catch(() => [{ name }]);
    name = row?.name ?? name;
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allowed}`);
    if (!allowed)
      await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    await client.end();
  }
  let name = '';

  it('returns 503 in bounded time, keeps the process running, and recovers automatically', async () => {
    const { token } = await signedIn(world.app);
    await world.app.asGuest().get('/readyz').expect(200);
    await admit(false);
    try {
      await world.app.asGuest().get('/healthz').expect(200);
      expect((await world.app.asGuest().get('/readyz').expect(503)).body.data).toEqual({ error: 'not_ready' });
      const login = await world.app
        .asGuest()
        .post('/api/auth/local/login', { login: 'a@example.com', password: 'whatever it is' })
        .expect(503);
      expect(login.body).toEqual({ code: '503', message: expect.any(String), data: { error: 'database_unavailable' } });
      expect(login.headers['retry-after']).toBeDefined();
      expect((await world.app.as(token).get('/api/auth/me').expect(503)).body.data).toEqual({
        error: 'database_unavailable',
      });
      await world.app.asGuest().get('/api/auth/methods').expect(200);
    } finally {
      await admit(true);
    }
    // A pooler may remember for a while that the database refused connections.
    await until(async () => (await world.app.asGuest().get('/readyz')).status === 200, 'the service to be ready');
    await world.app.as(token).get('/api/auth/me').expect(200);
    expect(world.app.log.join('\n')).not.toMatch(/password.*whatever/);
  });

  it('is not ready while a migration is missing', async () => {
    await world.app.sql(
      `UPDATE lintel_migrations SET name = name || '-gone' WHERE id = (SELECT max(id) FROM lintel_migrations)`,
    );
    await world.app.asGuest().get('/readyz').expect(503);
    await world.app.sql(`UPDATE lintel_migrations SET name = replace(name, '-gone', '')`);
    await world.app.asGuest().get('/readyz').expect(200);
  });
});
