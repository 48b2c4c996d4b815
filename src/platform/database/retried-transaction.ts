import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { wasGivenUp } from './database-faults.js';

/** A deadlock costs a second each time, so the last failure is returned to the client. @internal */
const MOST_ATTEMPTS = 6;
/** Maximum pause in milliseconds. It is random, because retries of other processes begin at the same time. @internal */
const LONGEST_PAUSE_MS = 30;

/** The last retry in the queue, by database. It ends after all retries before it. */
const queues = new WeakMap<DataSource, Promise<unknown>>();

/**
 * Runs work in a transaction, and again if the database aborted it because of another one: a deadlock, or a serialization failure. The
 * aborted attempt leaves no changes. Retries of this process run one after another, so that they do not block each other again.
 *
 * @param work can run several times, including its effects outside the transaction.
 */
export async function retriedTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  try {
    return await dataSource.transaction(work);
  } catch (error) {
    if (!wasGivenUp(error)) throw error;
  }
  const before = queues.get(dataSource);
  const again = Promise.resolve(before).then(() => retry(dataSource, work));
  queues.set(
    dataSource,
    again.catch(() => undefined),
  );
  return again;
}

async function retry<T>(dataSource: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  for (let attempt = 2; ; attempt += 1) {
    await delay(Math.random() * LONGEST_PAUSE_MS);
    try {
      return await dataSource.transaction(work);
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !wasGivenUp(error)) throw error;
    }
  }
}
