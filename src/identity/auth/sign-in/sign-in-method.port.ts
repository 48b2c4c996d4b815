import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { AppError, type AppErrorOptions } from '../../../kernel/errors/app-error.js';
import type { ErrorCode } from '../../../kernel/errors/error-catalogue.js';
import type { ClientContext } from '../access/client-context.js';

/** A proven account that is about to get a session. */
export interface NewSession {
  readonly userId: string;
  /** Sign-in method: `local`, `otp`, or the name of a provider. */
  readonly provider: string;
  readonly client: ClientContext;
  /** Credentials version of the account before the proof was checked. The session starts only if it is still the same. */
  readonly credentialsVersion: number;
  /** Proofs of the session. Default: the proof of the sign-in method. */
  readonly amr?: readonly string[] | undefined;
}

/** The account that a sign-in method proved, with facts for the sign-in steps. */
export interface ProvenAccount extends NewSession {
  /** Whether the account may sign in, as read with the other values. */
  readonly activated: boolean;
  /**
   * Whether the account has a second factor, as read with the other values. If omitted, a query checks it. The statement that starts the
   * session always checks it.
   */
  readonly secondFactor?: boolean | undefined;
}

/** A failed proof, for the audit log. */
export interface FailedProof extends Pick<NewSession, 'provider' | 'client'> {
  /** The attempted account; null if there is none. */
  readonly userId: string | null;
}

/** Rejects a proof. `SignInService.complete` writes the attempt to the audit log. The response contains only the code. */
export class ProofRefused extends AppError {
  constructor(
    code: ErrorCode,
    readonly attempt: FailedProof,
    options: AppErrorOptions = {},
  ) {
    super(code, options);
  }
}

/** The body of `GET /api/auth/methods`: names and switches, never secrets. */
@ApiSchema({ name: 'LoginMethods' })
export class OfferedMethods {
  @ApiProperty({ type: [String] }) readonly providers: readonly string[];
  @ApiProperty() readonly local: boolean;
  @ApiProperty() readonly otp: boolean;
  readonly [method: string]: boolean | readonly string[];
}

/**
 * A sign-in method. Providers of this class are registered automatically, in any module. Only `SignInService.complete` turns its proof into
 * a session (ADR 0025).
 */
export abstract class SignInMethod {
  /** Unique names in sessions and lists. */
  abstract readonly names: readonly string[];

  /** Whether a signed-in user can use it again as a step-up. Default: false. */
  readonly isStepUp: boolean = false;

  /** Returns its part of the body of `GET /api/auth/methods`. */
  abstract offer(): Partial<OfferedMethods>;

  /**
   * Returns the names by which the owner of a locked account can rely on signing in.
   *
   * @param manager of the transaction, which may have just revoked a credential of the account.
   */
  abstract listFor(manager: EntityManager, userId: string): Promise<readonly string[]>;
}

/**
 * Sign-in by a code that was mailed to the address. OtpModule provides it for the native-app login, because sign-in methods do not import
 * each other.
 */
export abstract class OtpLogin extends SignInMethod {
  /**
   * Consumes the code and returns the account.
   *
   * @throws AppError `rate_limited`, `otp_disabled` or `otp_invalid`.
   */
  abstract verify(email: string, code: string, client: ClientContext): Promise<ProvenAccount>;
}
