import type { ProviderReach } from '../providers/endpoint-rules.js';

/** What a provider's own answers must look like, where providers differ. */
export interface OidcRules {
  /** Scopes beside `openid`. */
  readonly scope: string;
  /** How the provider answers: in the query unless it says otherwise. */
  readonly responseMode?: 'form_post';
  /** Whether the userinfo endpoint is asked too, where the provider has one. */
  readonly usesUserinfo: boolean;
  /** Whether the issuer that a discovery document announces is the configured one. */
  readonly isSameIssuer: (announced: string, configured: string) => boolean;
  /** The issuer that an ID token must have; null where its claims name none. */
  readonly tokenIssuer: (announced: string, claims: Readonly<Record<string, unknown>>) => string | null;
  /** Whether the claims prove that their address is the person's. */
  readonly isEmailVerified: (claims: Readonly<Record<string, unknown>>) => boolean;
}

/** One configured OpenID Connect provider. */
export interface OidcDefinition extends OidcRules {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The secret for the next request; some providers want it signed anew. */
  readonly clientSecret: () => Promise<string>;
  readonly redirectUri: string;
  /** Bound of one request to the provider. */
  readonly timeoutMs: number;
  /** Which of its addresses the service speaks to. */
  readonly reach: ProviderReach;
}
