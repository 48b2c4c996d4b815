import { grantedCode } from '../providers/authorization-answer.js';
import { codeChallenge } from '../providers/code-challenge.js';
import { fetchJson, fetchObject } from '../providers/fetch-json.js';
import type {
  AuthorizationAnswer,
  FederatedProvider,
  KeepLogin,
  OpenedLogin,
  ProviderProfile,
  ResumedLogin,
} from '../providers/provider.types.js';
import { requestTokens } from '../providers/request-tokens.js';
import { providerFailed } from '../providers/provider-failure.js';
import { CLAIM_LENGTH, textClaim } from '../providers/text-claims.js';

/** GitHub as configured: the public one, or a GitHub Enterprise Server by its address. */
export interface GithubDefinition {
  readonly name: string;
  /** `https://github.com`, or the address of an Enterprise Server; it is the issuer of its identities too. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly redirectUri: string;
  readonly timeoutMs: number;
}

/** GitHub speaks OAuth 2 without OpenID Connect: who it is comes from its API, over TLS, by the access token. */
export class GithubProvider implements FederatedProvider {
  readonly name: string;

  constructor(
    private readonly definition: GithubDefinition,
    private readonly keep: KeepLogin,
  ) {
    this.name = definition.name;
  }

  async begin(login: OpenedLogin): Promise<string> {
    const { issuer, clientId, scope, redirectUri } = this.definition;
    const address = new URL(`${issuer}/login/oauth/authorize`);
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state: await this.keep(login, ''),
      code_challenge: codeChallenge(login.codeVerifier),
      code_challenge_method: 'S256',
    }).toString();
    return address.href;
  }

  async finish(answer: AuthorizationAnswer, { codeVerifier }: ResumedLogin): Promise<ProviderProfile> {
    const { issuer, clientId, clientSecret, redirectUri, timeoutMs } = this.definition;
    const { accessToken } = await requestTokens({
      endpoint: `${issuer}/login/oauth/access_token`,
      authentication: 'client_secret_post',
      clientId,
      clientSecret,
      redirectUri,
      code: grantedCode(answer),
      codeVerifier,
      timeoutMs,
    });
    const api = apiOf(issuer);
    const headers = {
      authorization: `Bearer ${accessToken}`,
      accept: 'application/vnd.github+json',
      'user-agent': 'lintel',
    };
    const user = await fetchObject({ url: `${api}/user`, headers, timeoutMs });
    const emails = await fetchJson({ url: `${api}/user/emails`, headers, timeoutMs });
    return githubProfile(issuer, user, emails);
  }
}

/** An Enterprise Server has its API below its own address. */
function apiOf(issuer: string): string {
  return issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`;
}

/**
 * The person that `/user` and `/user/emails` speak of. The address is the one of the list that is primary and verified; the
 * one on the public profile proves nothing.
 *
 * @throws AppError `provider_failed`.
 */
function githubProfile(issuer: string, user: Readonly<Record<string, unknown>>, emails: unknown): ProviderProfile {
  const { id } = user;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) throw providerFailed('GitHub: no usable id');
  if (!Array.isArray(emails)) throw providerFailed('GitHub: no list of addresses');
  const primary = emails.find(isPrimaryAndVerified);
  const email = primary === undefined ? null : textClaim(primary, 'email', CLAIM_LENGTH.email);
  return {
    issuer,
    subject: String(id),
    email,
    emailVerified: email !== null,
    firstName: null,
    lastName: null,
    claims: user,
  };
}

function isPrimaryAndVerified(entry: unknown): entry is Record<string, unknown> {
  if (typeof entry !== 'object' || entry === null) return false;
  const { primary, verified } = entry as Record<string, unknown>;
  return primary === true && verified === true;
}
