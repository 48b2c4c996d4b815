import type { ClientAuthentication } from './request-tokens.js';

/** Claims as the provider sent them. Only their JSON form was checked. */
export type ProviderClaims = Readonly<Record<string, unknown>>;

/** The provider-specific settings under `AUTH.providers.{name}`, each accepted by its `ProviderSetting`. */
export type OwnProviderSettings = Readonly<Record<string, unknown>>;

/** A provider-specific setting under `AUTH.providers.{name}`. */
export interface ProviderSetting {
  /** Completes the sentence "AUTH.providers.acme.tenant must …": `be a tenant`. */
  readonly expects: string;
  readonly accepts: (value: unknown) => boolean;
  /** Whether the start fails without it. Default: false. */
  readonly required?: boolean;
}

/**
 * The identity in the claims of a provider. Values can be passed on unchecked: a name or an address that is not a single line of text, or
 * is too long, is ignored.
 */
export interface ProviderIdentity {
  /** The provider's permanent and unique id of the user: a string or a positive integer. With an issuer it is `sub`. */
  readonly subject?: unknown;
  readonly email?: unknown;
  /** Whether the provider verified that the user owns the address. Only `true` counts. */
  readonly emailVerified?: unknown;
  readonly firstName?: unknown;
  readonly lastName?: unknown;
}

/** Input for signing the secret of a request. */
export interface SecretContext {
  readonly clientId: string;
  readonly issuer: string;
  readonly settings: OwnProviderSettings;
  readonly now: Date;
}

/** A secret that is signed for each request, for providers that require it. */
export interface SignedSecret {
  /** Provider-specific settings that replace `client_secret`. */
  readonly needs: readonly string[];
  readonly sign: (context: SecretContext) => Promise<string>;
}

/** Fields that every provider definition has. */
interface ProviderBasics {
  /** Name in `AUTH.providers`, in the routes and in each identity. It must never change. */
  readonly name: string;
  /** Requested unless `scopes` of the settings overrides them. `openid` is added if there is an issuer. */
  readonly scopes: readonly string[];
  readonly settings?: Readonly<Record<string, ProviderSetting>>;
  /** Response mode of the provider. Default: the query of the callback. */
  readonly responseMode?: 'form_post';
  readonly clientSecret?: SignedSecret;
}

/** An OpenID Connect provider. Its endpoints are discovered, and its ID tokens are checked. */
export interface OpenIdProviderDefinition extends ProviderBasics {
  /** The issuer identifier, or a function that derives it from the settings. `issuer` of the settings overrides it. */
  readonly issuer: string | ((settings: OwnProviderSettings) => string | undefined);
  readonly endpoints?: never;
  /** Whether the userinfo endpoint is requested, if there is one. Default: true. */
  readonly userinfo?: boolean;
  /** Returns whether the issuer of the discovery document is the configured one. Default: the addresses are equal. */
  readonly acceptsIssuer?: (announced: string, configured: string) => boolean;
  /** Returns the issuer that an ID token must have; null refuses the token. Default: the announced issuer. */
  readonly tokenIssuer?: (announced: string, claims: ProviderClaims) => string | null;
  /**
   * Reads the identity from checked claims. Default: the standard claims. The subject is always `sub`; another returned subject is refused.
   */
  readonly identity?: (claims: ProviderClaims) => ProviderIdentity | Promise<ProviderIdentity>;
}

/** Addresses of an OAuth 2 provider. */
export interface OAuthEndpoints {
  /** Address that the browser is sent to. Its query parameters are kept. */
  readonly authorization: string;
  readonly token: string;
  /** Returns the claims of the user as a JSON object. It is requested with the access token. */
  readonly profile: string;
  /** Further addresses to request in the same way. Each response is added to the claims under its name. */
  readonly details?: Readonly<Record<string, string>>;
  /** Identifies the provider in its identities and must never change. Default: the address of `authorization` without its query. */
  readonly issuer?: string;
}

/** An OAuth 2 provider without OpenID Connect. The identity is read from its API, over TLS, with the access token. */
export interface OAuthProviderDefinition extends ProviderBasics {
  readonly endpoints: OAuthEndpoints | ((settings: OwnProviderSettings & { issuer?: string }) => OAuthEndpoints);
  readonly issuer?: never;
  /** How the server authenticates at `token` (RFC 6749 §2.3.1). Default: `client_secret_basic`. */
  readonly authentication?: ClientAuthentication;
  readonly identity: (claims: ProviderClaims) => OAuthIdentity | Promise<OAuthIdentity>;
}

/** An identity that is known only from claims, so the subject is required. */
export interface OAuthIdentity extends ProviderIdentity {
  readonly subject: unknown;
}

/** A provider, created by `defineProvider`. */
export type ProviderDefinition = OpenIdProviderDefinition | OAuthProviderDefinition;
