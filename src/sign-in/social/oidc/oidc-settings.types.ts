import type { ProviderReach } from '../providers/endpoint-rules.js';
import type { OpenIdProviderDefinition, ProviderClaims } from '../providers/provider-definition.types.js';

/** One provider that speaks OpenID Connect, as it was defined and set up. */
export interface OidcSettings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Returns the secret for the next request; some providers want it signed anew. */
  readonly clientSecret: () => Promise<string>;
  /** Scopes beside `openid`. */
  readonly scope: string;
  /** Mode in which the provider answers: in the query unless it says otherwise. */
  readonly responseMode: 'form_post' | undefined;
  readonly redirectUri: string;
  /** Bound of one request to the provider. */
  readonly timeoutMs: number;
  /** Reach of the service among its addresses. */
  readonly reach: ProviderReach;
  /** Whether the userinfo endpoint is asked too, where the provider has one. */
  readonly usesUserinfo: boolean;
  /** Returns whether the issuer that a discovery document announces is the configured one. */
  readonly acceptsIssuer: (announced: string, configured: string) => boolean;
  /** Returns the issuer that an ID token must have; null if its claims name none. */
  readonly tokenIssuer: (announced: string, claims: ProviderClaims) => string | null;
  /** Returns whether the claims of an ID token say that two factors were asked for, in words that are believed. */
  readonly saysTwoFactors?: (claims: ProviderClaims) => boolean;
  readonly identity: NonNullable<OpenIdProviderDefinition['identity']>;
}
