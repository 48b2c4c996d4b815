import type { AppError } from '../../../kernel/errors/app-error.js';
import type { ProvenAccount } from './sign-in-method.port.js';

/** Binding of a sign-in that does not end in a session directly. The request that proves the factor must match it. */
export interface SignInBinding {
  /** Carrier of a native-app login. */
  readonly carrier?: string;
  /** PKCE challenge (S256) of the page that started the sign-in. */
  readonly codeChallenge?: string | null;
}

/** The decision of a {@link SecondFactor}. */
export type DueFactor = AppError | ProvenAccount | null;

/** The sign-in step that may require more than the first proof. It runs before the session exists. */
export abstract class SecondFactor {
  /**
   * Returns the error that asks for a required factor, or null if none is required. If the request contains a further proof, such as the
   * cookie of a remembered browser, it returns the account with this proof in `amr`. The account contains the facts for this decision, so
   * an account without factors needs no query.
   */
  abstract due(account: ProvenAccount, binding?: SignInBinding): DueFactor | Promise<DueFactor>;
}

declare module '../../../platform/extension/ports.js' {
  interface KnownPorts {
    readonly secondFactor: SecondFactor;
  }
}
