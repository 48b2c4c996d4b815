import type { GuestPrincipal, OwnClaims } from '../../kernel/principal.types.js';
import type { RoutePatterns } from '../../kernel/permission-rules.js';

/** Says whose tokens a service takes. */
export interface LintelGuardOptions {
  /** The `APP_URL` of the Lintel that signs the tokens: what they say that they are from. */
  readonly issuer: string;
  /** Address at which it is reached from here, if that is another one: `http://lintel:8000`. */
  readonly url?: string;
  /** An API key with the permission `tokens.introspect`. Without one, each token asks about itself. */
  readonly key?: string;
  /** Time that the issuer may take to answer; 3,000 unless said otherwise. */
  readonly timeoutMs?: number;
}

/** Describes an account of the issuer, as it was at most a second ago. */
export interface RemoteAccount {
  readonly kind: 'account';
  readonly userId: string;
  /** The session; the id of the key for who came by one. */
  readonly sessionId: string;
  readonly email: string;
  /** Names of its roles. */
  readonly roles: readonly string[];
  /** Whether it came by an API key. */
  readonly byKey: boolean;
  /** Permissions of it. Ask `LintelAccess`. */
  readonly permissions: RoutePatterns;
  /** The issuer's own claims in the token. */
  readonly claims?: Readonly<Partial<OwnClaims>>;
}

/** Describes who asks: an account of the issuer, or nobody in particular. */
export type RemotePrincipal = RemoteAccount | GuestPrincipal;
