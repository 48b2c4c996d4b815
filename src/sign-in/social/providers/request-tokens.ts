import { AppError } from '../../../kernel/errors/app-error.js';
import { fetchObject } from './fetch-json.js';
import { providerFailed, providerUnavailable } from './provider-failure.js';
import type { AuthorizationResponse } from './provider.types.js';

/** Error codes of a temporary failure (RFC 6749 §4.1.2.1). */
const OUT_OF_ORDER = new Set(['server_error', 'temporarily_unavailable']);

/** How the server authenticates at a token endpoint (RFC 6749 §2.3.1). */
export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post';

/** The service as a client of a provider. */
export interface ClientSettings {
  readonly name: string;
  readonly clientId: string;
  /** Returns the secret for the next request. Some providers require a newly signed one. */
  readonly clientSecret: () => Promise<string>;
  readonly scope: string;
  /** Undefined: the provider's default, the query. */
  readonly responseMode: 'form_post' | undefined;
  readonly redirectUri: string;
  /** Time limit of one request to the provider. */
  readonly timeoutMs: number;
}

interface TokenRequest {
  readonly endpoint: string;
  readonly authentication: ClientAuthentication;
  readonly code: string;
  readonly codeVerifier: string;
}

/** Response of a token endpoint. Only the access token is checked. */
export interface TokenAnswer {
  readonly accessToken: string;
  readonly idToken: unknown;
}

/** A token in an `Authorization` header (RFC 6750 §2.1, extended by characters that providers use). */
const ACCESS_TOKEN = /^[\x21-\x7e]{1,16384}$/;

/**
 * @throws AppError `provider_denied` if the provider or the user refused; `provider_unavailable`; `provider_failed` if there is neither a
 * code nor an error.
 */
export function grantedCode({ code, error }: AuthorizationResponse): string {
  if (error !== undefined) {
    throw OUT_OF_ORDER.has(error) ? providerUnavailable('out of order') : new AppError('provider_denied');
  }
  if (code === undefined || code === '') throw providerFailed('neither a code nor an error was sent');
  return code;
}

/**
 * Exchanges an authorization code and its PKCE verifier for tokens (RFC 6749 §4.1.3; RFC 7636 §4.5).
 *
 * @throws AppError `provider_unavailable`, `provider_failed`.
 */
export async function requestTokens(
  client: ClientSettings,
  { endpoint, authentication, code, codeVerifier }: TokenRequest,
): Promise<TokenAnswer> {
  const { clientId, redirectUri, timeoutMs } = client;
  const clientSecret = await client.clientSecret();
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
    throw providerFailed('the response has no access token');
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
