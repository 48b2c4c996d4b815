import type { EntityManager } from 'typeorm';

/** What a secret is for. A secret of one purpose is worthless for another. */
export type SecretPurpose =
  | 'activation'
  | 'activation-session'
  | 'recovery'
  | 'recovery-session'
  | 'email-change'
  | 'email-cancel'
  | 'otp'
  | 'exchange'
  | 'identity-link';

/** A secret to be issued. */
export interface SecretRequest {
  readonly purpose: SecretPurpose;
  readonly userId: string;
  readonly lifetimeSeconds: number;
  /** What belongs to it; comes back when it is consumed. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The secret itself, where it was made before and cannot be guessed; otherwise one is made. */
  readonly secret?: string;
  /** End the older ones of this purpose and account first. True unless said otherwise. */
  readonly replace?: boolean;
}

/** A short code to be issued: few enough digits to be typed, so tries are counted. */
export interface CodeRequest extends SecretRequest {
  readonly length: number;
  readonly attempts: number;
}

/** A secret that was issued. It goes to its owner and is kept nowhere. */
export interface IssuedSecret {
  readonly id: string;
  readonly secret: string;
  readonly expiresAt: Date;
}

/** What a secret that was good leads to. */
export interface SecretGrant {
  readonly id: string;
  readonly userId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Why a secret was refused. An expired one is told apart only for opaque tokens, which nobody can guess. */
export type SecretRefusal = 'invalid' | 'expired';

/**
 * One-time secrets: purpose, keyed hash, attempts, expiry, one atomic consume. Every method takes the caller's manager, so
 * that a secret is consumed in the transaction of what it opens.
 */
export abstract class OneTimeSecrets {
  /**
   * Issues an opaque token of 256 random bits.
   *
   * @throws AppError `invalid_credentials` where the account was deleted meanwhile.
   */
  abstract issueToken(manager: EntityManager, request: SecretRequest): Promise<IssuedSecret>;

  /** Issues a short code of uniformly random digits. */
  abstract issueCode(manager: EntityManager, request: CodeRequest): Promise<IssuedSecret>;

  /** Whether a token is good, without consuming it. */
  abstract checkToken(
    manager: EntityManager,
    purpose: SecretPurpose,
    token: string,
  ): Promise<SecretGrant | SecretRefusal>;

  /** Consumes a token by one statement: of many at once one wins. */
  abstract consumeToken(
    manager: EntityManager,
    purpose: SecretPurpose,
    token: string,
  ): Promise<SecretGrant | SecretRefusal>;

  /**
   * Tries a code against the one that the account has. The try is counted by one statement before the comparison, and a
   * code that matches is consumed, unless `keep` says that it is only checked. A code without tries left is gone. Call it
   * outside of a transaction that may be rolled back: a rolled-back try would not count.
   */
  abstract tryCode(
    manager: EntityManager,
    purpose: SecretPurpose,
    userId: string,
    code: string,
    keep?: boolean,
  ): Promise<SecretGrant | 'invalid'>;

  /** Ends what is outstanding for an account: all purposes, or those named. */
  abstract revoke(manager: EntityManager, userId: string, purposes?: readonly SecretPurpose[]): Promise<void>;

  /** Ends the secrets of a purpose that the same account was issued after this one. */
  abstract revokeNewer(manager: EntityManager, purpose: SecretPurpose, grant: SecretGrant): Promise<void>;
}
