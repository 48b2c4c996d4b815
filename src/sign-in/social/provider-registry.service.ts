import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Config } from '../../platform/config/config.types.js';
import type { ProviderSettings } from '../../identity/auth/auth-config.types.js';
import { CONFIG } from '../../platform/config/config.module.js';
import { AppError } from '../../kernel/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { PendingLogins } from './login/pending-logins.service.js';
import type { FederatedProvider, KeepLogin } from './providers/provider.types.js';
import { SOCIAL_PROVIDERS, type SocialProviders } from './social-providers.token.js';
import { GithubProvider } from './github/github-provider.js';
import { GENERIC, OIDC_PRESETS } from './oidc/oidc-presets.js';
import { OidcProvider } from './oidc/oidc-provider.js';
import { reachOf, timeoutOf, readSigningKey } from './providers/provider-settings.js';
import { SignJWT } from 'jose';

const LIFETIME_SECONDS = 300;

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

/** What all providers of an application share. */
interface ProviderContext {
  /** Public base address of the service. */
  readonly appUrl: string;
  readonly production: boolean;
  readonly keep: KeepLogin;
  readonly clock: Clock;
}

/** Makes the provider of some settings: GitHub, one of the presets, or any other that speaks OpenID Connect. */
function createProvider(settings: ProviderSettings, context: ProviderContext): FederatedProvider {
  return settings.name === 'github' ? createGithub(settings, context) : createOidc(settings, context);
}

function createOidc(settings: ProviderSettings, { appUrl, production, keep, clock }: ProviderContext): OidcProvider {
  const { name, clientId, scopes, extra } = settings;
  const preset = OIDC_PRESETS.get(name) ?? GENERIC;
  const issuer = settings.issuer ?? preset.issuer?.(extra) ?? '';
  // The library puts `openid` first by itself.
  const scope = scopes?.filter((word) => word !== 'openid').join(' ') ?? preset.scope;
  const posts = extra['response_mode'] === 'form_post' || preset.responseMode === 'form_post';
  const definition = {
    ...preset,
    name,
    issuer,
    clientId,
    clientSecret: clientSecretOf(settings, issuer, clock),
    scope,
    responseMode: posts ? ('form_post' as const) : undefined,
    redirectUri: callbackAddress(appUrl, name),
    timeoutMs: timeoutOf(settings),
    reach: reachOf(extra, production),
  };
  return new OidcProvider(definition, keep, clock);
}

function createGithub(settings: ProviderSettings, { appUrl, keep }: ProviderContext): GithubProvider {
  const { name, clientId, clientSecret, scopes, issuer = 'https://github.com' } = settings;
  const scope = scopes?.join(' ') ?? 'read:user user:email';
  const redirectUri = callbackAddress(appUrl, name);
  return new GithubProvider(
    { name, issuer, clientId, clientSecret, scope, redirectUri, timeoutMs: timeoutOf(settings) },
    keep,
  );
}

/** Where a provider sends the browser back to; it must be registered there in just this spelling. */
function callbackAddress(appUrl: string, name: string): string {
  return `${appUrl}/api/auth/${name}/callback`;
}

/**
 * How the secret for a request is had: as configured, or, where there is a signing key instead, as a short-lived JWT signed
 * by ES256 (Apple, "Creating a client secret").
 */
function clientSecretOf(settings: ProviderSettings, issuer: string, clock: Clock): () => Promise<string> {
  const { clientId, clientSecret, extra } = settings;
  const key = clientSecret === '' ? readSigningKey(extra['private_key']) : null;
  if (key === null) return () => Promise.resolve(clientSecret);
  return () => {
    const now = Math.floor(clock.nowMs() / 1_000);
    return new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: String(extra['key_id']) })
      .setIssuer(String(extra['team_id']))
      .setSubject(clientId)
      .setAudience(issuer)
      .setIssuedAt(now)
      .setExpirationTime(now + LIFETIME_SECONDS)
      .sign(key);
  };
}
