import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { afterCommit, retriedTransaction } from '../database/database.public.js';
import { ChangeListener } from './change-listener.service.js';
import type { ChangeNotice } from './notice-connection.js';

/** Adds a notice to the current transaction. */
export type Notify = (topic: string, key: string) => void;

const WRITE = `WITH written AS (
    INSERT INTO change_notices (topic, key) SELECT * FROM unnest($1::text[], $2::text[]) RETURNING id
  )
  SELECT pg_notify('lintel_changes', string_agg(id::text, ',')) FROM written`;

/** Notifies all instances of changes. A notice is a row, written in the transaction of the change. */
@Injectable()
export class ChangeNotifier {
  /** @param listener is notified when a commit is acknowledged. Other instances are notified through the database. */
  constructor(
    private readonly dataSource: DataSource,
    @Inject(ChangeListener) private readonly listener?: Pick<ChangeListener, 'deliver'>,
  ) {}

  /**
   * Runs the work in one transaction with its notices. Without `within`, the work is retried if the database aborts the transaction.
   *
   * @param within the caller's transaction: the work runs in a savepoint, and the notices are sent at the commit.
   */
  async transaction<T>(
    work: (manager: EntityManager, notify: Notify) => Promise<T>,
    within?: EntityManager,
  ): Promise<T> {
    const noticed = async (manager: EntityManager): Promise<T> => {
      const notices = new Map<string, ChangeNotice>();
      const answer = await work(manager, (topic, key) => notices.set(`${topic}\0${key}`, { topic, key }));
      if (notices.size > 0) await this.write(manager, [...notices.values()]);
      return answer;
    };
    return within === undefined ? retriedTransaction(this.dataSource, noticed) : within.transaction(noticed);
  }

  private async write(manager: EntityManager, notices: readonly ChangeNotice[]): Promise<void> {
    await manager.query(WRITE, [notices.map(({ topic }) => topic), notices.map(({ key }) => key)]);
    afterCommit(manager, () => notices.forEach((notice) => this.listener?.deliver(notice)));
  }
}
