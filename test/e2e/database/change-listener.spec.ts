import type { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ChangeListener } from '../../../src/platform/events/change-listener.service.js';
import { ChangeNotifier } from '../../../src/platform/events/change-notifier.service.js';
import { until } from '../../support/mailbox.js';
import { useTestApp } from '../../support/test-app.js';

interface Inside {
  readonly connection: { client: EventEmitter | null };
}

describe('the change listener', () => {
  const world = useTestApp();

  /** Starts a second listener beside that of the application, and waits until it listens. */
  async function listening(): Promise<ChangeListener> {
    const listener = new ChangeListener(world.app.database);
    listener.onApplicationBootstrap();
    await until(() => listener.isFresh(), 'the listener to receive a notification');
    return listener;
  }

  it('notifies others of a change within a second, once', async () => {
    const listener = await listening();
    const received: string[] = [];
    listener.subscribe('walnut', { changed: (key) => void received.push(key), resync: () => undefined });
    await world.app.get(ChangeNotifier).transaction(async (_manager, notify) => {
      notify('walnut', 'a');
      notify('walnut', 'a');
      notify('walnut', 'b');
      await Promise.resolve();
    });
    await until(() => received.length >= 2, 'both notices');
    await delay(900);
    expect(received.sort()).toEqual(['a', 'b']);
    await listener.onApplicationShutdown();
  });

  it('does not report a rolled-back change', async () => {
    const listener = await listening();
    const received: string[] = [];
    listener.subscribe('walnut', { changed: (key) => void received.push(key), resync: () => undefined });
    const failing = world.app.get(ChangeNotifier).transaction((_manager, notify) => {
      notify('walnut', 'c');
      return Promise.reject(new Error('no'));
    });
    await expect(failing).rejects.toThrow('no');
    await delay(600);
    expect(received).toEqual([]);
    await listener.onApplicationShutdown();
  });

  it('misses no notification of a transaction that commits after younger ones', async () => {
    const listener = await listening();
    const received: string[] = [];
    listener.subscribe('walnut', { changed: (key) => void received.push(key), resync: () => undefined });
    const runner = world.app.database.createQueryRunner();
    await runner.startTransaction();
    // Without NOTIFY, only the check can find them.
    await runner.query(`INSERT INTO change_notices (topic, key) VALUES ('walnut', 'older')`);
    await world.app.sql(`INSERT INTO change_notices (topic, key) VALUES ('walnut', 'younger')`);
    await until(() => received.includes('younger'), 'the younger notice');
    await runner.commitTransaction();
    await runner.release();
    await until(() => received.includes('older'), 'the older notice');
    expect(received).toEqual(['younger', 'older']);
    await listener.onApplicationShutdown();
  });

  it('reports each notification once behind an open transaction', async () => {
    const listener = await listening();
    const received: string[] = [];
    listener.subscribe('walnut', { changed: (key) => void received.push(key), resync: () => received.push('resync') });
    const runner = world.app.database.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT pg_current_xact_id()');
    const keys = Array.from({ length: 16 }, (_, at) => `k${at}`);
    for (const key of keys) await world.app.sql(`INSERT INTO change_notices (topic, key) VALUES ('walnut', $1)`, [key]);
    await until(() => received.length >= keys.length, 'the notices');
    await delay(900);
    await runner.rollbackTransaction();
    await runner.release();
    expect(received).toEqual(keys);
    await listener.onApplicationShutdown();
  });

  it('opens no connection for a notification that arrives while it stops', async () => {
    const listener = await listening();
    const { connection } = listener as unknown as Inside;
    const { client } = connection;
    const stopped = listener.onApplicationShutdown();
    client?.emit('notification', {});
    await stopped;
    client?.emit('notification', {});
    await delay(300);
    expect(connection.client).toBeNull();
  });
});
