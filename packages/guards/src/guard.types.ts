/** Options of the guards. */
export interface LintelGuardOptions {
  /** `APP_URL` of the Lintel server that signs the tokens, as its tokens name it. */
  readonly issuer: string;
  /** Address of the server from here, if it differs: `http://lintel:8000`. Default: `issuer`. */
  readonly url?: string;
  /** API key with the permission `tokens.introspect`. Without one, each token asks about itself. */
  readonly key?: string;
  /** Time limit of a call to the server, in milliseconds. Default: 3,000. */
  readonly timeoutMs?: number;
}

/** Claims that the issuer's application adds to its access tokens, by name. Declare them by declaration merging. */
export interface OwnClaims {}

/** Resources that the permissions of an account open and deny, or prefixes of them that end with `.*`. A denial wins. */
export interface RoutePatterns {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** An account of the issuer, as it was at most one second ago. */
export interface RemoteAccount {
  readonly kind: 'account';
  readonly userId: string;
  /** Id of the session, or of the API key. */
  readonly sessionId: string;
  readonly email: string;
  /** Names of its roles. */
  readonly roles: readonly string[];
  /** Whether the request carried an API key. */
  readonly byKey: boolean;
  /** Whether routes for any signed-in user are open: not for API keys, nor while a second factor is missing that a role demands. */
  readonly isSignedIn: boolean;
  /** Its permissions. Ask `LintelAccess`. */
  readonly permissions: RoutePatterns;
  /** Claims that the issuer's application added to the token. */
  readonly claims?: Readonly<Partial<OwnClaims>>;
}

/** A request without authentication: one of a public route. */
export interface GuestPrincipal {
  readonly kind: 'guest';
}

/** The caller: an account of the issuer, or a guest. */
export type RemotePrincipal = RemoteAccount | GuestPrincipal;
