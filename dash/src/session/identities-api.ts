import { authorized, withToken } from './authorized.js';
import { ApiError } from '../api/api-error.js';
import type { Identity } from '../api/openapi.js';
import { inPageLanguage } from '../texts/page-language.js';

export const listIdentities = async (): Promise<Identity[]> =>
  (await authorized<{ data: Identity[] }>('GET', '/api/auth/identities')).data;

export const removeIdentity = (id: string): Promise<unknown> =>
  authorized('DELETE', `/api/auth/identities/${encodeURIComponent(id)}`);

/**
 * Asks for the address at which linking `provider` to the signed-in account begins, for the browser to go to.
 * The access token itself must never be in an address, so the service answers one that is good once.
 */
export async function getLinkLocation(provider: string, current_password?: string): Promise<string> {
  const body = { provider, current_password };
  const { location } = await authorized<{ location: string }>('POST', '/api/auth/identities', body);
  return browserAddress(location);
}

/** Begins a step-up at a linked provider. Returns the address for the browser. */
export async function getProofLocation(provider: string): Promise<string> {
  // This request is the step-up itself, so it asks for no other one.
  const { location } = await withToken<{ location: string }>('POST', '/api/auth/identities/step-up', { provider });
  return browserAddress(location);
}

function browserAddress(location: string): string {
  const url = new URL(location, window.location.origin);
  if (url.origin !== window.location.origin) throw new ApiError({ status: 200, code: 'unreadable', message: '' });
  return inPageLanguage(url.href);
}
