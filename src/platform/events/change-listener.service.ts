import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Measures } from '../metrics/measures.decorator.js';
import { type ChangeNotice, NoticeConnection } from './notice-connection.js';

export interface ChangeSubscriber {
  /** Called when the object with this key has changed. */
  changed(key: string): void;
  /** Called when notices may have been lost: clear all cached data. */
  resync(): void;
}

/**
 * Receives change notices on every instance, so that caches are not stale. NOTIFY announces a notice at the commit of the change. If that
 * is lost, a check finds it within half a second. {@link ChangeNotifier} writes the notices.
 */
@Injectable()
export class ChangeListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly subscribers = new Map<string, ChangeSubscriber[]>();
  private readonly connection: NoticeConnection;
  private epochValue = 0;

  constructor(dataSource: DataSource) {
    this.connection = new NoticeConnection(dataSource, {
      notices: (notices) => notices.forEach((notice) => this.deliver(notice)),
      resync: () => this.resync(),
    });
  }

  /** Starts to listen. Failures are retried in the background. */
  onApplicationBootstrap(): void {
    this.connection.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.connection.stop();
  }

  subscribe(topic: string, subscriber: ChangeSubscriber): void {
    this.subscribers.set(topic, [...(this.subscribers.get(topic) ?? []), subscriber]);
  }

  /** Returns whether the last check is at most a second old. Caches may be used only then. */
  isFresh(): boolean {
    return this.connection.isFresh();
  }

  /**
   * Counts notices. Data that was read before a notice arrived must not be cached after it: compare the epoch before and after the query.
   */
  get epoch(): number {
    return this.epochValue;
  }

  @Measures({
    name: 'lintel_change_feed_age_seconds',
    help: 'Age in seconds of the last contact with the change stream. Caches are not used beyond one second.',
  })
  ageSeconds(): number {
    return this.connection.ageMs / 1_000;
  }

  @Measures({
    name: 'lintel_change_notices_total',
    help: 'Change notifications that the caches received.',
    type: 'counter',
  })
  noticesReceived(): number {
    return this.epochValue;
  }

  /** Delivers a change that this instance has committed to its own caches. */
  deliver({ topic, key }: ChangeNotice): void {
    this.epochValue += 1;
    this.subscribers.get(topic)?.forEach((subscriber) => subscriber.changed(key));
  }

  private resync(): void {
    this.epochValue += 1;
    for (const group of this.subscribers.values()) group.forEach((subscriber) => subscriber.resync());
  }
}
