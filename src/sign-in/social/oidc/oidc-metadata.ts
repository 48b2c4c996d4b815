import { isAllowedEndpoint, type ProviderReach } from '../providers/endpoint-rules.js';
import { providerFailed } from '../providers/provider-failure.js';
import type { OpenIdProviderDefinition, ProviderClaims } from '../providers/provider-definition.types.js';
import type { ClientAuthentication, ClientSettings } from '../providers/request-tokens.js';

/** An OpenID Connect provider as it is configured. */
export interface OidcSettings extends ClientSettings {
  readonly issuer: string;
  readonly reach: ProviderReach;
  /** Whether the userinfo endpoint is requested, if the provider has one. */
  readonly usesUserinfo: boolean;
  readonly acceptsIssuer: (announced: string, configured: string) => boolean;
  /** Returns the issuer that an ID token must have; null if its claims contain none. */
  readonly tokenIssuer: (announced: string, claims: ProviderClaims) => string | null;
  /** Returns whether the claims of an ID token confirm two factors by a value that the settings accept. */
  readonly reportsTwoFactors?: (claims: ProviderClaims) => boolean;
  readonly identity: NonNullable<OpenIdProviderDefinition['identity']>;
}

/** The used part of a provider's metadata (OpenID Connect Discovery 1.0 §3). */
export interface OidcMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
  readonly userinfoEndpoint: string | null;
  readonly authentication: ClientAuthentication;
  /** Accepted signature algorithms of ID tokens: only asymmetric ones, never `none`. */
  readonly algorithms: readonly string[];
  /** Whether its responses always contain the issuer (RFC 9207 §3). */
  readonly namesIssuer: boolean;
}

const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

type Document = Readonly<Record<string, unknown>>;

/** @throws AppError `provider_failed` if it belongs to another issuer, or an endpoint is missing or not allowed. */
export function readMetadata(document: Document, settings: OidcSettings): OidcMetadata {
  const { reach, usesUserinfo } = settings;
  const { issuer } = document;
  if (typeof issuer !== 'string' || settings.acceptsIssuer(issuer, settings.issuer) !== true) {
    throw providerFailed('discovery: wrong issuer');
  }
  const endpoint = (name: string): string => {
    const value = document[name];
    if (!isAllowedEndpoint(value, reach)) throw providerFailed(`discovery: ${name} is missing or not allowed`);
    return value;
  };
  const hasUserinfo = usesUserinfo && document['userinfo_endpoint'] !== undefined;
  return {
    issuer,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    jwksUri: endpoint('jwks_uri'),
    userinfoEndpoint: hasUserinfo ? endpoint('userinfo_endpoint') : null,
    authentication: readAuthentication(document['token_endpoint_auth_methods_supported']),
    algorithms: readAlgorithms(document['id_token_signing_alg_values_supported']),
    namesIssuer: document['authorization_response_iss_parameter_supported'] === true,
  };
}

/** Reads the methods of the token endpoint. Basic is the default without a list (OpenID Connect Discovery 1.0 §3). */
function readAuthentication(methods: unknown): ClientAuthentication {
  const posts = Array.isArray(methods) && !methods.includes('client_secret_basic');
  return posts && methods.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic';
}

function readAlgorithms(announced: unknown): string[] {
  const algorithms = ALGORITHMS.filter((name) => !Array.isArray(announced) || announced.includes(name));
  if (algorithms.length === 0) throw providerFailed('discovery: no supported algorithm for ID tokens');
  return algorithms;
}
