import { Logger } from '@nestjs/common';
import { createRemoteJWKSet, customFetch } from 'jose';
import type { Clock } from '../../../kernel/clock.port.js';
import { fetchJson, fetchObject } from '../providers/fetch-json.js';
import { providerUnavailable, reasonOf } from '../providers/provider-failure.js';
import type { OidcSettings } from './oidc-settings.types.js';
import { type OidcMetadata, readMetadata } from './oidc-metadata.js';

/** A provider as it was discovered: its metadata, and its keys, which are fetched when they are first needed. */
export interface DiscoveredProvider {
  readonly metadata: OidcMetadata;
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
}

/** Time for which a document is taken to hold; an older one is used while it is read again. */
const LIFETIME_MS = 3_600_000;
const FIRST_PAUSE_MS = 1_000;
/** @internal */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Discovers a provider (OpenID Connect Discovery 1.0 §4): once for all logins, again after an hour, and after a failure not
 * before a pause that doubles. What was known keeps serving while the provider is away.
 */
export class OidcDiscovery {
  private readonly logger = new Logger('Social');
  private known: { readonly provider: DiscoveredProvider; readonly readAtMs: number } | null = null;
  private loading: Promise<DiscoveredProvider> | null = null;
  private pauseMs = 0;
  private retryAtMs = 0;

  constructor(
    private readonly settings: OidcSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the provider.
   *
   * @throws AppError `provider_unavailable`, `provider_failed`; `provider_unavailable` at once during a pause.
   */
  async get(): Promise<DiscoveredProvider> {
    const now = this.clock.nowMs();
    const { known } = this;
    if (known !== null && now - known.readAtMs < LIFETIME_MS) return known.provider;
    const pausing = now < this.retryAtMs && this.loading === null;
    if (known !== null) {
      if (!pausing) this.load().catch(() => undefined);
      return known.provider;
    }
    if (pausing) throw providerUnavailable('discovery failed a moment ago');
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
      this.known = { provider, readAtMs: this.clock.nowMs() };
      this.pauseMs = 0;
      return provider;
    } catch (error) {
      this.pauseMs = Math.min(LONGEST_PAUSE_MS, this.pauseMs === 0 ? FIRST_PAUSE_MS : this.pauseMs * 2);
      this.retryAtMs = this.clock.nowMs() + this.pauseMs;
      this.logger.warn({ provider: name, reason: reasonOf(error), msg: 'A provider could not be discovered.' });
      throw error;
    }
  }

  /** Returns the keys of a provider. The keys that are known are kept as long as they stay at the same address. */
  private keysOf({ jwksUri }: OidcMetadata): DiscoveredProvider['keys'] {
    if (this.known?.provider.metadata.jwksUri === jwksUri) return this.known.provider.keys;
    const { timeoutMs } = this.settings;
    return createRemoteJWKSet(new URL(jwksUri), {
      timeoutDuration: timeoutMs + 1_000,
      // Bounded like every other answer of a provider; jose asks again for a key that it does not know, at most twice a minute.
      [customFetch]: async (url) => Response.json(await fetchJson({ url, timeoutMs })),
    });
  }
}
