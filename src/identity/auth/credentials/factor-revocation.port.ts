import type { EntityManager } from 'typeorm';
import type { RequestOrigin } from '../../../kernel/principal.types.js';

export interface WaitingRevocation {
  readonly userId: string;
  /** Names of kinds of credentials. */
  readonly kinds: readonly string[];
  /** Only those that were created at this time or later; null for all. */
  readonly since: Date | null;
  readonly delaySeconds: number;
}

/** Delays the revocation of second factors, so that their owner can cancel it. SecondFactorsModule provides it. */
export abstract class FactorRevocation {
  /**
   * Plans a revocation for a locked account, in the caller's transaction, and notifies the owner by mail.
   *
   * @returns when it runs. If an earlier plan already covers all of it, this is the time of that plan. Other plans keep their own times.
   */
  abstract plan(manager: EntityManager, waiting: WaitingRevocation, origin: RequestOrigin): Promise<Date>;
}
