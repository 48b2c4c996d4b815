import { getPermissions } from '../../session/keys-api.js';
import { firstPage, type Section } from './sections.js';

/** Returns the start page of the user; the account page if the permissions cannot be read. */
export async function findFirstPage(): Promise<Section['to']> {
  return getPermissions().then(firstPage, () => '/dash/account' as const);
}
