import type { AppError } from '../../../kernel/errors/app-error.js';
import type { ProvenAccount } from './sign-in-method.port.js';

/** Target of a sign-in that does not end in a session: whoever brings the factor must bring this too. */
export interface SignInBinding {
  /** The carrier of a native-app login. */
  readonly carrier?: string;
  /** PKCE challenge (S256) of the page that began. */
  readonly codeChallenge?: string | null;
}

/** The step of a sign-in that asks for more than the first proof. Whatever it answers, nothing exists yet that is a session. */
export abstract class SecondFactor {
  /**
   * Returns the answer by which the person is asked for a factor that is due, or null if none is. The facts that decide
   * come with the account: an account without factors costs no statement.
   */
  abstract due(account: ProvenAccount, binding?: SignInBinding): AppError | null | Promise<AppError | null>;
}

declare module '../../../kernel/ports.js' {
  interface KnownPorts {
    readonly secondFactor: SecondFactor;
  }
}
