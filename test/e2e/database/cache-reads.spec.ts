import type { EntityManager } from 'typeorm';
import { DataSource } from 'typeorm';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { RoleDirectory } from '../../../src/identity/auth/access/role-directory.js';
import { GUEST } from '../../../src/kernel/principal.types.js';
import type { DatabaseClient } from '../../../src/platform/database/connections/database-client.js';
import { cacheReader, poolOf } from '../../../src/platform/database/connections/database-pool.js';
import { isDatabaseUnavailable } from '../../../src/platform/database/database.public.js';
import { ChangeListener } from '../../../src/platform/events/change-listener.service.js';
import { useTestApp } from '../../support/test-app.js';

describe('transactions that use all connections of the pool', () => {
  const world = useTestApp({ env: { DATABASE_POOL_SIZE: '2' } });

  it.each<[string, () => unknown]>([
    ['roles', () => world.app.get(RoleDirectory).permissionsOf(GUEST)],
    ['schemas', () => world.app.get(SchemaSnapshots).latest()],
  ])('read changed %s', async (topic, read) => {
    const { dataSource, listener } = { dataSource: world.app.get(DataSource), listener: world.app.get(ChangeListener) };
    let begun = 0;
    let start = (): void => undefined;
    const started = new Promise<void>((resolve) => (start = resolve));
    const work = async (manager: EntityManager): Promise<unknown> => {
      await manager.query('SELECT 1');
      begun += 1;
      if (begun === 2) {
        listener.deliver({ topic, key: '' });
        start();
      }
      await started;
      return read();
    };
    await Promise.all([dataSource.transaction(work), dataSource.transaction(work)]);
    expect(begun).toBe(2);
  });
});

describe('a cache read whose connection is lost', () => {
  const world = useTestApp();

  it('reports that the database is unavailable', async () => {
    const dataSource = world.app.get(DataSource);
    const acquired = new Promise<DatabaseClient>((resolve) => {
      poolOf(dataSource).cacheReader.once('acquire', (client) => resolve(client as unknown as DatabaseClient));
    });
    const failed = cacheReader(dataSource)
      .query('SELECT pg_sleep(60)')
      .catch((error: unknown) => error);
    (await acquired).connection.stream.destroy();
    expect(isDatabaseUnavailable(await failed)).toBe(true);
  });
});
