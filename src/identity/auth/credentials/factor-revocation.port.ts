import type { EntityManager } from 'typeorm';
import type { RequestOrigin } from '../../../kernel/principal.types.js';

/** Second factors whose revocation waits. */
export interface WaitingRevocation {
  readonly userId: string;
  /** Names of the kinds of credentials. */
  readonly kinds: readonly string[];
  /** Only those that were created at this time or later; null for all. */
  readonly since: Date | null;
  readonly delaySeconds: number;
}

/** Plans the revocation of second factors, so that their owner can cancel it. SecondFactorsModule provides it. */
export abstract class FactorRevocation {
  /**
   * Plans a revocation for a locked account, in the caller's transaction, and notifies the owner by mail.
   *
   * @returns when it runs: the time of an earlier plan that revokes all of it. Other plans keep their own times.
   */
  abstract plan(manager: EntityManager, waiting: WaitingRevocation, origin: RequestOrigin): Promise<Date>;
}
