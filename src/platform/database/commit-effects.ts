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

/** Effects of transactions under way, by level: a savepoint has a level of its own. */
const LEVELS = new WeakMap<QueryRunner, Effect[][]>();

/** Runs the effects of transactions once they are committed. Every DataSource of the service has one. */
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
 * Runs an effect once the current transaction is committed, and never if it, or the savepoint of this moment, is rolled
 * back; at once if there is no transaction. A crash after the commit loses the effect: it is for hints that something else
 * finds as well.
 *
 * @param effect must not throw.
 */
export function afterCommit({ queryRunner }: EntityManager, effect: Effect): void {
  const level = queryRunner === undefined ? undefined : LEVELS.get(queryRunner)?.at(-1);
  if (level === undefined) effect();
  else level.push(effect);
}
