import { Logger } from '@nestjs/common';
import { createRemoteJWKSet, customFetch } from 'jose';
import type { Clock } from '../../../kernel/clock.port.js';
import { isAllowedEndpoint, type ProviderReach } from '../providers/endpoint-rules.js';
import { fetchJson, fetchObject } from '../providers/fetch-json.js';
import type { OpenIdProviderDefinition, ProviderClaims } from '../providers/provider-definition.types.js';
import { providerFailed, providerUnavailable, reasonOf } from '../providers/provider-failure.js';
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

/** Discovered metadata of a provider and its keys. The keys are fetched when they are first needed. */
export interface DiscoveredProvider {
  readonly metadata: OidcMetadata;
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
}

const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** Lifetime of a discovery document. An older one is used until a new one is loaded. */
const LIFETIME_MS = 3_600_000;
const FIRST_PAUSE_MS = 1_000;
/** @internal */
const MAX_PAUSE_MS = 30_000;

/**
 * Discovers a provider (OpenID Connect Discovery 1.0 §4). All logins share the result, and it is refreshed after an hour. A failure is
 * followed by a pause that doubles each time. Meanwhile the last known document is used.
 */
export class OidcDiscovery {
  private readonly logger = new Logger('Social');
  private cached: { readonly provider: DiscoveredProvider; readonly readAtMs: number } | null = null;
  private loading: Promise<DiscoveredProvider> | null = null;
  private pauseMs = 0;
  private retryAtMs = 0;

  constructor(
    private readonly settings: OidcSettings,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `provider_unavailable`, `provider_failed`; during a pause immediately `provider_unavailable`. */
  async get(): Promise<DiscoveredProvider> {
    const now = this.clock.nowMs();
    const { cached } = this;
    if (cached !== null && now - cached.readAtMs < LIFETIME_MS) return cached.provider;
    const pausing = now < this.retryAtMs && this.loading === null;
    if (cached !== null) {
      if (!pausing) this.load().catch(() => undefined);
      return cached.provider;
    }
    if (pausing) throw providerUnavailable('discovery failed recently');
    return this.load();
  }

  private load(): Promise<DiscoveredProvider> {
    this.loading ??= this.read().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  private async read(): Promise<DiscoveredProvider> {
    const { name, issuer, timeoutMs } = this.settings;
    try {
      const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
      const metadata = readMetadata(await fetchObject({ url, timeoutMs }), this.settings);
      const provider = { metadata, keys: this.keysOf(metadata) };
      this.cached = { provider, readAtMs: this.clock.nowMs() };
      this.pauseMs = 0;
      return provider;
    } catch (error) {
      this.pauseMs = Math.min(MAX_PAUSE_MS, this.pauseMs === 0 ? FIRST_PAUSE_MS : this.pauseMs * 2);
      this.retryAtMs = this.clock.nowMs() + this.pauseMs;
      this.logger.warn({ provider: name, reason: reasonOf(error), msg: 'A provider could not be discovered.' });
      throw error;
    }
  }

  /** Returns the keys of a provider. Cached keys are reused while their URL does not change. */
  private keysOf({ jwksUri }: OidcMetadata): DiscoveredProvider['keys'] {
    if (this.cached?.provider.metadata.jwksUri === jwksUri) return this.cached.provider.keys;
    const { timeoutMs } = this.settings;
    return createRemoteJWKSet(new URL(jwksUri), {
      timeoutDuration: timeoutMs + 1_000,
      // Limited like every other response of a provider. jose refetches the keys for an unknown key id, at most twice a minute.
      [customFetch]: async (url) => Response.json(await fetchJson({ url, timeoutMs })),
    });
  }
}

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
