import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { MarkedMethod } from '../../platform/extension/marked-methods.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import type { LifecycleAccount, LifecycleEventData, LifecycleEventName } from './lifecycle-event.types.js';
import { LIFECYCLE_HOOKS } from './lifecycle-hooks.decorators.js';

/** The transaction waits for the hook, so its time is limited. */
const TIME_LIMIT_MS = 10_000;

/** Events that an error in a hook cannot roll back. Otherwise a faulty hook could keep a stolen session alive. */
const IRREVOCABLE: ReadonlySet<LifecycleEventName> = new Set<LifecycleEventName>(['sessionEnded', 'passwordChanged']);

const FIND = `SELECT id, email, username, first_name AS "firstName", last_name AS "lastName", activated FROM users WHERE id = $1`;

type Hook = MarkedMethod<{ readonly event: LifecycleEventName }>;

/** An event without hooks needs no query. */
@Injectable()
export class AccountLifecycle implements OnModuleInit {
  private readonly logger = new Logger('SignInLife');
  private hooks: ReadonlyMap<LifecycleEventName, readonly Hook[]> = new Map();

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for a hook that could never run. */
  onModuleInit(): void {
    const hooks = LIFECYCLE_HOOKS.collect(this.discovery);
    const events = new Set(hooks.map(({ declaration }) => declaration.event));
    this.hooks = new Map([...events].map((one) => [one, hooks.filter(({ declaration }) => declaration.event === one)]));
  }

  hasHooks(...events: readonly LifecycleEventName[]): boolean {
    return events.some((event) => this.hooks.has(event));
  }

  /** Runs the hooks in the caller's transaction. @throws the error of a hook, except for irrevocable events. */
  async runHooks<M extends LifecycleEventName>(
    event: M,
    manager: EntityManager,
    userId: string,
    ...all: readonly LifecycleEventData[M][]
  ): Promise<void> {
    const hooks = this.hooks.get(event);
    if (hooks === undefined || all.length === 0) return;
    const [account] = await manager.query<LifecycleAccount[]>(FIND, [userId]);
    if (account === undefined) return;
    for (const facts of all) {
      for (const hook of hooks) {
        const run = (inner: EntityManager): Promise<unknown> =>
          withTimeLimit(TIME_LIMIT_MS, () => hook.run({ account, manager: inner, ...facts } as never));
        if (IRREVOCABLE.has(event)) await this.within(manager, hook, run);
        else await run(manager);
      }
    }
  }

  /** Runs a hook in a savepoint: an error rolls back only its own writes. */
  private async within(
    manager: EntityManager,
    { name }: Hook,
    run: (inner: EntityManager) => Promise<unknown>,
  ): Promise<void> {
    try {
      await manager.transaction(run);
    } catch (err) {
      this.logger.error({
        err,
        hook: name,
        msg: 'A hook of the sign-in lifecycle failed. The change that triggered it remains.',
      });
    }
  }
}
