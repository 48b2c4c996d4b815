/**
 * Data handed to pre-registration hooks (specification, "RegistrationInput"). A hook may change `email` and `username`;
 * what it leaves is checked again. Everything else is read-only, also at run time.
 */
export interface RegistrationInput {
  /** The address of the sign-up: one well-formed mailbox, normalised as the policy says. */
  email: string;
  /** The username of the sign-up, or null if there is none. */
  username: string | null;
  /** `local`, or the name of the social provider. */
  readonly provider: string;
  /** Subject identifier at the provider; empty for `local`. */
  readonly providerId: string;
  /** Profile as the provider sent it, frozen to the bottom; empty for `local`. */
  readonly profile: Readonly<Record<string, unknown>>;
  /** True for a sign-up through a social provider. */
  readonly isOAuth: boolean;
}

/**
 * A check of a sign-up just before its account is made. Throwing (or answering) an `Error` rejects the sign-up with its
 * message, as 400 `registration_rejected`; an error whose `code` is one of the service's error values keeps that. Faults of
 * the hook itself (a `TypeError`, an error of a library, no answer within 10 seconds) are answered as 500, and no account is
 * made either.
 */
export type PreUserRegisterHook = (input: RegistrationInput) => void | Error | Promise<void | Error>;
