import type { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ChangeFeed } from '../../../src/platform/events/change-feed.js';
import { until } from '../../support/mailbox.js';
import { useTestApp } from '../../support/test-app.js';

/** The parts of a feed that nobody else may touch. */
interface Inside {
  readonly listener: { client: EventEmitter | null };
}

describe('the feed of changes', () => {
  const world = useTestApp();

  /** A feed of its own beside the application's, listening. */
  async function listening(): Promise<ChangeFeed> {
    const feed = new ChangeFeed(world.app.database);
    feed.start();
    await until(() => feed.isFresh(), 'the feed to listen');
    return feed;
  }

  it('tells others of a change within a second, and only once', async () => {
    const feed = await listening();
    const heard: string[] = [];
    feed.subscribe('walnut', { changed: (key) => void heard.push(key), resync: () => undefined });
    await world.app.get(ChangeFeed).transaction(async (_manager, notify) => {
      notify('walnut', 'a');
      notify('walnut', 'a');
      notify('walnut', 'b');
      await Promise.resolve();
    });
    await until(() => heard.length >= 2, 'both notices');
    await delay(900);
    expect(heard.sort()).toEqual(['a', 'b']);
    await feed.stop();
  });

  it('says nothing of a change that was taken back', async () => {
    const feed = await listening();
    const heard: string[] = [];
    feed.subscribe('walnut', { changed: (key) => void heard.push(key), resync: () => undefined });
    const failing = world.app.get(ChangeFeed).transaction((_manager, notify) => {
      notify('walnut', 'c');
      return Promise.reject(new Error('no'));
    });
    await expect(failing).rejects.toThrow('no');
    await delay(600);
    expect(heard).toEqual([]);
    await feed.stop();
  });

  it('misses no notice of a transaction that commits after younger ones', async () => {
    const feed = await listening();
    const heard: string[] = [];
    feed.subscribe('walnut', { changed: (key) => void heard.push(key), resync: () => undefined });
    const runner = world.app.database.createQueryRunner();
    await runner.startTransaction();
    // Without NOTIFY: only the check can find them.
    await runner.query(`INSERT INTO change_notices (topic, key) VALUES ('walnut', 'older')`);
    await world.app.sql(`INSERT INTO change_notices (topic, key) VALUES ('walnut', 'younger')`);
    await until(() => heard.includes('younger'), 'the younger notice');
    await runner.commitTransaction();
    await runner.release();
    await until(() => heard.includes('older'), 'the older notice');
    expect(heard).toEqual(['younger', 'older']);
    await feed.stop();
  });

  it('opens no connection for a notice that arrives while it stops', async () => {
    const feed = await listening();
    const { listener } = feed as unknown as Inside;
    const { client } = listener;
    const stopped = feed.stop();
    client?.emit('notification', {});
    await stopped;
    client?.emit('notification', {});
    await delay(300);
    expect(listener.client).toBeNull();
  });
});
