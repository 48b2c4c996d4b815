import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Config } from '../../platform/config/config.types.js';
import { CONFIG } from '../../platform/config/config.module.js';
import { AppError } from '../../kernel/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { PendingLogins } from './login/pending-logins.service.js';
import { createProvider } from './provider-factory.js';
import type { FederatedProvider } from './providers/provider.types.js';
import { SOCIAL_PROVIDERS, type SocialProviders } from './social-providers.token.js';

/** The providers of this application, by name. */
@Injectable()
export class ProviderRegistry implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly providers: ReadonlyMap<string, FederatedProvider>;

  constructor(
    @Inject(SOCIAL_PROVIDERS) settings: SocialProviders,
    @Inject(CONFIG) { appUrl, production }: Config,
    logins: PendingLogins,
    clock: Clock,
  ) {
    const context = { appUrl, production, clock, keep: logins.keep.bind(logins) };
    this.providers = new Map(settings.map((row) => [row.name, createProvider(row, context)]));
  }

  /** Providers are asked in the background: one that is away holds up nobody's start. */
  onApplicationBootstrap(): void {
    for (const provider of this.providers.values()) provider.warmUp?.();
  }

  onModuleDestroy(): void {
    for (const provider of this.providers.values()) provider.dispose?.();
  }

  /** Names of the providers. */
  get names(): string[] {
    return [...this.providers.keys()];
  }

  /** @throws AppError `provider_not_found`. */
  get(name: string): FederatedProvider {
    const provider = this.providers.get(name);
    if (provider === undefined) throw new AppError('provider_not_found');
    return provider;
  }
}
