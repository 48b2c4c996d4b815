import { authorized, withToken } from './authorized.js';
import type { BegunTotp, OwnFactorList } from '../api/openapi.js';

const FACTORS = '/api/auth/mfa';

/** Query of the second factors and the number of remaining recovery codes. */
export const OWN_FACTORS = {
  queryKey: ['account', 'factors'],
  queryFn: async (): Promise<OwnFactorList> => (await authorized<{ data: OwnFactorList }>('GET', FACTORS)).data,
};

export const startApp = async (name: string): Promise<BegunTotp> =>
  (await authorized<{ data: BegunTotp }>('POST', `${FACTORS}/totp`, name === '' ? {} : { name })).data;

export const confirmApp = (id: string, code: string): Promise<unknown> =>
  authorized('POST', `${FACTORS}/totp/confirm`, { id, code });

/** Creates ten recovery codes, which replace the existing ones. */
export const createRecoveryCodes = async (): Promise<string[]> =>
  (await authorized<{ data: string[] }>('POST', `${FACTORS}/recovery-codes`)).data;

export const removeFactor = (id: string): Promise<unknown> =>
  authorized('DELETE', `${FACTORS}/${encodeURIComponent(id)}`);

/** Proof for a step-up: a second factor, or the password if there is none. */
export type Proof = { method: 'password'; password: string } | { method: string; code: string };

export const stepUp = (proof: Proof): Promise<unknown> => withToken('POST', `${FACTORS}/step-up`, proof);
