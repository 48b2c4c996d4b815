import type { EntityManager } from 'typeorm';

/** Answer by which somebody proves a factor. Nothing of it was looked at. */
export interface FactorAnswer {
  /** Code that was typed. */
  readonly code?: string | undefined;
  /** Credential that an authenticator signed, as WebAuthn has it. */
  readonly credential?: unknown;
  /** Version of the account's credentials that the request began with; left out in a transaction that has locked the account. */
  readonly credentialsVersion?: number | undefined;
}

/**
 * A kind of second factor. A provider of this class is registered by being there, in whichever module. Tries are counted
 * before it is asked.
 */
export abstract class SecondFactorMethod {
  /** Its name in `methods`; no two have one. */
  abstract readonly name: string;

  /** Whether it can be guessed in many tries, which are then counted over a day, too. */
  abstract readonly isGuessable: boolean;

  /** Whether people add it by themselves, also those whose sign-in waits for that. */
  readonly isAddable: boolean = false;

  /** Returns whether the account has one that can be asked for. */
  abstract isReady(manager: EntityManager, userId: string): Promise<boolean>;

  /**
   * Uses up what was brought, by one atomic statement: of many at once one is right.
   *
   * @param manager of the transaction in which a mailed token is consumed, too; left out where there is none. A kind of factor that
   *   recovery of an account takes uses it for every statement.
   * @returns what was proven, as `amr` names it; null if nothing was.
   * @throws AppError `token_invalid` if the credentials were changed since. A kind that is scarce, such as a recovery code, checks this
   *   before it uses one up.
   */
  abstract prove(userId: string, answer: FactorAnswer, manager?: EntityManager): Promise<string | null>;
}
