import { request, send, type Answer } from './request.js';
import type {
  BegunTotp,
  BrowserToken,
  RecoverableCredential,
  RecoveryDone,
  LoginMethods,
  MailRequested,
  Registered,
} from './openapi.js';

/** Proof that a mail arrived: its link, or a code typed here. */
type MailProof = { token: string } | { session_id: string; code: string };

/** Returns what is offered here: `GET /api/auth/methods`. */
export const getMethods = (): Promise<LoginMethods> => request('GET', '/api/auth/methods');

export const loginWithPassword = (login: string, password: string): Promise<Answer<BrowserToken>> =>
  send('POST', '/api/auth/local/login', { body: { login, password }, session: true });

export const requestOtp = (email: string): Promise<{ message: string; expires_in: number }> =>
  request('POST', '/api/auth/otp/request', { body: { email } });

export const loginWithOtp = (email: string, code: string): Promise<Answer<BrowserToken>> =>
  send('POST', '/api/auth/otp/verify', { body: { email, code }, session: true });

/** Turns the one-time code of a finished provider sign-in into tokens; with the verifier if it was begun with a challenge. */
export const exchangeCode = (code: string, verifier: string | null): Promise<Answer<BrowserToken>> =>
  send('POST', '/api/auth/exchange', { body: { code, ...(verifier && { code_verifier: verifier }) }, session: true });

/** Finishes a sign-in that waits for a second factor; with the verifier if it came back from a provider. */
export const verifyFactor = (
  { token, verifier }: { token: string; verifier: string | null },
  proof: { method: string; remember?: boolean } & ({ code: string } | { password: string } | { credential: object }),
): Promise<Answer<BrowserToken>> =>
  send('POST', '/api/auth/mfa/verify', {
    body: { mfa_token: token, ...proof, ...(verifier && { code_verifier: verifier }) },
    session: true,
  });

/** Adds an authenticator app to the account of a sign-in that waits for one: begins, and takes its first code. */
export const enrolApp = async (token: string, name: string): Promise<BegunTotp> =>
  (await request<{ data: BegunTotp }>('POST', '/api/auth/mfa/totp', { body: { mfa_token: token, name } })).data;

/** Answers the tokens of the sign-in, or what the form of an app goes on with. */
export const confirmEnrolment = <T>(
  { token, verifier }: { token: string; verifier: string | null },
  proof: { id: string; code: string },
): Promise<Answer<T>> =>
  send('POST', '/api/auth/mfa/totp/confirm', {
    body: { mfa_token: token, ...proof, ...(verifier && { code_verifier: verifier }) },
    session: true,
  });

/** Returns an access token for the session of this browser, whose cookie goes along by itself. */
export const resumeSession = (): Promise<Answer<BrowserToken>> =>
  send('POST', '/api/auth/token/resume', { session: true });

/** Fields of a registration; what is empty is left out. */
export interface RegisterInput {
  email: string;
  username?: string;
  password: string;
  password_confirmation: string;
}

export const register = (input: RegisterInput): Promise<{ data: Registered }> =>
  request('POST', '/api/auth/local/register', { body: input });

export const activate = (proof: MailProof): Promise<{ message: string }> =>
  request('POST', '/api/auth/local/activate', { body: proof });

export const sendActivation = (email: string): Promise<MailRequested> =>
  request('POST', '/api/auth/local/activate/send', { body: { email } });

export const requestRecovery = (email: string): Promise<MailRequested> =>
  request('POST', '/api/auth/local/recover', { body: { email } });

/** Asks whether a link or code is good; spends nothing. */
export const checkRecovery = (proof: MailProof): Promise<{ valid: boolean }> =>
  request('POST', '/api/auth/local/recover/check', { body: proof });

/** Name of a checked recovery: the link's token, or the session whose code was checked. */
export type RecoveryKey = { token: string } | { session_id: string };

/** Input of a reset: the new password, the kinds of credentials to revoke, and a proof for older second factors. */
export interface ResetInput {
  password: string;
  password_confirmation: string;
  revoke: RecoverableCredential['kind'][];
  method?: 'recovery_code';
  code?: string;
}

/** Returns the credentials that open the account besides its password; consumes nothing. */
export const listRecoverable = async (key: RecoveryKey): Promise<RecoverableCredential[]> =>
  (await request<{ data: RecoverableCredential[] }>('POST', '/api/auth/local/recover/identities', { body: key })).data;

export const resetPassword = (key: RecoveryKey, input: ResetInput): Promise<RecoveryDone> =>
  request('POST', '/api/auth/local/recover/reset', { body: { ...key, ...input } });

/** Asks whether the link of an invitation is good; spends nothing. */
export const checkInvitation = (token: string): Promise<{ valid: boolean }> =>
  request('POST', '/api/auth/invitations/check', { body: { token } });

export const acceptInvitation = (
  token: string,
  input: Pick<ResetInput, 'password' | 'password_confirmation'>,
): Promise<{ data: true }> => request('POST', '/api/auth/invitations/accept', { body: { token, ...input } });

/** Revokes a new credential by the link of the mail about it. */
export const revokeCredential = (token: string): Promise<{ data: true }> =>
  request('POST', '/api/auth/credentials/revoke', { body: { token } });

export const confirmEmail = (token: string): Promise<{ message: string }> =>
  request('POST', '/api/auth/local/email/confirm', { body: { token } });

export const cancelEmail = (token: string): Promise<{ message: string }> =>
  request('POST', '/api/auth/local/email/cancel', { body: { token } });

/** The first administrator. */
export interface SetupInput extends RegisterInput {
  token: string;
}

/** Returns whether there is an administrator. */
export const getSetupState = (): Promise<{ data: { completed: boolean } }> => request('GET', '/api/setup');

export const setUp = (input: SetupInput): Promise<unknown> => request('POST', '/api/setup', { body: input });
