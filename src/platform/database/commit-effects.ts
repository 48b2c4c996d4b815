import {
  type EntityManager,
  type EntitySubscriberInterface,
  EventSubscriber,
  type QueryRunner,
  type TransactionCommitEvent,
  type TransactionRollbackEvent,
  type TransactionStartEvent,
} from 'typeorm';

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
