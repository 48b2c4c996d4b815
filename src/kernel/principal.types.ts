/** Describes who asks: an account, nobody in particular, or the application itself, which no request ever is. */
export type Principal = AccountPrincipal | GuestPrincipal | SystemPrincipal;

/**
 * Claims that an application adds to its access tokens, by name: it declares them here by declaration merging, and answers
 * them by `@TokenClaim`.
 */
export interface OwnClaims {}

/** A part of what its owner may do, to which an API key is cut: in the form of a permission (CONTRACT §5). */
export interface KeyScope {
  readonly resource: string;
  readonly value: string;
  /** Fields of a record that it covers; left out or null: all. */
  readonly fields?: { readonly read?: readonly string[]; readonly write?: readonly string[] } | null;
  /** Version of the schemas at which it was saved; left out: before all. */
  readonly schemaVersion?: number;
}

/** The API key by which a request came. */
export interface PrincipalKey {
  readonly id: string;
  /** It may what its owner may, and no more than one of these lets it; null if it may all of that. */
  readonly scopes: readonly KeyScope[] | null;
}

/** Assurance of a session: how well it is known who is signed in. */
export interface SessionAssurance {
  /** 2 if two factors were proven for the session. */
  readonly level: number;
  /** Names of what was proven: `password`, `mailbox`, `federation`, `totp`, `recovery_code`, … */
  readonly amr: readonly string[];
  /** When the person last proved anything, in milliseconds. */
  readonly provenAtMs: number;
  /** When they last proved a second factor; null if never in this session. */
  readonly levelAtMs: number | null;
  /** Whether the account has a second factor. */
  readonly hasFactor: boolean;
  /** When the account was made. */
  readonly accountSinceMs: number;
}

/** An account: signed in, or by a key. What it may do is looked up by its roles at each request. */
export interface AccountPrincipal {
  readonly kind: 'account';
  readonly userId: string;
  /** The session of who is signed in. Who came by a key has none: it is the id of the key. */
  readonly sessionId: string;
  /** The key of who came by one. */
  readonly key?: PrincipalKey;
  readonly email: string;
  readonly roleIds: readonly string[];
  /** Assurance of who this is, for those who are signed in. */
  readonly assurance?: SessionAssurance;
  /** The `mfa_token` of who is not signed in yet, and has to add a second factor first: nothing else is open to them. */
  readonly enrolment?: string;
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
  /** At whose word it acts: of who works at the command line; missing if it acts by itself. */
  readonly for?: 'operator';
}

/** The request behind what is done: what the audit log tells beside the principal. */
export interface RequestOrigin {
  /** The client address, by `TRUST_PROXY` only. */
  readonly address: string;
  /** The id that the answer and the log name it by; none if an earlier request is told of. */
  readonly requestId?: string;
  /** The API key by which it came. */
  readonly keyId?: string;
}

/** The one guest. */
export const GUEST: GuestPrincipal = Object.freeze({ kind: 'guest' });

/** The one application. */
export const SYSTEM: SystemPrincipal = Object.freeze({ kind: 'system' });
/** The application, at the word of who works at its command line. */
export const AT_COMMAND_LINE: SystemPrincipal = Object.freeze({ kind: 'system', for: 'operator' });
