/** Describes who asks: a signed-in account, nobody in particular, or the application itself, which no request ever is. */
export type Principal = AccountPrincipal | GuestPrincipal | SystemPrincipal;

/**
 * Claims that an application adds to its access tokens, by name: it declares them here by declaration merging, and answers
 * them by `@TokenClaim`.
 */
export interface OwnClaims {}

/** A signed-in account. What it may do is looked up by its roles at each request. */
export interface AccountPrincipal {
  readonly kind: 'account';
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly roleIds: readonly string[];
  /**
   * The application's own claims in the token of the request, as they were when it was made; missing for who came without a
   * token. Nothing of the service is decided by them.
   */
  readonly claims?: Readonly<Partial<OwnClaims>>;
}

/** A request without a token. It may do what the role `guest` may. */
export interface GuestPrincipal {
  readonly kind: 'guest';
}

/** The application itself, in code of its own: it may do everything. */
export interface SystemPrincipal {
  readonly kind: 'system';
}

/** The one guest. */
export const GUEST: GuestPrincipal = Object.freeze({ kind: 'guest' });

/** The one application. */
export const SYSTEM: SystemPrincipal = Object.freeze({ kind: 'system' });
