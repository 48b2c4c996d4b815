import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { MarkedMethod } from '../../kernel/marked-methods.js';
import { withTimeLimit } from '../../kernel/time-limit.js';
import type { LifeAccount, LifeFacts, LifeMoment } from './life-event.types.js';
import { LIFE_HOOKS } from './life-hooks.decorators.js';

/** The transaction waits for the hook, so its time is limited. */
const TIME_LIMIT_MS = 10_000;

/** Events that an error in a hook cannot roll back. Otherwise a faulty hook could keep a stolen session alive. */
const IRREVOCABLE: ReadonlySet<LifeMoment> = new Set<LifeMoment>(['sessionEnded', 'passwordChanged']);

const FIND = `SELECT id, email, username, first_name AS "firstName", last_name AS "lastName", activated FROM users WHERE id = $1`;

type Hook = MarkedMethod<{ readonly moment: LifeMoment }>;

/** An event without hooks needs no query. */
@Injectable()
export class SignInLife implements OnModuleInit {
  private readonly logger = new Logger('SignInLife');
  private hooks: ReadonlyMap<LifeMoment, readonly Hook[]> = new Map();

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for a hook that could never run. */
  onModuleInit(): void {
    const hooks = LIFE_HOOKS.collect(this.discovery);
    const moments = new Set(hooks.map(({ declaration }) => declaration.moment));
    this.hooks = new Map(
      [...moments].map((one) => [one, hooks.filter(({ declaration }) => declaration.moment === one)]),
    );
  }

  hears(...moments: readonly LifeMoment[]): boolean {
    return moments.some((moment) => this.hooks.has(moment));
  }

  /** Runs the hooks in the caller's transaction. @throws the error of a hook, except for irrevocable events. */
  async tell<M extends LifeMoment>(
    moment: M,
    manager: EntityManager,
    userId: string,
    ...all: readonly LifeFacts[M][]
  ): Promise<void> {
    const hooks = this.hooks.get(moment);
    if (hooks === undefined || all.length === 0) return;
    const [account] = await manager.query<LifeAccount[]>(FIND, [userId]);
    if (account === undefined) return;
    for (const facts of all) {
      for (const hook of hooks) {
        const run = async (inner: EntityManager): Promise<void> => {
          await withTimeLimit(TIME_LIMIT_MS, call(hook, { account, manager: inner, ...facts }));
        };
        if (IRREVOCABLE.has(moment)) await this.within(manager, hook, run);
        else await run(manager);
      }
    }
  }

  /** Runs a hook in a savepoint: an error rolls back only its own writes. */
  private async within(
    manager: EntityManager,
    { name }: Hook,
    run: (inner: EntityManager) => Promise<void>,
  ): Promise<void> {
    try {
      await manager.transaction(run);
    } catch (err) {
      this.logger.error({ err, hook: name, msg: 'A hook of the sign-in life failed; what it was told of stays.' });
    }
  }
}

/** Turns a synchronous error of the hook into a rejected promise. */
async function call({ run }: Hook, event: object): Promise<void> {
  await run(event as never);
}
