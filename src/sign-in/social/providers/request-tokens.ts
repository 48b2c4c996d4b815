import { fetchObject } from './fetch-json.js';
import { providerFailed } from './provider-failure.js';

/** How the server authenticates at a token endpoint (RFC 6749 §2.3.1). */
export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post';

export interface TokenRequest {
  readonly endpoint: string;
  readonly authentication: ClientAuthentication;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly code: string;
  readonly codeVerifier: string;
  readonly timeoutMs: number;
}

/** Response of a token endpoint. Only the access token is checked. */
export interface TokenAnswer {
  readonly accessToken: string;
  readonly idToken: unknown;
}

/** A token in an `Authorization` header (RFC 6750 §2.1, extended by characters that providers use). */
const ACCESS_TOKEN = /^[\x21-\x7e]{1,16384}$/;

/**
 * Exchanges an authorization code and its PKCE verifier for tokens (RFC 6749 §4.1.3; RFC 7636 §4.5).
 *
 * @throws AppError `provider_unavailable`, `provider_failed`.
 */
export async function requestTokens(request: TokenRequest): Promise<TokenAnswer> {
  const { endpoint, authentication, clientId, clientSecret, redirectUri, code, codeVerifier, timeoutMs } = request;
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    client_id: clientId,
  });
  const headers: Record<string, string> = {};
  if (authentication === 'client_secret_basic') headers['authorization'] = basic(clientId, clientSecret);
  else form.set('client_secret', clientSecret);
  const answer = await fetchObject({ url: endpoint, form, headers, timeoutMs });
  const accessToken = answer['access_token'];
  if (typeof accessToken !== 'string' || !ACCESS_TOKEN.test(accessToken)) {
    throw providerFailed('there is no access token in the answer');
  }
  return { accessToken, idToken: answer['id_token'] };
}

/** Returns the HTTP Basic header. Both parts are form-encoded first (RFC 6749 §2.3.1). */
function basic(clientId: string, clientSecret: string): string {
  return `Basic ${Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`).toString('base64')}`;
}

function formEncode(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2);
}
