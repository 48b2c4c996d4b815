import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { AppError, type AppErrorOptions } from '../../../kernel/errors/app-error.js';
import type { ErrorCode } from '../../../kernel/errors/error-catalogue.js';
import type { Credentials } from '../../users/users.service.js';
import type { ClientContext } from '../access/client-context.js';

/** The account that a person has proven, about to get a session. */
export interface NewSession {
  readonly userId: string;
  /** The sign-in method: `local`, `otp`, or a provider's name. */
  readonly provider: string;
  readonly client: ClientContext;
  /** The account's, as it was before the proof was judged; a session begins only while it is the same. */
  readonly credentialsVersion: number;
  /** Names of what was proven, as the session tells it; left out: what its method stands for. */
  readonly amr?: readonly string[] | undefined;
}

/** Account that a sign-in method answers, with what the steps of the sign-in ask of it. */
export interface ProvenAccount extends NewSession {
  /** Whether the account may sign in, as it was read with the rest. */
  readonly activated: boolean;
  /**
   * Whether the account has a second factor, as it was read with the rest; where it is left out, a statement asks. The session's
   * statement asks in any case.
   */
  readonly secondFactor?: boolean | undefined;
}

/** A proof that failed, as the audit log tells of it. */
export interface FailedProof extends Pick<NewSession, 'provider' | 'client'> {
  /** The account that was tried; null if there is none. */
  readonly userId: string | null;
}

/** Refuses a proof. The attempt is written to the audit log by `SignInService.complete`; the answer has the code alone. */
export class ProofRefused extends AppError {
  constructor(
    code: ErrorCode,
    readonly attempt: FailedProof,
    options: AppErrorOptions = {},
  ) {
    super(code, options);
  }
}

/** The body of `GET /api/auth/methods` (specification, "Login methods"): names and switches, never secrets. */
@ApiSchema({ name: 'LoginMethods' })
export class OfferedMethods {
  @ApiProperty({ type: [String] }) readonly providers: readonly string[];
  @ApiProperty() readonly local: boolean;
  @ApiProperty() readonly otp: boolean;
  readonly [method: string]: boolean | readonly string[];
}

/**
 * A way to sign in. A provider of this class is registered by being there, in whichever module; what it proves becomes a
 * session by `SignInService.complete` alone (ADR 0025).
 */
export abstract class SignInMethod {
  /** The names that sessions and lists give it; no two methods share one. */
  abstract readonly names: readonly string[];

  /** Whether a signed-in user can use it once more as a step-up. */
  readonly isStepUp: boolean = false;

  /** Returns what it adds to the body of `GET /api/auth/methods`. */
  abstract offer(): Partial<OfferedMethods>;

  /**
   * Returns the names under which it opens an account, and its owner may count on it. The account is locked.
   *
   * @param manager the transaction in which something that opened the account may just have ended.
   */
  abstract listFor(manager: EntityManager, userId: string): Promise<readonly string[]>;
}

/** Proves a person by login and password. LocalModule provides it. */
export abstract class PasswordLogin extends SignInMethod {
  /**
   * Checks the password and answers the account.
   *
   * @param login a username or an e-mail address.
   * @throws AppError `rate_limited`, `invalid_credentials`.
   */
  abstract verify(login: string, password: string, client: ClientContext): Promise<ProvenAccount>;

  /**
   * Checks the password of a signed-in person once more, against the same budget.
   *
   * @throws AppError `rate_limited` or `invalid_credentials`.
   */
  abstract confirm(
    user: Pick<Credentials, 'id' | 'passwordHash'>,
    password: string,
    client: ClientContext,
  ): Promise<void>;
}

/** Proves a person by a passkey, which says itself whose it is. SecondFactorsModule provides it. */
export abstract class PasskeySignIn extends SignInMethod {
  /**
   * Uses the answer of a passkey up and answers its account.
   *
   * @param credential what `navigator.credentials.get` answered, as `toJSON` gives it, or as JSON text.
   * @throws AppError `passkey_invalid`, whatever is wrong with it.
   */
  abstract verify(credential: unknown, client: ClientContext): Promise<ProvenAccount>;
}

/** Proves a person by the code that was mailed to their address. OtpModule provides it. */
export abstract class OtpLogin extends SignInMethod {
  /**
   * Consumes the code and answers the account.
   *
   * @throws AppError `rate_limited`, `otp_disabled` or `otp_invalid`.
   */
  abstract verify(email: string, code: string, client: ClientContext): Promise<ProvenAccount>;
}
