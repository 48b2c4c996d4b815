/** Options of the guards. */
export interface LintelGuardOptions {
  /** `APP_URL` of the Lintel server that signs the tokens, exactly as in its tokens. */
  readonly issuer: string;
  /** URL of the server from this service, if it differs: `http://lintel:8000`. Default: `issuer`. */
  readonly url?: string;
  /** API key with the permission `tokens.introspect`. Without a key, each token authenticates its own introspection request. */
  readonly key?: string;
  /** Timeout of a call to the server, in milliseconds. Default: 3,000. */
  readonly timeoutMs?: number;
}

/** Claims that the issuer's application adds to its access tokens, by name. Declare them by declaration merging. */
export interface OwnClaims {}

/** Resources that the permissions of an account allow and deny, or prefixes of them that end with `.*`. Deny has precedence. */
export interface RoutePatterns {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** An account of the issuer, at most one second old. */
export interface RemoteAccount {
  readonly kind: 'account';
  readonly userId: string;
  /** Id of the session, or of the API key. */
  readonly sessionId: string;
  readonly email: string;
  /** Names of its roles. */
  readonly roles: readonly string[];
  /** Whether the request has an API key. */
  readonly byKey: boolean;
  /** Whether routes for any signed-in user are allowed. False for API keys, and while a second factor is missing that a role requires. */
  readonly isSignedIn: boolean;
  /** Its permissions. Check them with `LintelAccess`. */
  readonly permissions: RoutePatterns;
  /** Claims that the issuer's application added to the token. */
  readonly claims?: Readonly<Partial<OwnClaims>>;
}

/** A request without authentication, on a public route. */
export interface GuestPrincipal {
  readonly kind: 'guest';
}

/** The caller: an account of the issuer, or a guest. */
export type RemotePrincipal = RemoteAccount | GuestPrincipal;
