import type { ProviderReach } from '../providers/endpoint-rules.js';
import type { OpenIdProviderDefinition, ProviderClaims } from '../providers/provider-definition.types.js';

export interface OidcSettings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Returns the secret for the next request. Some providers require a newly signed one. */
  readonly clientSecret: () => Promise<string>;
  readonly scope: string;
  /** Undefined: the provider's default, the query. */
  readonly responseMode: 'form_post' | undefined;
  readonly redirectUri: string;
  /** Time limit of one request to the provider. */
  readonly timeoutMs: number;
  readonly reach: ProviderReach;
  /** Whether the userinfo endpoint is requested, if the provider has one. */
  readonly usesUserinfo: boolean;
  readonly acceptsIssuer: (announced: string, configured: string) => boolean;
  /** Returns the issuer that an ID token must have; null if its claims contain none. */
  readonly tokenIssuer: (announced: string, claims: ProviderClaims) => string | null;
  /** Returns whether the claims of an ID token confirm two factors by a value that the settings accept. */
  readonly saysTwoFactors?: (claims: ProviderClaims) => boolean;
  readonly identity: NonNullable<OpenIdProviderDefinition['identity']>;
}
