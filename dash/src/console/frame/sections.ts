import type { Permissions } from '../../api/openapi.js';
import { openParts } from './service-parts.js';

export interface Section {
  readonly to:
    | '/dash/model'
    | '/dash/records'
    | '/dash/access'
    | '/dash/people'
    | '/dash/service-accounts'
    | '/dash/service'
    | '/dash/account';
  readonly name: 'model' | 'records' | 'access' | 'people' | 'programs' | 'service' | 'account';
}

/** Path of the API reference, a separate document that every user can open. */
export const REFERENCE = '/api/docs';

const SECTIONS: readonly (Section & { readonly isOpen: (permissions: Permissions) => boolean })[] = [
  { to: '/dash/records', name: 'records', isOpen: listsRecords },
  { to: '/dash/model', name: 'model', isOpen: hasAnyOf('schema.list') },
  { to: '/dash/access', name: 'access', isOpen: canSeeAccess },
  { to: '/dash/people', name: 'people', isOpen: listsAccounts },
  { to: '/dash/service-accounts', name: 'programs', isOpen: hasAnyOf('service-accounts.list') },
  { to: '/dash/service', name: 'service', isOpen: (permissions) => openParts(permissions).length > 0 },
  { to: '/dash/account', name: 'account', isOpen: () => true },
];

export function openSections(permissions: Permissions): readonly Section[] {
  return SECTIONS.filter(({ isOpen }) => isOpen(permissions));
}

/** Returns the start page: the first section if the user administers anything, otherwise the account page. */
export function firstPage(permissions: Permissions): Section['to'] {
  const open = openSections(permissions);
  const isRunning = permissions.root || open.some(({ name }) => name !== 'records' && name !== 'account');
  return (isRunning ? open[0]?.to : undefined) ?? '/dash/account';
}

function listsRecords({ root, content }: Permissions): boolean {
  return root || Object.values(content).some((actions) => actions['list'] !== undefined);
}

function listsAccounts({ root, content }: Permissions): boolean {
  // The pages need the ids of the accounts.
  return root || content['user']?.['list']?.fields?.includes('id') === true;
}

export function canSeeAccess({ root, content }: Permissions): boolean {
  return root || (content['role']?.['list'] !== undefined && content['permission']?.['list'] !== undefined);
}

export function canExplainAccess(permissions: Permissions): boolean {
  return canSeeAccess(permissions) && hasAnyOf('access.explain')(permissions);
}

function hasAnyOf(resource: string): (permissions: Permissions) => boolean {
  return ({ root, resources }) => root || resources.includes(resource);
}
