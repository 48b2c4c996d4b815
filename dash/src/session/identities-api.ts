import { authorized, withToken } from './authorized.js';
import { ApiError } from '../api/api-error.js';
import type { Identity } from '../api/openapi.js';
import { inPageLanguage } from '../texts/page-language.js';

export const listIdentities = async (): Promise<Identity[]> =>
  (await authorized<{ data: Identity[] }>('GET', '/api/auth/identities')).data;

export const removeIdentity = (id: string): Promise<unknown> =>
  authorized('DELETE', `/api/auth/identities/${encodeURIComponent(id)}`);

/**
 * Returns the URL that starts linking a provider to the account. The access token must never be in a URL, so the service returns one that
 * is valid once.
 */
export async function getLinkLocation(provider: string, current_password?: string): Promise<string> {
  const body = { provider, current_password };
  const { location } = await authorized<{ location: string }>('POST', '/api/auth/identities', body);
  return browserAddress(location);
}

/** Starts a step-up with a linked provider. Returns the URL for the browser. */
export async function getProofLocation(provider: string): Promise<string> {
  // This request is the step-up itself, so it must not ask for another one.
  const { location } = await withToken<{ location: string }>('POST', '/api/auth/identities/step-up', { provider });
  return browserAddress(location);
}

function browserAddress(location: string): string {
  const url = new URL(location, window.location.origin);
  if (url.origin !== window.location.origin) throw new ApiError({ status: 200, code: 'unreadable', message: '' });
  return inPageLanguage(url.href);
}
