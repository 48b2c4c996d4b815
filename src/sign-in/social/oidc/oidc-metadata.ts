import { isAllowedEndpoint } from '../providers/endpoint-rules.js';
import { providerFailed } from '../providers/provider-failure.js';
import type { ClientAuthentication } from '../providers/request-tokens.js';
import type { OidcSettings } from './oidc-settings.types.js';

/** Metadata of a provider (OpenID Connect Discovery 1.0 §3), as far as they are used. */
export interface OidcMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
  readonly userinfoEndpoint: string | null;
  readonly authentication: ClientAuthentication;
  /** Algorithms that its ID tokens may be signed with: only asymmetric ones, never `none`. */
  readonly algorithms: readonly string[];
  /** Whether its answers always name the issuer (RFC 9207 §3). */
  readonly namesIssuer: boolean;
}

/** Algorithms that are good for an ID token (RFC 7518 §3.1; RFC 8037; RFC 9864). */
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

/**
 * Reads a discovery document.
 *
 * @throws AppError `provider_failed` if it is another issuer's or an endpoint is missing or not allowed.
 */
export function readMetadata(document: Document, settings: OidcSettings): OidcMetadata {
  const { reach, usesUserinfo } = settings;
  const { issuer } = document;
  if (typeof issuer !== 'string' || settings.acceptsIssuer(issuer, settings.issuer) !== true) {
    throw providerFailed('discovery: another issuer');
  }
  const endpoint = (name: string): string => {
    const value = document[name];
    if (!isAllowedEndpoint(value, reach)) throw providerFailed(`discovery: ${name} is missing or not allowed`);
    return value;
  };
  const asked = usesUserinfo && document['userinfo_endpoint'] !== undefined;
  return {
    issuer,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    jwksUri: endpoint('jwks_uri'),
    userinfoEndpoint: asked ? endpoint('userinfo_endpoint') : null,
    authentication: readAuthentication(document['token_endpoint_auth_methods_supported']),
    algorithms: readAlgorithms(document['id_token_signing_alg_values_supported']),
    namesIssuer: document['authorization_response_iss_parameter_supported'] === true,
  };
}

/** Reads the methods of the token endpoint; Basic is what holds without a list (OpenID Connect Discovery 1.0 §3). */
function readAuthentication(methods: unknown): ClientAuthentication {
  const posts = Array.isArray(methods) && !methods.includes('client_secret_basic');
  return posts && methods.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic';
}

function readAlgorithms(announced: unknown): string[] {
  const algorithms = ALGORITHMS.filter((name) => !Array.isArray(announced) || announced.includes(name));
  if (algorithms.length === 0) throw providerFailed('discovery: no algorithm that is good for an ID token');
  return algorithms;
}
