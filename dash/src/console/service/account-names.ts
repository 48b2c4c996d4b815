import type { Permissions } from '../../api/openapi.js';
import { authorized } from '../../session/authorized.js';
import { isOpen, nameOfPerson, type Person } from '../people/people-query.js';

/** Account names by id; null for a deleted account. */
export type AccountNames = Readonly<Record<string, string | null>>;

const NAMED_BY = ['email', 'username', 'first_name', 'last_name'];
/** Maximum number of accounts per request. */
const AT_ONCE = 100;

/**
 * Returns the names of accounts that the caller can read. A missing account counts as deleted only if the caller can read every account:
 * otherwise it may be hidden.
 */
export async function namesOfAccounts(permissions: Permissions, ids: readonly string[]): Promise<AccountNames> {
  const fields = NAMED_BY.filter((field) => isOpen(permissions, 'user', 'list', field));
  if (fields.length === 0 || !isOpen(permissions, 'user', 'list', 'id')) return {};
  const uniqueIds = [...new Set(ids)];
  const names: Record<string, string | null> = permissions.root
    ? Object.fromEntries(uniqueIds.map((id) => [id, null]))
    : {};
  for (let at = 0; at < uniqueIds.length; at += AT_ONCE) {
    const query = new URLSearchParams({
      select: ['id', ...fields].join(),
      filter: JSON.stringify({ id: { $in: uniqueIds.slice(at, at + AT_ONCE) } }),
      limit: String(AT_ONCE),
      cursor: '',
    });
    const { data } = await authorized<{ data: { items: readonly Person[] } }>('GET', `/api/content/users?${query}`);
    for (const person of data.items) names[person.id] = nameOfPerson(person);
  }
  return names;
}
