import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { PendingLogins } from './login/pending-logins.service.js';
import { OAuth2Provider } from './oauth2/oauth2-provider.js';
import { OidcProvider } from './oidc/oidc-provider.js';
import type { ProviderClaims } from './providers/provider-definition.types.js';
import { saysTwoFactors } from './providers/provider-factors.js';
import { definitionFailed } from './providers/provider-failure.js';
import { openIdIdentity } from './providers/provider-profile.js';
import { type ConfiguredProvider, endpointsOf, issuerOf, reachOf, timeoutOf } from './providers/provider-settings.js';
import type { FederatedProvider, KeepLogin } from './providers/provider.types.js';

/** The providers of this application, by name. */
@Injectable()
export class ProviderRegistry implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly providers: ReadonlyMap<string, FederatedProvider>;

  constructor(@Inject(CONFIG) { auth, appUrl, production }: Config, logins: PendingLogins, clock: Clock) {
    const context = { appUrl, production, clock, keep: logins.keep.bind(logins) };
    this.providers = new Map(auth.providers.map((row) => [row.name, createProvider(row, context)]));
  }

  /** Providers are asked in the background: one that is away holds up nobody's start. */
  onApplicationBootstrap(): void {
    for (const provider of this.providers.values()) provider.warmUp?.();
  }

  onApplicationShutdown(): void {
    for (const provider of this.providers.values()) provider.dispose?.();
  }

  /** @throws AppError `provider_not_found`. */
  get(name: string): FederatedProvider {
    const provider = this.providers.get(name);
    if (provider === undefined) throw new AppError('provider_not_found');
    return provider;
  }
}

/** Context that all providers of an application share. */
interface ProviderContext {
  /** Public base address of the service. */
  readonly appUrl: string;
  readonly production: boolean;
  readonly keep: KeepLogin;
  readonly clock: Clock;
}

const ignoreSlash = (address: string): string => address.replace(/\/+$/, '');

/** Makes a provider of its definition and its settings, both of which have been checked. */
function createProvider(provider: ConfiguredProvider, context: ProviderContext): FederatedProvider {
  const { definition, name, clientId, scopes = definition.scopes, extra } = provider;
  const posts = (extra['response_mode'] ?? definition.responseMode) === 'form_post';
  const common = {
    name,
    clientId,
    responseMode: posts ? ('form_post' as const) : undefined,
    redirectUri: callbackAddress(context.appUrl, name),
    timeoutMs: timeoutOf(provider),
  };
  if (definition.endpoints !== undefined) {
    const { authentication = 'client_secret_basic', identity } = definition;
    const endpoints = endpointsOf(provider);
    const clientSecret = clientSecretOf(provider, endpoints.issuer, context.clock);
    return new OAuth2Provider(
      { ...common, clientSecret, endpoints, authentication, identity, scope: scopes.join(' ') },
      context.keep,
    );
  }
  const { acceptsIssuer, tokenIssuer, identity = openIdIdentity, userinfo: usesUserinfo = true } = definition;
  const issuer = issuerOf(provider) ?? '';
  const settings = {
    ...common,
    clientSecret: clientSecretOf(provider, issuer, context.clock),
    issuer,
    // The library puts `openid` first by itself.
    scope: scopes.filter((word) => word !== 'openid').join(' '),
    usesUserinfo,
    saysTwoFactors: (claims: ProviderClaims) => saysTwoFactors(claims, extra),
    identity,
    reach: reachOf(extra, context.production),
    acceptsIssuer: guarded('acceptsIssuer', acceptsIssuer ?? isSameAddress),
    tokenIssuer: guarded('tokenIssuer', tokenIssuer ?? ((announced: string) => announced)),
  };
  return new OidcProvider(settings, context.keep, context.clock);
}

/** Returns where a provider sends the browser back to; it must be registered there in just this spelling. */
function callbackAddress(appUrl: string, name: string): string {
  return `${appUrl}/api/auth/${name}/callback`;
}

/**
 * Returns whether two addresses of an issuer are one. A provider's issuer may have a slash at its end that was not configured, and the
 * other way round.
 */
function isSameAddress(announced: string, configured: string): boolean {
  return ignoreSlash(announced) === ignoreSlash(configured);
}

/** Runs code of a definition. What goes wrong in a definition is the provider's failure, and no fault of the request. */
function guarded<A extends unknown[], T>(what: string, run: (...args: A) => T): (...args: A) => T {
  return (...args) => {
    try {
      return run(...args);
    } catch (error) {
      throw definitionFailed(what, error);
    }
  };
}

/** Returns how the secret for a request is had: as configured, or signed for it where the definition says how. */
function clientSecretOf(provider: ConfiguredProvider, issuer: string, clock: Clock): () => Promise<string> {
  const { clientId, clientSecret, extra, definition } = provider;
  const { clientSecret: signed } = definition;
  if (clientSecret !== '' || signed === undefined) return () => Promise.resolve(clientSecret);
  return async () => {
    try {
      return await signed.sign({ clientId, issuer, settings: extra, now: clock.now() });
    } catch (error) {
      throw definitionFailed('clientSecret', error);
    }
  };
}
