import type { EntityManager } from 'typeorm';

/** Unchecked answer of a user who proves a factor. */
export interface FactorAnswer {
  /** Code that the user typed. */
  readonly code?: string | undefined;
  /** Credential that an authenticator signed (WebAuthn). */
  readonly credential?: unknown;
  /** Credentials version of the account at the start of the request; omitted in a transaction that has locked the account. */
  readonly credentialsVersion?: number | undefined;
}

/**
 * A kind of second factor. Providers of this class are registered automatically, in any module. Attempts are counted before it is called.
 */
export abstract class SecondFactorMethod {
  /** Unique name in `methods`. */
  abstract readonly name: string;

  /** Whether it can be guessed with many attempts. They are then also limited for the account, within 15 minutes and within a day. */
  abstract readonly isGuessable: boolean;

  /** Whether users can add it themselves, including users whose sign-in waits for it. Default: false. */
  readonly isAddable: boolean = false;

  /** Returns whether the account has a usable factor of this kind. */
  abstract isReady(manager: EntityManager, userId: string): Promise<boolean>;

  /**
   * Consumes the answer in one atomic statement, so only one of several concurrent requests succeeds.
   *
   * @param manager of the transaction that also consumes a mailed token; omitted if there is none. A kind that account recovery accepts
   * uses it for every statement.
   * @returns the proven method for `amr`; null if the answer is wrong.
   * @throws AppError `token_invalid` if the credentials have changed since. A kind with a limited supply, such as recovery codes, checks
   * this before it consumes one.
   */
  abstract prove(userId: string, answer: FactorAnswer, manager?: EntityManager): Promise<string | null>;
}
