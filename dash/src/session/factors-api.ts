import { authorized, withToken } from './authorized.js';
import type { BegunTotp, OwnFactorList } from '../api/openapi.js';

const FACTORS = '/api/auth/mfa';

/** The second factors of the account, and how many recovery codes are left; under which key it is kept. */
export const OWN_FACTORS = {
  queryKey: ['account', 'factors'],
  queryFn: async (): Promise<OwnFactorList> => (await authorized<{ data: OwnFactorList }>('GET', FACTORS)).data,
};

/** Begins to add an authenticator app. */
export const beginApp = async (name: string): Promise<BegunTotp> =>
  (await authorized<{ data: BegunTotp }>('POST', `${FACTORS}/totp`, name === '' ? {} : { name })).data;

/** Adds it, by a code that it shows. */
export const confirmApp = (id: string, code: string): Promise<unknown> =>
  authorized('POST', `${FACTORS}/totp/confirm`, { id, code });

/** Makes ten recovery codes in the place of those that there were. */
export const makeRecoveryCodes = async (): Promise<string[]> =>
  (await authorized<{ data: string[] }>('POST', `${FACTORS}/recovery-codes`)).data;

export const removeFactor = (id: string): Promise<unknown> =>
  authorized('DELETE', `${FACTORS}/${encodeURIComponent(id)}`);

/** Proof of who is signed in, once more: a factor, or the password of who has none. */
export type Proof = { method: 'password'; password: string } | { method: string; code: string };

export const stepUp = (proof: Proof): Promise<unknown> => withToken('POST', `${FACTORS}/step-up`, proof);
