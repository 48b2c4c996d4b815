import type { Permissions } from '../../api/openapi.js';

/** An account as far as whoever looks may see it. */
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
const SHOWN = [...LISTED, 'email_verified_at', 'language'];
const SESSION_FIELDS = ['id', 'provider', 'device', 'address', 'created_at', 'last_used_at'];
const SEARCHED = ['email', 'username', 'first_name', 'last_name'];
/** Accounts of programs have a page of their own; one that was erased is nobody. */
const NOT_PEOPLE = ['service', 'erased'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PAGE = '50';

/** Returns whether an action on a schema, and a field in it, is open to somebody. */
export function isOpen({ content }: Permissions, schema: string, action: string, field?: string): boolean {
  const granted = content[schema]?.[action];
  return granted !== undefined && (field === undefined || granted.fields?.includes(field) === true);
}

/** Returns the query of a page of accounts that have a text in their names or addresses, the newest first. */
export function listQuery(permissions: Permissions, text: string, cursor: string): string {
  const filter = peopleFilter(permissions, text.trim());
  return new URLSearchParams({
    select: selected(permissions, 'list', LISTED),
    ...(filter.length > 0 && { filter: JSON.stringify({ $and: filter }) }),
    // Ids are in the order of time, and have an index.
    sort: '-id',
    limit: PAGE,
    cursor,
  }).toString();
}

/** Returns the query of one account. */
export function personQuery(permissions: Permissions): string {
  return new URLSearchParams({ select: selected(permissions, 'get', SHOWN) }).toString();
}

/** Returns whether the sessions of somebody can be told from those of others. */
export function seesSessions(permissions: Permissions): boolean {
  const isSeen = ['id', 'user'].every((field) => isOpen(permissions, 'session', 'list', field));
  return isSeen && isOpen(permissions, 'user', 'get', 'id');
}

/** Returns the query of the sessions of somebody that go on, the one that was used last first. */
export function sessionsQuery(permissions: Permissions, user: string, now: Date): string {
  const seen = SESSION_FIELDS.filter((field) => isOpen(permissions, 'session', 'list', field));
  const isCut = isOpen(permissions, 'session', 'list', 'expires_at');
  return new URLSearchParams({
    select: seen.join(),
    filter: JSON.stringify({ user, ...(isCut && { expires_at: { $gt: now.toISOString() } }) }),
    sort: seen.includes('last_used_at') ? '-last_used_at' : '-id',
    limit: '100',
    cursor: '',
  }).toString();
}

/** Returns what somebody is called, by what is known of them. */
export function nameOfPerson({ id, first_name, last_name, username, email }: Person): string {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return name || username || email || id;
}

function peopleFilter(permissions: Permissions, text: string): readonly object[] {
  const isSeen = (field: string): boolean => isOpen(permissions, 'user', 'list', field);
  const people = isSeen('provider') ? [{ provider: { $nin: NOT_PEOPLE } }] : [];
  if (text === '') return people;
  const searched = SEARCHED.filter(isSeen).map((field) => ({ [field]: { $icontains: text } }));
  const any = [...searched, ...(UUID.test(text) ? [{ id: text }] : [])];
  return any.length === 0 ? people : [...people, { $or: any }];
}

function selected(permissions: Permissions, action: 'list' | 'get', wanted: readonly string[]): string {
  const fields = ['id', ...wanted].filter((field) => isOpen(permissions, 'user', action, field));
  const seesRoles = ['id', 'name'].every((field) => isOpen(permissions, 'role', 'list', field));
  const paths = fields.flatMap((field) => (field !== 'roles' ? [field] : seesRoles ? ['roles.id', 'roles.name'] : []));
  // Nothing at all would mean everything.
  return paths.join() || 'id';
}
