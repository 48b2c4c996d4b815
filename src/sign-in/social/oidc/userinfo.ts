import { fetchObject } from '../providers/fetch-json.js';
import { providerFailed } from '../providers/provider-failure.js';

/** What is asked of a userinfo endpoint, and whom it must speak of. */
export interface UserinfoRequest {
  readonly endpoint: string;
  readonly accessToken: string;
  /** The subject of the ID token. */
  readonly subject: string;
  readonly timeoutMs: number;
}

/**
 * Asks for further claims. An answer that speaks of anybody else is refused (OpenID Connect Core §5.3.2).
 *
 * @throws AppError `provider_unavailable`, `provider_failed`.
 */
export async function fetchUserinfo(request: UserinfoRequest): Promise<Record<string, unknown>> {
  const { endpoint, accessToken, subject, timeoutMs } = request;
  const headers = { authorization: `Bearer ${accessToken}` };
  const claims = await fetchObject({ url: endpoint, headers, timeoutMs });
  if (claims['sub'] !== subject) throw providerFailed('userinfo: another subject');
  return claims;
}
