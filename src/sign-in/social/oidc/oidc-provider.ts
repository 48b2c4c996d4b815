import passport from 'passport';
import type { Clock } from '../../../kernel/clock.port.js';
import { newId } from '../../../kernel/random.js';
import { grantedCode } from '../providers/authorization-answer.js';
import { providerFailed } from '../providers/provider-failure.js';
import type {
  AuthorizationAnswer,
  FederatedProvider,
  KeepLogin,
  OpenedLogin,
  ProviderProfile,
  ResumedLogin,
} from '../providers/provider.types.js';
import { requestTokens } from '../providers/request-tokens.js';
import { checkIdToken } from './id-token.js';
import type { OidcDefinition } from './oidc-definition.js';
import { type DiscoveredProvider, OidcDiscovery } from './oidc-discovery.js';
import { profileOf } from './oidc-profile.js';
import { OidcStrategy } from './oidc.strategy.js';
import { runStrategy } from './run-strategy.js';
import { fetchUserinfo } from './userinfo.js';

/** Any provider that speaks OpenID Connect. */
export class OidcProvider implements FederatedProvider {
  readonly name: string;
  private readonly discovery: OidcDiscovery;
  private readonly strategyName: string;

  constructor(
    private readonly definition: OidcDefinition,
    private readonly keep: KeepLogin,
    private readonly clock: Clock,
  ) {
    this.name = definition.name;
    this.discovery = new OidcDiscovery(definition, clock);
    // Passport's names are those of the whole process; two applications in one must not meet.
    this.strategyName = `${definition.name}-${newId()}`;
    new OidcStrategy(definition, this.strategyName);
  }

  warmUp(): void {
    this.discovery.get().catch(() => undefined);
  }

  dispose(): void {
    passport.unuse(this.strategyName);
  }

  async begin(login: OpenedLogin): Promise<string> {
    const { metadata } = await this.discovery.get();
    const keep = (nonce: string): Promise<string> => this.keep(login, nonce);
    return runStrategy<string>(this.strategyName, { phase: { kind: 'request', metadata, login, keep } });
  }

  async finish(answer: AuthorizationAnswer, login: ResumedLogin): Promise<ProviderProfile> {
    const provider = await this.discovery.get();
    const { metadata } = provider;
    // An answer that another issuer sent is not even asked what it says (RFC 9207 §2.4).
    const named = answer.issuer ?? (metadata.namesIssuer ? null : metadata.issuer);
    if (named !== metadata.issuer) throw providerFailed('the answer is from another issuer');
    const { idToken, issuer, profile } = await this.exchange(provider, grantedCode(answer), login);
    const { nonce } = login;
    return runStrategy<ProviderProfile>(this.strategyName, {
      phase: { kind: 'callback', metadata, nonce, idToken, issuer, profile },
    });
  }

  private async exchange(
    provider: DiscoveredProvider,
    code: string,
    { codeVerifier, nonce }: ResumedLogin,
  ): Promise<{ idToken: string; issuer: string; profile: ProviderProfile }> {
    const { definition } = this;
    const { clientId, redirectUri, timeoutMs } = definition;
    const { tokenEndpoint, authentication, userinfoEndpoint } = provider.metadata;
    const clientSecret = await definition.clientSecret();
    const { accessToken, idToken } = await requestTokens({
      endpoint: tokenEndpoint,
      authentication,
      clientId,
      clientSecret,
      redirectUri,
      code,
      codeVerifier,
      timeoutMs,
    });
    const claims = await checkIdToken(idToken, { definition, provider, nonce, now: this.clock.now() });
    const userinfo =
      userinfoEndpoint === null
        ? {}
        : await fetchUserinfo({ endpoint: userinfoEndpoint, accessToken, subject: claims.sub, timeoutMs });
    return { idToken: idToken as string, issuer: claims.iss, profile: profileOf(claims, userinfo, definition) };
  }
}
