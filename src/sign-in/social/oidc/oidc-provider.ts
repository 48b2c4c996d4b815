import type { Clock } from '../../../kernel/clock.port.js';
import { providerFailed } from '../providers/provider-failure.js';
import type {
  AuthorizationResponse,
  FederatedProvider,
  StoreLogin,
  OpenedLogin,
  ProviderProfile,
  ResumedLogin,
} from '../providers/provider.types.js';
import { grantedCode, requestTokens } from '../providers/request-tokens.js';
import { checkIdToken } from './id-token.js';
import { type DiscoveredProvider, OidcDiscovery, type OidcSettings } from './oidc-discovery.js';
import { profileOf, togetherClaims } from '../providers/provider-profile.js';
import { OidcStrategy, runStrategy } from './oidc.strategy.js';
import { fetchObject, type ProviderRequest } from '../providers/fetch-json.js';

/** Maximum age of a sign-in at the provider that counts as a step-up. It includes some minutes for the redirect. @internal */
const MAX_SIGN_IN_AGE_MS = 600_000;

export class OidcProvider implements FederatedProvider {
  readonly name: string;
  private readonly discovery: OidcDiscovery;
  private readonly strategy: OidcStrategy;

  constructor(
    private readonly settings: OidcSettings,
    private readonly storeLogin: StoreLogin,
    private readonly clock: Clock,
  ) {
    this.name = settings.name;
    this.discovery = new OidcDiscovery(settings, clock);
    this.strategy = new OidcStrategy(settings);
  }

  warmUp(): void {
    this.discovery.get().catch(() => undefined);
  }

  async start(login: OpenedLogin): Promise<string> {
    const { metadata } = await this.discovery.get();
    const storeLogin = (nonce: string): Promise<string> => this.storeLogin(login, nonce);
    return runStrategy<string>(this.strategy, { kind: 'request', metadata, login, storeLogin });
  }

  async finish(response: AuthorizationResponse, login: ResumedLogin): Promise<ProviderProfile> {
    const provider = await this.discovery.get();
    const { metadata } = provider;
    // Reject a response of another issuer before anything else is read from it (RFC 9207 §2.4).
    const named = response.issuer ?? (metadata.namesIssuer ? null : metadata.issuer);
    if (named !== metadata.issuer) throw providerFailed('the response is from another issuer');
    const { idToken, issuer, profile } = await this.exchange(provider, grantedCode(response), login);
    const { nonce } = login;
    return runStrategy<ProviderProfile>(this.strategy, { kind: 'callback', metadata, nonce, idToken, issuer, profile });
  }

  private async exchange(
    provider: DiscoveredProvider,
    code: string,
    { codeVerifier, nonce, intent }: ResumedLogin,
  ): Promise<{ idToken: string; issuer: string; profile: ProviderProfile }> {
    const { settings } = this;
    const { timeoutMs, identity } = settings;
    const { tokenEndpoint: endpoint, authentication, userinfoEndpoint } = provider.metadata;
    const { accessToken, idToken } = await requestTokens(settings, { endpoint, authentication, code, codeVerifier });
    const checked = await checkIdToken(idToken, { settings, provider, nonce, now: this.clock.now() });
    if (intent.isStepUp) assertSignedInNow(checked['auth_time'], this.clock.now());
    const { iss: issuer, sub: subject } = checked;
    const headers = { authorization: `Bearer ${accessToken}` };
    const userinfo =
      userinfoEndpoint === null ? {} : await fetchUserinfo({ url: userinfoEndpoint, headers, timeoutMs }, subject);
    const claims = togetherClaims(checked, userinfo);
    const person = await profileOf({ issuer, subject, claims, identity, timeoutMs });
    // Only the signed token is trusted about second factors.
    const profile = settings.reportsTwoFactors?.(checked) === true ? { ...person, hasSecondFactor: true } : person;
    return { idToken: idToken as string, issuer, profile };
  }
}

/**
 * Asserts that the user has just signed in at the provider. Some providers, such as Google, omit `auth_time`; they are trusted.
 *
 * @throws AppError `provider_failed`
 */
function assertSignedInNow(authTime: unknown, now: Date): void {
  if (authTime === undefined) return;
  const isRecent = typeof authTime === 'number' && authTime * 1_000 > now.getTime() - MAX_SIGN_IN_AGE_MS;
  if (!isRecent) throw providerFailed('ID token: the sign-in at the provider is not recent');
}

/**
 * Fetches further claims. A response with another subject is refused (OpenID Connect Core §5.3.2).
 *
 * @throws AppError `provider_unavailable`, `provider_failed`.
 */
async function fetchUserinfo(request: ProviderRequest, subject: string): Promise<Record<string, unknown>> {
  const claims = await fetchObject(request);
  if (claims['sub'] !== subject) throw providerFailed('userinfo: another subject');
  return claims;
}
