import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager, QueryRunner } from 'typeorm';

interface Queue {
  readonly runner: QueryRunner;
  tail: Promise<unknown>;
}

/**
 * Serializes operations on one transaction. Concurrent operations must not overlap, because their savepoints are nested. Operations that
 * another operation starts, for example in a hook, have a separate queue, because waiting for their parent would be a deadlock.
 */
export class TransactionQueue {
  private readonly queues = new WeakMap<QueryRunner, Queue>();
  private readonly inside = new AsyncLocalStorage<Queue>();

  /** Runs work after earlier operations of the transaction. Without a transaction it runs immediately. */
  async run<T>({ within }: { readonly within: EntityManager | undefined }, work: () => Promise<T>): Promise<T> {
    const runner = within?.queryRunner;
    if (runner === undefined) return work();
    const own = this.inside.getStore();
    const queue = own?.runner === runner ? own : (this.queues.get(runner) ?? { runner, tail: Promise.resolve() });
    if (queue !== own) this.queues.set(runner, queue);
    const current = queue.tail.then(() => {
      if (!runner.isTransactionActive)
        throw new TypeError('The transaction of content.in(manager) has ended. Await all calls that use it.');
      return this.inside.run({ runner, tail: Promise.resolve() }, work);
    });
    queue.tail = current.catch(() => undefined);
    return current;
  }
}
