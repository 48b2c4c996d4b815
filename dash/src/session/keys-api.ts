import { authorized } from './authorized.js';
import type { ApiKey, NewApiKey, operations, Permissions, ServiceAccount } from '../api/openapi.js';

const ACCOUNTS = '/api/service-accounts';
export const SERVICE_ACCOUNTS = ['service-accounts'];

export type NewKeyInput = operations['serviceAccountsCreateKey']['requestBody']['content']['application/json'];

export interface KeyStore {
  /** Owner of the keys: the current user, or a service account. */
  of: 'person' | 'program';
  queryKey: string[];
  list: () => Promise<ApiKey[]>;
  /** Creates a key. Only this response contains its secret. */
  create: (input: NewKeyInput) => Promise<NewApiKey>;
  /** Replaces a key. The old one stays valid for some hours. */
  replace: (id: string, input: { overlap_hours: number; current_password?: string }) => Promise<NewApiKey>;
  end: (id: string) => Promise<unknown>;
}

export const OWN_KEYS = keysAt('/api/auth/keys', 'person', ['account', 'keys']);

export const keysOfProgram = (id: string): KeyStore =>
  keysAt(`${ACCOUNTS}/${encodeURIComponent(id)}/keys`, 'program', [...SERVICE_ACCOUNTS, id]);

export const PERMISSIONS = ['account', 'permissions'];

/** Returns the permissions of the current user. The scopes of a key are a subset. */
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
