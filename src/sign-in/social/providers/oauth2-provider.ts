import { codeChallenge } from '../../../kernel/keys/pkce.js';
import { fetchJson, fetchObject } from './fetch-json.js';
import type { OAuthEndpoints, OAuthProviderDefinition } from './provider-definition.types.js';
import { profileOf } from './provider-profile.js';
import type {
  AuthorizationResponse,
  FederatedProvider,
  StoreLogin,
  OpenedLogin,
  ProviderProfile,
  ResumedLogin,
} from './provider.types.js';
import { type ClientAuthentication, type ClientSettings, grantedCode, requestTokens } from './request-tokens.js';

export interface OAuth2Settings extends ClientSettings {
  /** `issuer` identifies the provider in its identities. */
  readonly endpoints: OAuthEndpoints & { readonly issuer: string };
  readonly authentication: ClientAuthentication;
  readonly identity: OAuthProviderDefinition['identity'];
}

/** A provider with OAuth 2 but without OpenID Connect. The identity is read from its API, over TLS, with the access token. */
export class OAuth2Provider implements FederatedProvider {
  readonly name: string;

  constructor(
    private readonly settings: OAuth2Settings,
    private readonly storeLogin: StoreLogin,
  ) {
    this.name = settings.name;
  }

  async start(login: OpenedLogin): Promise<string> {
    const { endpoints, clientId, scope, responseMode, redirectUri } = this.settings;
    const address = new URL(endpoints.authorization);
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      ...(scope === '' ? {} : { scope }),
      ...(responseMode === undefined ? {} : { response_mode: responseMode }),
      state: await this.storeLogin(login, ''),
      code_challenge: codeChallenge(login.codeVerifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address.href;
  }

  async finish(response: AuthorizationResponse, { codeVerifier }: ResumedLogin): Promise<ProviderProfile> {
    const { endpoints, authentication, timeoutMs, identity } = this.settings;
    const code = grantedCode(response);
    const request = { endpoint: endpoints.token, authentication, code, codeVerifier };
    const { accessToken } = await requestTokens(this.settings, request);
    const claims = await this.fetchClaims(accessToken);
    return profileOf({ issuer: endpoints.issuer, subject: null, claims, identity, timeoutMs });
  }

  private async fetchClaims(accessToken: string): Promise<Record<string, unknown>> {
    const { endpoints, timeoutMs } = this.settings;
    const { profile, details = {} } = endpoints;
    // Some APIs require a user agent.
    const headers = { authorization: `Bearer ${accessToken}`, 'user-agent': 'lintel' };
    const claims = await fetchObject({ url: profile, headers, timeoutMs });
    for (const [name, url] of Object.entries(details)) claims[name] = await fetchJson({ url, headers, timeoutMs });
    return claims;
  }
}
