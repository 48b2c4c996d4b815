import type { ProviderSettings } from '../../platform/config/config.types.js';
import type { Clock } from '../../kernel/clock.port.js';
import { GithubProvider } from './github/github-provider.js';
import { GENERIC, OIDC_PRESETS } from './oidc/oidc-presets.js';
import { OidcProvider } from './oidc/oidc-provider.js';
import { clientSecretOf } from './providers/client-secret.js';
import type { FederatedProvider, KeepLogin } from './providers/provider.types.js';
import { reachOf, timeoutOf } from './providers/provider-settings.js';

/** What all providers of an application share. */
export interface ProviderContext {
  /** Public base address of the service. */
  readonly appUrl: string;
  readonly production: boolean;
  readonly keep: KeepLogin;
  readonly clock: Clock;
}

/** Makes the provider of some settings: GitHub, one of the presets, or any other that speaks OpenID Connect. */
export function createProvider(settings: ProviderSettings, context: ProviderContext): FederatedProvider {
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
