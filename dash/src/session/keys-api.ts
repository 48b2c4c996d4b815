import { authorized } from './authorized.js';
import type { ApiKey, NewApiKey, operations, Permissions, ServiceAccount } from '../api/openapi.js';

const ACCOUNTS = '/api/service-accounts';
/** Under which key the service accounts are kept. */
export const SERVICE_ACCOUNTS = ['service-accounts'];

/** Input with which a key is asked for. */
export type NewKeyInput = operations['serviceAccountsCreateKey']['requestBody']['content']['application/json'];

/** The keys of one account, as a person reaches them. */
export interface KeyStore {
  /** Owner of the keys: oneself, or a program. */
  of: 'person' | 'program';
  /** Under which key they are kept. */
  queryKey: string[];
  list: () => Promise<ApiKey[]>;
  /** Makes a key: the answer has it, and no other ever does. */
  create: (input: NewKeyInput) => Promise<NewApiKey>;
  /** Makes a key in the place of another, which goes on for some hours. */
  replace: (id: string, input: { overlap_hours: number; current_password?: string }) => Promise<NewApiKey>;
  end: (id: string) => Promise<unknown>;
}

/** The keys of the signed-in person. */
export const OWN_KEYS = keysAt('/api/auth/keys', 'person', ['account', 'keys']);

/** Returns the keys of a service account. */
export const keysOfProgram = (id: string): KeyStore =>
  keysAt(`${ACCOUNTS}/${encodeURIComponent(id)}/keys`, 'program', [...SERVICE_ACCOUNTS, id]);

/** Under which key the permissions are kept. */
export const PERMISSIONS = ['account', 'permissions'];

/** Returns what the signed-in person may do: scopes of a key are a part of it. */
export const getPermissions = async (): Promise<Permissions> =>
  (await authorized<{ data: Permissions }>('GET', '/api/auth/permissions')).data;

export const listServiceAccounts = async (): Promise<ServiceAccount[]> =>
  (await authorized<{ data: ServiceAccount[] }>('GET', ACCOUNTS)).data;

export const createServiceAccount = async (name: string, roles: string[]): Promise<ServiceAccount> =>
  (await authorized<{ data: ServiceAccount }>('POST', ACCOUNTS, { name, roles })).data;

export const removeServiceAccount = (id: string): Promise<unknown> =>
  authorized('DELETE', `${ACCOUNTS}/${encodeURIComponent(id)}`);

function keysAt(path: string, of: KeyStore['of'], queryKey: string[]): KeyStore {
  const one = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  return {
    of,
    queryKey,
    list: async () => (await authorized<{ data: ApiKey[] }>('GET', path)).data,
    create: async (input) => (await authorized<{ data: NewApiKey }>('POST', path, input)).data,
    replace: async (id, input) => (await authorized<{ data: NewApiKey }>('POST', `${one(id)}/rotate`, input)).data,
    end: (id) => authorized('DELETE', one(id)),
  };
}
