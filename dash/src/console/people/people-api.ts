import { ApiError } from '../../api/api-error.js';
import type { ApiKeyPage, Identity, MailPage, OwnFactorList, Permissions, PendingReset } from '../../api/openapi.js';
import { authorized } from '../../session/authorized.js';
import { listQuery, type Person, personQuery, sessionsQuery } from './people-query.js';

export const PEOPLE = ['account', 'people'];

export interface PeoplePage {
  readonly items: readonly Person[];
  readonly next_cursor: string | null;
}

export interface SessionRecord {
  readonly id: string;
  readonly provider?: string;
  readonly device?: string | null;
  readonly address?: string | null;
  readonly created_at?: string;
  readonly last_used_at?: string;
}

const USERS = '/api/content/users';
const SESSIONS = '/api/content/sessions';

export const listPeople = (permissions: Permissions, text: string, cursor: string): Promise<PeoplePage> =>
  data('GET', `${USERS}?${listQuery(permissions, text, cursor)}`);

export const getPerson = async (permissions: Permissions, id: string): Promise<Person> => ({
  id,
  ...(await data<Partial<Person>>('GET', `${USERS}/${encodeURIComponent(id)}?${personQuery(permissions)}`)),
});

/** Whether mails are sent, captured in a file, or disabled. */
export type Delivery = MailPage['delivery'];

/** Returns how mails are delivered; `smtp` if the caller has no permission to read it. */
export const findDelivery = async (): Promise<Delivery> =>
  data<MailPage>('GET', '/api/mails?state=failed').then(
    ({ delivery }) => delivery,
    () => 'smtp',
  );

/** Invites a user by mail. @throws ApiError `email_taken` if the address has an account. */
export async function invite(email: string, roles: readonly string[]): Promise<void> {
  const roleValues = roles.length > 0 && { roles: roles.map((id) => ({ id })) };
  try {
    await data('POST', USERS, { email, invite: true, ...roleValues });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'unique_violation') throw error;
    throw new ApiError({ status: error.status, code: 'email_taken', message: error.message });
  }
}

export const changePerson = (id: string, values: object): Promise<unknown> =>
  data('PATCH', `${USERS}/${encodeURIComponent(id)}`, values);

export async function listSessionsOf(permissions: Permissions, id: string): Promise<readonly SessionRecord[]> {
  const path = `${SESSIONS}?${sessionsQuery(permissions, id, new Date())}`;
  return (await data<{ items: readonly SessionRecord[] }>('GET', path)).items;
}

export const revokeSessionOf = (session: string): Promise<unknown> =>
  data('DELETE', `${SESSIONS}/${encodeURIComponent(session)}`);

export const revokeSessionsOf = (id: string): Promise<unknown> =>
  data('DELETE', `${SESSIONS}?${new URLSearchParams({ filter: JSON.stringify({ user: id }) }).toString()}`);

export const listIdentitiesOf = (id: string): Promise<readonly Identity[]> =>
  data('GET', `/api/identities/${encodeURIComponent(id)}`);

export const listFactorsOf = (id: string): Promise<OwnFactorList> => data('GET', `/api/mfa/${encodeURIComponent(id)}`);

/** Removes all second factors of a user. Returns whether the removal is delayed. */
export const resetFactorsOf = async (id: string): Promise<boolean> =>
  (await data<true | PendingReset>('DELETE', `/api/mfa/${encodeURIComponent(id)}`)) !== true;

export const cancelFactorResetOf = (id: string): Promise<unknown> =>
  data('DELETE', `/api/mfa/${encodeURIComponent(id)}/reset`);

export const listKeysOf = (id: string, cursor: string | null): Promise<ApiKeyPage> =>
  data('GET', `/api/keys?${new URLSearchParams({ owner: id, ...(cursor !== null && { cursor }) }).toString()}`);

export const revokeKeyOf = (key: string): Promise<unknown> =>
  authorized('DELETE', `/api/keys/${encodeURIComponent(key)}`);

async function data<T>(method: string, path: string, body?: object): Promise<T> {
  return (await authorized<{ data: T }>(method, path, body)).data;
}
