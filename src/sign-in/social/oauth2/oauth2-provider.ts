import { grantedCode } from '../providers/authorization-answer.js';
import { codeChallenge } from '../providers/code-challenge.js';
import { fetchJson, fetchObject } from '../providers/fetch-json.js';
import type { OAuthEndpoints, OAuthProviderDefinition } from '../providers/provider-definition.types.js';
import { profileOf } from '../providers/provider-profile.js';
import type {
  AuthorizationAnswer,
  FederatedProvider,
  KeepLogin,
  OpenedLogin,
  ProviderProfile,
  ResumedLogin,
} from '../providers/provider.types.js';
import { type ClientAuthentication, requestTokens } from '../providers/request-tokens.js';

export interface OAuth2Settings {
  readonly name: string;
  /** `issuer` identifies the provider in its identities. */
  readonly endpoints: OAuthEndpoints & { readonly issuer: string };
  readonly clientId: string;
  /** Returns the secret for the next request. Some providers require a newly signed one. */
  readonly clientSecret: () => Promise<string>;
  readonly authentication: ClientAuthentication;
  readonly scope: string;
  /** Undefined: the provider's default, the query. */
  readonly responseMode: 'form_post' | undefined;
  readonly redirectUri: string;
  /** Time limit of one request to the provider. */
  readonly timeoutMs: number;
  readonly identity: OAuthProviderDefinition['identity'];
}

/** A provider with OAuth 2 but without OpenID Connect. The identity is read from its API, over TLS, with the access token. */
export class OAuth2Provider implements FederatedProvider {
  readonly name: string;

  constructor(
    private readonly settings: OAuth2Settings,
    private readonly keep: KeepLogin,
  ) {
    this.name = settings.name;
  }

  async begin(login: OpenedLogin): Promise<string> {
    const { endpoints, clientId, scope, responseMode, redirectUri } = this.settings;
    const address = new URL(endpoints.authorization);
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      ...(scope === '' ? {} : { scope }),
      ...(responseMode === undefined ? {} : { response_mode: responseMode }),
      state: await this.keep(login, ''),
      code_challenge: codeChallenge(login.codeVerifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address.href;
  }

  async finish(answer: AuthorizationAnswer, { codeVerifier }: ResumedLogin): Promise<ProviderProfile> {
    const { endpoints, authentication, clientId, redirectUri, timeoutMs, identity } = this.settings;
    const code = grantedCode(answer);
    const { accessToken } = await requestTokens({
      endpoint: endpoints.token,
      authentication,
      clientId,
      clientSecret: await this.settings.clientSecret(),
      redirectUri,
      code,
      codeVerifier,
      timeoutMs,
    });
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
