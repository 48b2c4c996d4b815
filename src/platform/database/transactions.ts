import { setTimeout as delay } from 'node:timers/promises';
import {
  type DataSource,
  type EntityManager,
  type EntitySubscriberInterface,
  EventSubscriber,
  type QueryRunner,
  type TransactionCommitEvent,
  type TransactionRollbackEvent,
  type TransactionStartEvent,
} from 'typeorm';
import { isRetryable } from './database-faults.js';

type Effect = () => void;

/** Effects of open transactions, by level: each savepoint has its own level. */
const LEVELS = new WeakMap<QueryRunner, Effect[][]>();

@EventSubscriber()
export class CommitEffects implements EntitySubscriberInterface {
  afterTransactionStart({ queryRunner }: TransactionStartEvent): void {
    const levels = LEVELS.get(queryRunner) ?? [];
    levels.push([]);
    LEVELS.set(queryRunner, levels);
  }

  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    const levels = LEVELS.get(queryRunner) ?? [];
    const effects = levels.pop() ?? [];
    const outer = levels.at(-1);
    if (outer === undefined) for (const effect of effects) effect();
    else outer.push(...effects);
  }

  afterTransactionRollback({ queryRunner }: TransactionRollbackEvent): void {
    LEVELS.get(queryRunner)?.pop();
  }
}

/**
 * Runs an effect after the current transaction is committed. The effect is dropped if the transaction or the current savepoint is rolled
 * back. Without a transaction it runs immediately. A crash after the commit loses the effect, so use it only for hints that something else
 * also finds.
 *
 * @param effect must not throw.
 */
export function afterCommit({ queryRunner }: EntityManager, effect: Effect): void {
  const level = queryRunner === undefined ? undefined : LEVELS.get(queryRunner)?.at(-1);
  if (level === undefined) effect();
  else level.push(effect);
}

/** A deadlock costs a second each time, so the last failure is returned to the client. @internal */
const MAX_ATTEMPTS = 6;
/** Maximum pause in milliseconds. It is random, because retries of other processes begin at the same time. @internal */
const MAX_PAUSE_MS = 30;

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
    if (!isRetryable(error)) throw error;
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
    await delay(Math.random() * MAX_PAUSE_MS);
    try {
      return await dataSource.transaction(work);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isRetryable(error)) throw error;
    }
  }
}
