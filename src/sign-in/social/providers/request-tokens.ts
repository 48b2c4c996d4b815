import { fetchObject } from './fetch-json.js';
import { providerFailed } from './provider-failure.js';

/** Methods by which the service proves itself at a token endpoint (RFC 6749 §2.3.1). */
export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post';

/** Grant that is exchanged for tokens, and the endpoint. */
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

/** An answer of a token endpoint. Beside the access token nothing in it has been looked at. */
export interface TokenAnswer {
  readonly accessToken: string;
  readonly idToken: unknown;
}

/** Form of a token in an `Authorization` header (RFC 6750 §2.1, and what providers make of it). */
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

/** Returns the header of HTTP Basic; both parts are form-encoded first (RFC 6749 §2.3.1). */
function basic(clientId: string, clientSecret: string): string {
  return `Basic ${Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`).toString('base64')}`;
}

function formEncode(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2);
}
