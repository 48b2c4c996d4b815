import type { EntityManager } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';

/**
 * The purpose of a secret, with the type of its data. A secret is valid only for its own purpose. Declare each purpose once by
 * {@link definePurpose}, and provide it in your module by `secretPurposes`.
 */
export interface SecretPurpose<Data extends object = object> {
  readonly name: string;
  /** True if the secret survives the revocation of pending operations of its account, such as a link that cancels an e-mail change. */
  readonly lasting: boolean;
  /** Never set: only carries the type. */
  readonly data?: Data;
}

/**
 * Declares a purpose.
 *
 * @param name at most 40 characters and unique, else the start stops. In an application use a prefix: `acme:invitation`. The name is stored
 * in the table, so never change it.
 */
export function definePurpose<Data extends object>(
  name: string,
  { lasting = false }: { readonly lasting?: boolean } = {},
): SecretPurpose<Data> {
  return { name, lasting };
}

/** Parameters of a new secret. */
export interface SecretRequest<Data extends object = object> {
  readonly purpose: SecretPurpose<Data>;
  readonly userId: string;
  readonly lifetimeSeconds: number;
  /** Data of the secret, as JSON; returned when it is consumed. */
  readonly data: Data;
  /** An existing secret that cannot be guessed. Default: a new random token. */
  readonly secret?: string;
  /** Revoke older secrets of this purpose and account first. Default: true. */
  readonly replace?: boolean;
}

/** A short code with few enough digits to type, so attempts are limited. */
export interface CodeRequest<Data extends object = object> extends SecretRequest<Data> {
  readonly length: number;
  readonly attempts: number;
}

/** An issued secret. Send it to its owner; the server does not store it. */
export interface IssuedSecret {
  readonly id: string;
  readonly secret: string;
  readonly expiresAt: Date;
}

/** The content of a valid secret. */
export interface SecretGrant<Data extends object = object> {
  readonly id: string;
  readonly userId: string;
  readonly data: Readonly<Data>;
}

/** `expired` is returned only for opaque tokens, which cannot be guessed. */
export type SecretRefusal = 'invalid' | 'expired';

/** @throws AppError `token_invalid` or `token_expired` (400) for a refused token of a mail or a link. */
export function grantOrThrow<Data extends object>(grant: SecretGrant<Data> | SecretRefusal): SecretGrant<Data> {
  if (typeof grant !== 'string') return grant;
  throw AppError.mailedToken(grant === 'expired' ? 'token_expired' : 'token_invalid');
}

/**
 * One-time secrets with purpose, keyed hash, attempts and expiry, consumed atomically. Every method takes the caller's manager, so that a
 * secret is consumed in the same transaction as the operation it authorizes.
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

  /** Checks a token without consuming it. */
  abstract checkToken<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    token: string,
  ): Promise<SecretGrant<Data> | SecretRefusal>;

  /** Consumes a token in one statement, so only one of several concurrent requests succeeds. */
  abstract consumeToken<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    token: string,
  ): Promise<SecretGrant<Data> | SecretRefusal>;

  /**
   * Tries a code against the current code of the account. One statement counts the attempt and compares. A matching code is consumed,
   * unless `keep` is true. A code without remaining attempts is not accepted.
   *
   * Call it outside a transaction that may be rolled back, because a rolled-back attempt is not counted.
   *
   * @param attempt `own` for an attempt that the caller has already counted and limited. It succeeds even if other requests have used up
   * the attempts of the code, and does not use up any itself.
   */
  abstract tryCode<Data extends object>(
    manager: EntityManager,
    purpose: SecretPurpose<Data>,
    userId: string,
    code: string,
    keep?: boolean,
    attempt?: 'counted' | 'own',
  ): Promise<SecretGrant<Data> | 'invalid'>;

  /** Revokes pending secrets of an account, of all purposes or of the given ones. */
  abstract revoke(manager: EntityManager, userId: string, purposes?: readonly SecretPurpose[]): Promise<void>;

  /** Revokes secrets of a purpose that were issued to the same account after this one. */
  abstract revokeNewer(manager: EntityManager, purpose: SecretPurpose, grant: SecretGrant): Promise<void>;
}

declare module '../../platform/extension/ports.js' {
  interface KnownPorts {
    readonly oneTimeSecrets: OneTimeSecrets;
  }
}
