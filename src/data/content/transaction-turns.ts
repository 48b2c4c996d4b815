import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager, QueryRunner } from 'typeorm';

interface Line {
  readonly runner: QueryRunner;
  tail: Promise<unknown>;
}

/**
 * Serializes operations on one transaction. Concurrent operations must not overlap, because their savepoints are nested. Operations started
 * inside an operation, for example by its hooks, have a separate queue.
 */
export class TransactionTurns {
  private readonly lines = new WeakMap<QueryRunner, Line>();
  private readonly inside = new AsyncLocalStorage<Line>();

  /** Runs work after earlier operations of the transaction. Without a transaction it runs immediately. */
  async run<T>({ within }: { readonly within: EntityManager | undefined }, work: () => Promise<T>): Promise<T> {
    const runner = within?.queryRunner;
    if (runner === undefined) return work();
    const own = this.inside.getStore();
    const line = own?.runner === runner ? own : (this.lines.get(runner) ?? { runner, tail: Promise.resolve() });
    if (line !== own) this.lines.set(runner, line);
    const current = line.tail.then(() => {
      if (!runner.isTransactionActive)
        throw new TypeError('The transaction of content.in(manager) has ended. Await all calls that use it.');
      return this.inside.run({ runner, tail: Promise.resolve() }, work);
    });
    line.tail = current.catch(() => undefined);
    return current;
  }
}
