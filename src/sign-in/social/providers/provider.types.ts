import type { Language } from '../../../kernel/text/language.js';

/** Profile of a person at a provider once everything was checked. */
export interface ProviderProfile {
  /** Issuer identifier; with `subject` it is who the person is (OpenID Connect Core §2). */
  readonly issuer: string;
  readonly subject: string;
  /** The address that the provider names, as it was sent; null if it names none. */
  readonly email: string | null;
  /** Whether the provider proved that the address is the person's. */
  readonly emailVerified: boolean;
  readonly firstName: string | null;
  readonly lastName: string | null;
  /** Whether the ID token says, in words that the settings take, that two factors were asked for; left out: no. */
  readonly hasSecondFactor?: boolean;
  /** All claims as the provider sent them: for pre-registration hooks only, kept nowhere. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Intent of a login. */
export interface LoginIntent {
  /** The carrier of the native app that waits for it; null if the sign-in is for our own pages. */
  readonly carrier: string | null;
  /** PKCE challenge (S256) of the page that began a sign-in, to which the code is bound; null if it gave none. */
  readonly codeChallenge: string | null;
  /** The session that links the provider to its account; null if somebody signs in. */
  readonly linkSessionId: string | null;
  /** Whether that session only proves its user once more: the provider is linked already. */
  readonly isStepUp: boolean;
  /** The language that the page's address asked for, which the way back speaks, too; null if it asked for none. */
  readonly language: Language | null;
}

/** A login that is about to go to a provider. */
export interface OpenedLogin {
  readonly id: string;
  readonly provider: string;
  /** The value of the browser's state cookie. */
  readonly binding: string;
  /** PKCE verifier (RFC 7636 §4.1). */
  readonly codeVerifier: string;
  readonly intent: LoginIntent;
}

/** A login that came back from its provider in the browser that began it. It cannot come back again. */
export interface ResumedLogin {
  readonly codeVerifier: string;
  readonly nonce: string;
  readonly intent: LoginIntent;
}

/** Answer of a provider by the browser (RFC 6749 §4.1.2; RFC 9207 §2). The texts are not trusted. */
export interface AuthorizationAnswer {
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly issuer: string | undefined;
}

/** One way to sign in by somebody else's word. */
export interface FederatedProvider {
  readonly name: string;

  /**
   * Remembers the login and answers the address at the provider that the browser is to go to.
   *
   * @throws AppError `provider_unavailable`, `provider_failed`.
   */
  begin(login: OpenedLogin): Promise<string>;

  /**
   * Turns what came back into a person, or refuses it.
   *
   * @throws AppError `provider_denied`, `provider_unavailable`, `provider_failed`.
   */
  finish(answer: AuthorizationAnswer, login: ResumedLogin): Promise<ProviderProfile>;

  /** Reads what the provider says of itself, so that the first login need not wait for it. Failures are not told. */
  warmUp?(): void;

  /** Lets go of what is shared by the whole process. */
  dispose?(): void;
}

/**
 * Keeps a login until it comes back, and answers its `state`.
 *
 * @param nonce what the ID token must repeat; empty if there will be none.
 */
export type KeepLogin = (login: OpenedLogin, nonce: string) => Promise<string>;
