import { Logger } from '@nestjs/common';
import { createRemoteJWKSet, customFetch } from 'jose';
import type { Clock } from '../../../kernel/clock.port.js';
import { fetchJson, fetchObject } from '../providers/fetch-json.js';
import { providerUnavailable, reasonOf } from '../providers/provider-failure.js';
import type { OidcSettings } from './oidc-metadata.js';
import { type OidcMetadata, readMetadata } from './oidc-metadata.js';

/** Discovered metadata of a provider and its keys. The keys are fetched when they are first needed. */
export interface DiscoveredProvider {
  readonly metadata: OidcMetadata;
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
}

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
