import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Measures } from '../metrics/measures.decorator.js';
import { type ChangeNotice, NoticeConnection } from './notice-connection.js';

/** Receives the changes of a topic. */
export interface ChangeSubscriber {
  /** Hears that the thing with this key is not what it was. */
  changed(key: string): void;
  /** Notices may have been lost: forget everything. */
  resync(): void;
}

/**
 * Hears what changed, on every instance, so that caches hold no stale answer: a notice is announced by NOTIFY at the commit
 * of the change and, should that be lost, found by a check within half a second ({@link ChangeNotifier} writes it).
 */
@Injectable()
export class ChangeListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly subscribers = new Map<string, ChangeSubscriber[]>();
  private readonly connection: NoticeConnection;
  private epochValue = 0;

  constructor(@InjectDataSource() dataSource: DataSource) {
    this.connection = new NoticeConnection(dataSource, {
      notices: (notices) => notices.forEach((notice) => this.deliver(notice)),
      resync: () => this.resync(),
    });
  }

  /** Starts to listen. Failures are retried in the background. */
  onApplicationBootstrap(): void {
    this.connection.start();
  }

  /** Stops to listen. */
  async onApplicationShutdown(): Promise<void> {
    await this.connection.stop();
  }

  /** Registers a cache for a topic. */
  subscribe(topic: string, subscriber: ChangeSubscriber): void {
    this.subscribers.set(topic, [...(this.subscribers.get(topic) ?? []), subscriber]);
  }

  /** Returns whether what this instance has heard is at most a second old. A cache that answers "still valid" may be believed only then. */
  isFresh(): boolean {
    return this.connection.isFresh();
  }

  /**
   * Counts notices. What was read from the database before a notice arrived must not be cached after it: compare the
   * epoch from before the query with the one after.
   */
  get epoch(): number {
    return this.epochValue;
  }

  @Measures({
    name: 'lintel_change_feed_age_seconds',
    help: 'How old what this instance has heard of changes is; caches are not believed beyond a second.',
  })
  ageSeconds(): number {
    return this.connection.ageMs / 1_000;
  }

  @Measures({
    name: 'lintel_change_notices_total',
    help: 'Notices of changes that reached the caches.',
    type: 'counter',
  })
  noticesHeard(): number {
    return this.epochValue;
  }

  /** Tells the caches of this instance what it has committed itself. */
  deliver({ topic, key }: ChangeNotice): void {
    this.epochValue += 1;
    this.subscribers.get(topic)?.forEach((subscriber) => subscriber.changed(key));
  }

  private resync(): void {
    this.epochValue += 1;
    for (const group of this.subscribers.values()) group.forEach((subscriber) => subscriber.resync());
  }
}
