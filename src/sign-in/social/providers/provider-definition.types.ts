import type { ClientAuthentication } from './request-tokens.js';

/** Claims as a provider sent them. Beside their form nothing has been looked at. */
export type ProviderClaims = Readonly<Record<string, unknown>>;

/** The settings of a provider's own that stand under `AUTH.providers.{name}`, each accepted by its row. */
export type OwnProviderSettings = Readonly<Record<string, unknown>>;

/** A setting of a provider's own under `AUTH.providers.{name}`. */
export interface ProviderSetting {
  /** Completes the sentence "AUTH.providers.acme.tenant must …": `be a tenant`. */
  readonly expects: string;
  readonly accepts: (value: unknown) => boolean;
  /** Whether the provider cannot be offered without it. */
  readonly required?: boolean;
}

/**
 * The person that claims speak of. Each value may be handed over as it came: a name or an address that is no line of text, or
 * too long, counts as none.
 */
export interface ProviderIdentity {
  /** Name that the provider has for the person for ever, and for nobody else: a text, or a whole number. With an issuer it is `sub`. */
  readonly subject?: unknown;
  readonly email?: unknown;
  /** Whether the provider proved that the address is the person's: `true` alone says so. */
  readonly emailVerified?: unknown;
  readonly firstName?: unknown;
  readonly lastName?: unknown;
}

/** Context in which the secret of a request is made. */
export interface SecretContext {
  readonly clientId: string;
  readonly issuer: string;
  readonly settings: OwnProviderSettings;
  readonly now: Date;
}

/** A secret that is signed for each request, for providers that want it so. */
export interface SignedSecret {
  /** Settings of the provider's own that take the place of `client_secret`. */
  readonly needs: readonly string[];
  readonly sign: (context: SecretContext) => Promise<string>;
}

/** Members of every provider. */
interface ProviderBasics {
  /** Stands in `AUTH.providers`, in the routes and with each identity: it is never changed. */
  readonly name: string;
  /** Asked for unless `scopes` of the settings says otherwise; `openid` is added where there is an issuer. */
  readonly scopes: readonly string[];
  readonly settings?: Readonly<Record<string, ProviderSetting>>;
  /** Mode in which the provider answers: in the query of the callback unless it says otherwise. */
  readonly responseMode?: 'form_post';
  readonly clientSecret?: SignedSecret;
}

/** A provider that speaks OpenID Connect: what it can do is discovered, and its ID tokens are checked. */
export interface OpenIdProviderDefinition extends ProviderBasics {
  /** The issuer identifier, or what makes it of the settings. `issuer` of the settings wins. */
  readonly issuer: string | ((settings: OwnProviderSettings) => string | undefined);
  readonly endpoints?: never;
  /** Whether the userinfo endpoint is asked, too, where there is one. It is unless this is false. */
  readonly userinfo?: boolean;
  /** Returns whether the issuer of the discovery document is the configured one: the same address, unless this says otherwise. */
  readonly acceptsIssuer?: (announced: string, configured: string) => boolean;
  /** Returns the issuer that an ID token must have: the announced one, unless this says otherwise. Null refuses. */
  readonly tokenIssuer?: (announced: string, claims: ProviderClaims) => string | null;
  /** Reads checked claims: the standard ones, unless this says otherwise. The subject is `sub`, whatever it answers. */
  readonly identity?: (claims: ProviderClaims) => ProviderIdentity | Promise<ProviderIdentity>;
}

/** Addresses of a provider that speaks OAuth 2 alone. */
export interface OAuthEndpoints {
  /** Address that the browser is sent to. Parameters that it has stay. */
  readonly authorization: string;
  readonly token: string;
  /** Answers with an object that says who it is, by the access token: the claims. */
  readonly profile: string;
  /** More that is asked likewise; each answer stands among the claims by its name. */
  readonly details?: Readonly<Record<string, string>>;
  /** Names the provider in its identities, and is never changed: the address of `authorization` unless given. */
  readonly issuer?: string;
}

/** A provider that speaks OAuth 2 alone: who it is comes from its own API, over TLS, by the access token. */
export interface OAuthProviderDefinition extends ProviderBasics {
  readonly endpoints: OAuthEndpoints | ((settings: OwnProviderSettings & { issuer?: string }) => OAuthEndpoints);
  readonly issuer?: never;
  /** Authentication of the service at `token`: by Basic unless it says otherwise (RFC 6749 §2.3.1). */
  readonly authentication?: ClientAuthentication;
  readonly identity: (claims: ProviderClaims) => OAuthIdentity | Promise<OAuthIdentity>;
}

/** A person that nothing but claims tells. */
export interface OAuthIdentity extends ProviderIdentity {
  readonly subject: unknown;
}

/** A provider: made by `defineProvider`. */
export type ProviderDefinition = OpenIdProviderDefinition | OAuthProviderDefinition;
