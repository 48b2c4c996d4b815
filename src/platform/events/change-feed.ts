import type { DataSource, EntityManager } from 'typeorm';
import { ChangeListener, type ChangeNotice } from './change-listener.js';

export type { ChangeNotice } from './change-listener.js';

/** Adds a notice to the current transaction. */
export type Notify = (topic: string, key: string) => void;

/** What a cache does when its topic changes. */
export interface ChangeSubscriber {
  /** The thing with this key is not what it was. */
  changed(key: string): void;
  /** Notices may have been lost: forget everything. */
  resync(): void;
}

/**
 * Tells every instance what changed, so that caches hold no stale answer: a notice is a row written in the transaction of
 * the change, announced by NOTIFY at its commit and, should that be lost, found by a version check within half a second.
 */
export class ChangeFeed {
  private readonly subscribers = new Map<string, ChangeSubscriber[]>();
  private readonly listener: ChangeListener;
  private epochValue = 0;

  constructor(private readonly dataSource: DataSource) {
    this.listener = new ChangeListener(dataSource, {
      notices: (notices) => notices.forEach((notice) => this.deliver(notice)),
      resync: () => this.resync(),
    });
  }

  /** Starts to listen. Failures are retried in the background. */
  start(): void {
    this.listener.start();
  }

  /** Stops to listen. */
  async stop(): Promise<void> {
    await this.listener.stop();
  }

  /** Registers a cache for a topic. */
  subscribe(topic: string, subscriber: ChangeSubscriber): void {
    this.subscribers.set(topic, [...(this.subscribers.get(topic) ?? []), subscriber]);
  }

  /**
   * Whether what this instance has heard is at most a second old. A cache that answers "still valid" may be believed
   * only then.
   */
  isFresh(): boolean {
    return this.listener.isFresh();
  }

  /**
   * Counts notices. What was read from the database before a notice arrived must not be cached after it: compare the
   * epoch from before the query with the one after.
   */
  get epoch(): number {
    return this.epochValue;
  }

  /**
   * Runs the work in one transaction with its notices. This instance hears them as soon as the commit is acknowledged,
   * the others over the database.
   */
  async transaction<T>(work: (manager: EntityManager, notify: Notify) => Promise<T>): Promise<T> {
    const notices = new Map<string, ChangeNotice>();
    const result = await this.dataSource.transaction(async (manager) => {
      const answer = await work(manager, (topic, key) => notices.set(`${topic}\0${key}`, { topic, key }));
      if (notices.size > 0) await this.write(manager, [...notices.values()]);
      return answer;
    });
    notices.forEach((notice) => this.deliver(notice));
    return result;
  }

  private async write(manager: EntityManager, notices: readonly ChangeNotice[]): Promise<void> {
    await manager.query(
      `WITH written AS (
         INSERT INTO change_notices (topic, key) SELECT * FROM unnest($1::text[], $2::text[]) RETURNING id
       )
       SELECT pg_notify('lintel_changes', string_agg(id::text, ',')) FROM written`,
      [notices.map(({ topic }) => topic), notices.map(({ key }) => key)],
    );
  }

  private deliver({ topic, key }: ChangeNotice): void {
    this.epochValue += 1;
    this.subscribers.get(topic)?.forEach((subscriber) => subscriber.changed(key));
  }

  private resync(): void {
    this.epochValue += 1;
    for (const group of this.subscribers.values()) group.forEach((subscriber) => subscriber.resync());
  }
}
