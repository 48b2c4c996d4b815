import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { wasGivenUp } from './database-faults.js';

/** A deadlock costs a second each time: who has lost so often is told to come again. @internal */
const MOST_ATTEMPTS = 6;
/** Longest pause; those of other processes begin again at the same moment. @internal */
const LONGEST_PAUSE_MS = 30;

/** The last one in the queue of those that begin again, by database: it ends when all before it have. */
const queues = new WeakMap<DataSource, Promise<unknown>>();

/**
 * Runs work in a transaction of its own, and again if the database has given it up for the sake of another one: a deadlock, or a
 * conflict of serializable transactions. Nothing of it is left then. Those that begin again do it one after another, so that they
 * do not lock each other out once more.
 *
 * @param work may be done several times; what it does beside the transaction, it does as often.
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
