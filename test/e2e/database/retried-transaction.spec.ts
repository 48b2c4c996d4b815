import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import { retriedTransaction } from '../../../src/platform/database/transactions.js';
import { useTestApp } from '../../support/test-app.js';

describe('a transaction aborted by a deadlock or serialisation failure', () => {
  const world = useTestApp();
  let dataSource: DataSource;
  const add = (manager: EntityManager, id: number) =>
    manager.query('UPDATE rivals SET count = count + 1 WHERE id = $1', [id]);

  beforeAll(async () => {
    dataSource = world.app.get(DataSource);
    await dataSource.query('CREATE TABLE rivals (id int PRIMARY KEY, count int NOT NULL DEFAULT 0)');
    await dataSource.query('INSERT INTO rivals VALUES (1), (2)');
  });

  it('is repeated, and each of many that deadlock is committed once', async () => {
    const rivals = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? ([1, 2] as const) : ([2, 1] as const)));
    let begun = 0;
    await Promise.all(
      rivals.map(([first, second]) =>
        retriedTransaction(dataSource, async (manager) => {
          begun += 1;
          // The database detects a deadlock after a second. Several rounds of that exceed the usual statement timeout.
          await manager.query(`SET LOCAL statement_timeout = '60s'`);
          await add(manager, first);
          await delay(20);
          await add(manager, second);
        }),
      ),
    );
    expect(begun).toBeGreaterThan(rivals.length);
    expect(await dataSource.query('SELECT count FROM rivals')).toEqual([{ count: 8 }, { count: 8 }]);
  });

  it('is not repeated after any other error', async () => {
    let begun = 0;
    const work = async (manager: EntityManager) => {
      begun += 1;
      await manager.query('INSERT INTO rivals VALUES (1)');
    };
    await expect(retriedTransaction(dataSource, work)).rejects.toThrow('duplicate key');
    expect(begun).toBe(1);
  });
});
