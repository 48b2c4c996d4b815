import type { Language } from '../../../kernel/text/language.js';

export interface ProviderProfile {
  /** Issuer identifier. Issuer and `subject` identify the user (OpenID Connect Core §2). */
  readonly issuer: string;
  readonly subject: string;
  /** The address as the provider sent it; null if it sent none. */
  readonly email: string | null;
  /** Whether the provider verified that the user owns the address. */
  readonly emailVerified: boolean;
  readonly firstName: string | null;
  readonly lastName: string | null;
  /** Whether the ID token confirms two factors by a value that the settings accept. Default: false. */
  readonly hasSecondFactor?: boolean;
  /** All claims as the provider sent them. They are for pre-registration hooks only and are not stored. */
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface LoginIntent {
  /** The carrier of a native-app login; null for a browser sign-in. */
  readonly carrier: string | null;
  /** PKCE challenge (S256) of the page that started the sign-in. The code is bound to it. Null if there is none. */
  readonly codeChallenge: string | null;
  /** The session that links the provider to its account; null for a sign-in. */
  readonly linkSessionId: string | null;
  /** Whether the login only renews the proof of that session. The provider is already linked. */
  readonly isStepUp: boolean;
  /** The language of the page's URL, also used for the return page; null if there is none. */
  readonly language: Language | null;
}

/** A login that is about to be sent to a provider. */
export interface OpenedLogin {
  readonly id: string;
  readonly provider: string;
  /** The value of the browser's state cookie. */
  readonly binding: string;
  /** PKCE verifier (RFC 7636 §4.1). */
  readonly codeVerifier: string;
  readonly intent: LoginIntent;
}

/** A login that returned in the browser that started it. It cannot be resumed again. */
export interface ResumedLogin {
  readonly codeVerifier: string;
  readonly nonce: string;
  readonly intent: LoginIntent;
}

/** Response of a provider through the browser (RFC 6749 §4.1.2; RFC 9207 §2). Its values are not trusted. */
export interface AuthorizationResponse {
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly issuer: string | undefined;
}

export interface FederatedProvider {
  readonly name: string;

  /**
   * Stores the login and returns the URL at the provider to redirect the browser to.
   *
   * @throws AppError `provider_unavailable`, `provider_failed`.
   */
  start(login: OpenedLogin): Promise<string>;

  /** @throws AppError `provider_denied`, `provider_unavailable`, `provider_failed`. */
  finish(response: AuthorizationResponse, login: ResumedLogin): Promise<ProviderProfile>;

  /** Runs discovery, so that the first login does not wait for it. Failures are ignored. */
  warmUp?(): void;
}

/**
 * Stores a login until the browser returns, and returns its `state`.
 *
 * @param nonce that the ID token must contain; empty if there will be none.
 */
export type StoreLogin = (login: OpenedLogin, nonce: string) => Promise<string>;
