import type { EntityManager } from 'typeorm';

/**
 * Names the purpose of a secret, with the type of its data. A secret of one purpose is worthless for another. Its owner
 * declares it once, by {@link definePurpose}, and its module provides it, by `secretPurposes`.
 */
export interface SecretPurpose<Data extends object = object> {
  readonly name: string;
  /** True if it stays when whatever is under way for the account ends: a link that takes a change back. */
  readonly lasting: boolean;
  /** Never there: carries the type alone. */
  readonly data?: Data;
}

/**
 * Declares a purpose.
 *
 * @param name of at most 40 characters and unique, else the start stops; `acme:invitation` for one of an application of one's own; it stands in the
 *   table, so it is never changed.
 */
export function definePurpose<Data extends object>(
  name: string,
  { lasting = false }: { readonly lasting?: boolean } = {},
): SecretPurpose<Data> {
  return { name, lasting };
}

/** A secret to be issued. */
export interface SecretRequest<Data extends object = object> {
  readonly purpose: SecretPurpose<Data>;
  readonly userId: string;
  readonly lifetimeSeconds: number;
  /** Data of the secret, as JSON; they come back when it is consumed. */
  readonly data: Data;
  /** The secret itself, where it was made before and cannot be guessed; otherwise one is made. */
  readonly secret?: string;
  /** End the older ones of this purpose and account first. True unless said otherwise. */
  readonly replace?: boolean;
}

/** A short code to be issued: few enough digits to be typed, so tries are counted. */
export interface CodeRequest<Data extends object = object> extends SecretRequest<Data> {
  readonly length: number;
  readonly attempts: number;
}

/** A secret that was issued. It goes to its owner and is kept nowhere. */
export interface IssuedSecret {
  readonly id: string;
  readonly secret: string;
  readonly expiresAt: Date;
}

/** Holds the grant of a valid secret. */
export interface SecretGrant<Data extends object = object> {
  readonly id: string;
  readonly userId: string;
  readonly data: Readonly<Data>;
}

/** Names the refusal of a secret. An expired one is told apart only for opaque tokens, which nobody can guess. */
export type SecretRefusal = 'invalid' | 'expired';

/**
 * One-time secrets: purpose, keyed hash, attempts, expiry, one atomic consume. Every method takes the caller's manager, so
 * that a secret is consumed in the transaction of what it opens.
 */
export abstract class OneTimeSecrets {
  /**
   * Issues an opaque token of 256 random bits.
   *
   * @throws AppError `invalid_credentials` if the account was deleted meanwhile.
   */
  abstract issueToken<Data extends object>(manager: EntityManager, request: SecretRequest<Data>): Promise<IssuedSecret>;

  /** Issues a short code of uniformly random digits. */
  abstract issueCode<Data extends object>(manager: EntityManager, request: CodeRequest<Data>): Promise<IssuedSecret>;

  /** Returns whether a token is good, without consuming it. */
  abstract checkToken<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    token: string,
  ): Promise<SecretGrant<Data> | SecretRefusal>;

  /** Consumes a token by one statement: of many at once one wins. */
  abstract consumeToken<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    token: string,
  ): Promise<SecretGrant<Data> | SecretRefusal>;

  /**
   * Tries a code against the one that the account has. The try is counted by one statement before the comparison, and a
   * code that matches is consumed, unless `keep` says that it is only checked. A code without tries left is gone. Call it
   * outside of a transaction that may be rolled back: a rolled-back try would not count.
   *
   * @param attempt `own` for an attempt that the caller has counted and limited: it succeeds also if others have used up the attempts of
   *   the code, and uses up none of them.
   */
  abstract tryCode<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    userId: string,
    code: string,
    keep?: boolean,
    attempt?: 'counted' | 'own',
  ): Promise<SecretGrant<Data> | 'invalid'>;

  /** Ends what is outstanding for an account: all purposes, or those named. */
  abstract revoke(manager: EntityManager, userId: string, purposes?: readonly SecretPurpose[]): Promise<void>;

  /** Ends the secrets of a purpose that the same account was issued after this one. */
  abstract revokeNewer(manager: EntityManager, purpose: SecretPurpose, grant: SecretGrant): Promise<void>;
}

declare module '../../kernel/ports.js' {
  interface KnownPorts {
    readonly oneTimeSecrets: OneTimeSecrets;
  }
}
