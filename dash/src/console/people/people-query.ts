import type { Permissions } from '../../api/openapi.js';

export interface Person {
  readonly id: string;
  readonly email?: string | null;
  readonly email_verified_at?: string | null;
  readonly username?: string | null;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly language?: string | null;
  readonly provider?: string | null;
  readonly activated?: boolean | null;
  readonly created_at?: string | null;
  readonly roles?: readonly { readonly id: string; readonly name: string }[] | null;
}

const LISTED = ['email', 'username', 'first_name', 'last_name', 'provider', 'activated', 'created_at', 'roles'];
const DETAIL_FIELDS = [...LISTED, 'email_verified_at', 'language'];
const SESSION_FIELDS = ['id', 'provider', 'device', 'address', 'created_at', 'last_used_at'];
const SEARCHED = ['email', 'username', 'first_name', 'last_name'];
/** Providers of other accounts: service accounts have their own page, and erased accounts are hidden. */
const NON_USER_PROVIDERS = ['service', 'erased'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PAGE = '50';

export function isOpen({ content }: Permissions, schema: string, action: string, field?: string): boolean {
  const granted = content[schema]?.[action];
  return granted !== undefined && (field === undefined || granted.fields?.includes(field) === true);
}

/** Returns the query of a page of accounts whose names or addresses contain a text, newest first. */
export function listQuery(permissions: Permissions, text: string, cursor: string): string {
  const filter = peopleFilter(permissions, text.trim());
  return new URLSearchParams({
    select: selectPaths(permissions, 'list', LISTED),
    ...(filter.length > 0 && { filter: JSON.stringify({ $and: filter }) }),
    // Ids are in chronological order and indexed.
    sort: '-id',
    limit: PAGE,
    cursor,
  }).toString();
}

export function personQuery(permissions: Permissions): string {
  return new URLSearchParams({ select: selectPaths(permissions, 'get', DETAIL_FIELDS) }).toString();
}

/** Returns whether the caller can filter sessions by their user. */
export function canSeeSessions(permissions: Permissions): boolean {
  const isVisible = ['id', 'user'].every((field) => isOpen(permissions, 'session', 'list', field));
  return isVisible && isOpen(permissions, 'user', 'get', 'id');
}

export function sessionsQuery(permissions: Permissions, user: string, now: Date): string {
  const visible = SESSION_FIELDS.filter((field) => isOpen(permissions, 'session', 'list', field));
  const canReadExpiry = isOpen(permissions, 'session', 'list', 'expires_at');
  return new URLSearchParams({
    select: visible.join(),
    filter: JSON.stringify({ user, ...(canReadExpiry && { expires_at: { $gt: now.toISOString() } }) }),
    sort: visible.includes('last_used_at') ? '-last_used_at' : '-id',
    limit: '100',
    cursor: '',
  }).toString();
}

export function nameOfPerson({ id, first_name, last_name, username, email }: Person): string {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return name || username || email || id;
}

function peopleFilter(permissions: Permissions, text: string): readonly object[] {
  const isVisible = (field: string): boolean => isOpen(permissions, 'user', 'list', field);
  const people = isVisible('provider') ? [{ provider: { $nin: NON_USER_PROVIDERS } }] : [];
  if (text === '') return people;
  const searched = SEARCHED.filter(isVisible).map((field) => ({ [field]: { $icontains: text } }));
  const any = [...searched, ...(UUID.test(text) ? [{ id: text }] : [])];
  return any.length === 0 ? people : [...people, { $or: any }];
}

function selectPaths(permissions: Permissions, action: 'list' | 'get', requested: readonly string[]): string {
  const fields = ['id', ...requested].filter((field) => isOpen(permissions, 'user', action, field));
  const canListRoles = ['id', 'name'].every((field) => isOpen(permissions, 'role', 'list', field));
  const paths = fields.flatMap((field) =>
    field !== 'roles' ? [field] : canListRoles ? ['roles.id', 'roles.name'] : [],
  );
  // An empty selection would select all fields.
  return paths.join() || 'id';
}
