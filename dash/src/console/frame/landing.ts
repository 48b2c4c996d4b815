import type { Permissions } from '../../api/openapi.js';
import { getPermissions } from '../../session/keys-api.js';
import { openSections, type Section } from './sections.js';

/** Returns where somebody begins: who runs anything here at the first part of the console, everybody else at their account. */
export function firstPage(permissions: Permissions): Section['to'] {
  const open = openSections(permissions);
  const isRunning = permissions.root || open.some(({ name }) => name !== 'records' && name !== 'account');
  return (isRunning ? open[0]?.to : undefined) ?? '/dash/account';
}

/** The same for who is signed in; the account where the service does not say what they may do. */
export async function findFirstPage(): Promise<Section['to']> {
  return getPermissions().then(firstPage, () => '/dash/account' as const);
}
