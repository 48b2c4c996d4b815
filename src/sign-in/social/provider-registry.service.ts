import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { PendingLogins } from './login/pending-logins.service.js';
import { OAuth2Provider } from './providers/oauth2-provider.js';
import { OidcProvider } from './oidc/oidc-provider.js';
import type { ProviderClaims } from './providers/provider-definition.types.js';
import {
  type ConfiguredProvider,
  endpointsOf,
  issuerOf,
  reachOf,
  reportsTwoFactors,
  timeoutOf,
} from './providers/provider-settings.js';
import { definitionFailed } from './providers/provider-failure.js';
import { openIdIdentity } from './providers/provider-profile.js';
import type { FederatedProvider, StoreLogin } from './providers/provider.types.js';

@Injectable()
export class ProviderRegistry implements OnApplicationBootstrap {
  private readonly providers: ReadonlyMap<string, FederatedProvider>;

  constructor(@Inject(CONFIG) { auth, appUrl, production }: Config, logins: PendingLogins, clock: Clock) {
    const context = { appUrl, production, clock, storeLogin: logins.create.bind(logins) };
    this.providers = new Map(auth.providers.map((row) => [row.name, createProvider(row, context)]));
  }

  /** Discovery runs in the background, so that an unreachable provider does not delay the start. */
  onApplicationBootstrap(): void {
    for (const provider of this.providers.values()) provider.warmUp?.();
  }

  /** @throws AppError `provider_not_found`. */
  get(name: string): FederatedProvider {
    const provider = this.providers.get(name);
    if (provider === undefined) throw new AppError('provider_not_found');
    return provider;
  }
}

interface ProviderContext {
  readonly appUrl: string;
  readonly production: boolean;
  readonly storeLogin: StoreLogin;
  readonly clock: Clock;
}

const ignoreSlash = (address: string): string => address.replace(/\/+$/, '');

/** Creates a provider. Definition and settings must be validated. */
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
      context.storeLogin,
    );
  }
  const { acceptsIssuer, tokenIssuer, identity = openIdIdentity, userinfo: usesUserinfo = true } = definition;
  const issuer = issuerOf(provider) ?? '';
  const settings = {
    ...common,
    clientSecret: clientSecretOf(provider, issuer, context.clock),
    issuer,
    // The library adds `openid`.
    scope: scopes.filter((word) => word !== 'openid').join(' '),
    usesUserinfo,
    reportsTwoFactors: (claims: ProviderClaims) => reportsTwoFactors(claims, extra),
    identity,
    reach: reachOf(extra, context.production),
    acceptsIssuer: guarded('acceptsIssuer', acceptsIssuer ?? isSameAddress),
    tokenIssuer: guarded('tokenIssuer', tokenIssuer ?? ((announced: string) => announced)),
  };
  return new OidcProvider(settings, context.storeLogin, context.clock);
}

/** Returns the redirect URI. It must be registered at the provider in exactly this form. */
function callbackAddress(appUrl: string, name: string): string {
  return `${appUrl}/api/auth/${name}/callback`;
}

/** Compares two issuer URLs without a trailing slash, which providers and configurations often treat differently. */
function isSameAddress(announced: string, configured: string): boolean {
  return ignoreSlash(announced) === ignoreSlash(configured);
}

/** Runs code of a provider definition. An exception in it counts as a failure of the provider. */
function guarded<A extends unknown[], T>(what: string, run: (...args: A) => T): (...args: A) => T {
  return (...args) => {
    try {
      return run(...args);
    } catch (error) {
      throw definitionFailed(what, error);
    }
  };
}

/** Returns a function that gets the secret for a request: the configured one, or a newly signed one if the definition signs it. */
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
