import { getPermissions } from '../../session/keys-api.js';
import { firstPage, type Section } from './sections.js';

/** Returns where who is signed in begins; at the account where the service does not say what they may do. */
export async function findFirstPage(): Promise<Section['to']> {
  return getPermissions().then(firstPage, () => '/dash/account' as const);
}
