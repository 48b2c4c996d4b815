/**
 * Input of pre-registration hooks. A hook may change `email` and `username`; both are validated again
 * afterwards. All other properties are read-only, also at run time.
 */
export interface RegistrationInput {
  /** The address: one well-formed mailbox, normalized according to the policy. */
  email: string;
  /** The username; null if there is none. */
  username: string | null;
  /** `local`, or the name of the social provider. */
  readonly provider: string;
  /** Subject identifier at the provider; empty for `local`. */
  readonly providerId: string;
  /** Profile as the provider sent it, deeply frozen; empty for `local`. */
  readonly profile: Readonly<Record<string, unknown>>;
  /** True for a sign-up through a social provider. */
  readonly isOAuth: boolean;
}

/**
 * Checks a sign-up just before its account is created. A thrown or returned `Error` rejects the sign-up with its message, as 400
 * `registration_rejected`. An error whose `code` is an error code of the service keeps that code.
 *
 * Errors of the hook itself (a `TypeError`, an error of a library, no result within 10 seconds) produce a 500. The account is not created
 * then either.
 */
export type PreUserRegisterHook = (input: RegistrationInput) => void | Error | Promise<void | Error>;
