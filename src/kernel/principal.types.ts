/** Who makes a request: a signed-in account, or nobody in particular. */
export type Principal = AccountPrincipal | GuestPrincipal;

/** A signed-in account. What it may do is looked up by its roles at each request. */
export interface AccountPrincipal {
  readonly kind: 'account';
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly roleIds: readonly string[];
}

/** A request without a token. It may do what the role `guest` may. */
export interface GuestPrincipal {
  readonly kind: 'guest';
}

/** The one guest. */
export const GUEST: GuestPrincipal = Object.freeze({ kind: 'guest' });
