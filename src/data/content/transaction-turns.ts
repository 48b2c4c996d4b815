import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager, QueryRunner } from 'typeorm';

/** Line for the connection of one transaction. */
interface Line {
  readonly runner: QueryRunner;
  tail: Promise<unknown>;
}

/**
 * Turns of operations on one transaction: those that were begun side by side come one after the other, for their savepoints
 * are nested. What an operation begins itself, such as by its hooks, has a line of its own.
 */
export class TransactionTurns {
  private readonly lines = new WeakMap<QueryRunner, Line>();
  private readonly inside = new AsyncLocalStorage<Line>();

  /** Does work in its turn; at once if it joins no transaction. */
  async take<T>({ within }: { readonly within: EntityManager | undefined }, work: () => Promise<T>): Promise<T> {
    const runner = within?.queryRunner;
    if (runner === undefined) return work();
    const own = this.inside.getStore();
    const line = own?.runner === runner ? own : (this.lines.get(runner) ?? { runner, tail: Promise.resolve() });
    if (line !== own) this.lines.set(runner, line);
    const mine = line.tail.then(() => {
      if (!runner.isTransactionActive)
        throw new TypeError('The transaction of content.in(manager) is over: await what is done in it.');
      return this.inside.run({ runner, tail: Promise.resolve() }, work);
    });
    line.tail = mine.catch(() => undefined);
    return mine;
  }
}
