/** The caller: an account, a guest, or the application itself, which never comes from a request. */
export type Principal = AccountPrincipal | GuestPrincipal | SystemPrincipal;

/**
 * Claims that an application adds to its access tokens, by name. Declare them here by declaration merging, and set their values by
 * `@TokenClaim`.
 */
export interface OwnClaims {}

/** A scope of an API key: a part of the owner's permissions, in the form of a permission. */
export interface KeyScope {
  readonly resource: string;
  readonly value: string;
  /** Fields of a record that it covers. Default: all. */
  readonly fields?: { readonly read?: readonly string[]; readonly write?: readonly string[] } | null;
  /** Version of the schemas when the scope was saved. If it is missing, the scope is older than all versions. */
  readonly schemaVersion?: number;
}

/** The API key of a request. */
export interface PrincipalKey {
  readonly id: string;
  /** Scopes that limit the owner's permissions; null for all of them. */
  readonly scopes: readonly KeyScope[] | null;
}

/** Assurance of a session: how strongly the user was authenticated. */
export interface SessionAssurance {
  /** 2 if two factors were verified in the session, else 1. */
  readonly level: number;
  /** Names of the authentication methods: `password`, `mailbox`, `federation`, `totp`, `recovery_code`, … */
  readonly amr: readonly string[];
  /** When the user last authenticated, in milliseconds since 1970. */
  readonly provenAtMs: number;
  /** When the user last verified a second factor; null if never in this session. */
  readonly levelAtMs: number | null;
  /** Whether the account has a second factor. */
  readonly hasFactor: boolean;
  /** When the account was created, in milliseconds since 1970. */
  readonly accountSinceMs: number;
}

/** A signed-in account, or one with an API key. Its permissions are read by its roles at each request. */
export interface AccountPrincipal {
  readonly kind: 'account';
  readonly userId: string;
  /** The session; the id of the key for a request with an API key. */
  readonly sessionId: string;
  /** The API key of the request, if it has one. */
  readonly key?: PrincipalKey;
  readonly email: string;
  readonly roleIds: readonly string[];
  /** Assurance of the session; missing for API keys. */
  readonly assurance?: SessionAssurance;
  /** The `mfa_token` of a user who must add a second factor before the sign-in is complete. Nothing else is allowed. */
  readonly enrolment?: string;
  /** The application's claims in the token, as of its creation; missing without a token. The service itself does not use them. */
  readonly claims?: Readonly<Partial<OwnClaims>>;
}

/** A request without a token. It has the permissions of the role `guest`. */
export interface GuestPrincipal {
  readonly kind: 'guest';
}

/** The application itself, in its own code. It has all permissions. */
export interface SystemPrincipal {
  readonly kind: 'system';
  /** `operator` for commands; missing if the application acts on its own. */
  readonly for?: 'operator';
}

/** The request that caused an action, for the audit log. */
export interface RequestOrigin {
  /** The client address, determined by `TRUST_PROXY`. */
  readonly address: string;
  /** The request id of the response and the log; missing if the audited request is an earlier one. */
  readonly requestId?: string;
  /** The API key of the request. */
  readonly keyId?: string;
}

/** The shared guest principal. */
export const GUEST: GuestPrincipal = Object.freeze({ kind: 'guest' });

/** The shared principal of the application. */
export const SYSTEM: SystemPrincipal = Object.freeze({ kind: 'system' });
/** The principal of commands. */
export const AT_COMMAND_LINE: SystemPrincipal = Object.freeze({ kind: 'system', for: 'operator' });
