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

type MailProof = { token: string } | { session_id: string; code: string };

export const getMethods = (): Promise<LoginMethods> => request('GET', '/api/auth/methods');

export const loginWithPassword = (login: string, password: string): Promise<Answer<BrowserToken>> =>
  send('POST', '/api/auth/local/login', { body: { login, password }, session: true });

export const requestOtp = (email: string): Promise<{ message: string; expires_in: number }> =>
  request('POST', '/api/auth/otp/request', { body: { email } });

export const loginWithOtp = (email: string, code: string): Promise<Answer<BrowserToken>> =>
  send('POST', '/api/auth/otp/verify', { body: { email, code }, session: true });

/** Exchanges the one-time code of a provider sign-in for tokens. The verifier is required if the sign-in started with a challenge. */
export const exchangeCode = (code: string, verifier: string | null): Promise<Answer<BrowserToken>> =>
  send('POST', '/api/auth/exchange', { body: { code, ...(verifier && { code_verifier: verifier }) }, session: true });

/** Completes a sign-in with a second factor. The verifier is required if it came from a provider. */
export const verifyFactor = (
  { token, verifier }: { token: string; verifier: string | null },
  proof: { method: string; remember?: boolean } & ({ code: string } | { password: string } | { credential: object }),
): Promise<Answer<BrowserToken>> =>
  send('POST', '/api/auth/mfa/verify', {
    body: { mfa_token: token, ...proof, ...(verifier && { code_verifier: verifier }) },
    session: true,
  });

/** Starts adding an authenticator app during a sign-in that requires one. */
export const enrolApp = async (token: string, name: string): Promise<BegunTotp> =>
  (await request<{ data: BegunTotp }>('POST', '/api/auth/mfa/totp', { body: { mfa_token: token, name } })).data;

/** Confirms the app with its first code. Returns the tokens of the sign-in, or the response for the form of an app. */
export const confirmEnrolment = <T>(
  { token, verifier }: { token: string; verifier: string | null },
  proof: { id: string; code: string },
): Promise<Answer<T>> =>
  send('POST', '/api/auth/mfa/totp/confirm', {
    body: { mfa_token: token, ...proof, ...(verifier && { code_verifier: verifier }) },
    session: true,
  });

/** Returns an access token for the session cookie of this browser. */
export const resumeSession = (): Promise<Answer<BrowserToken>> =>
  send('POST', '/api/auth/token/resume', { session: true });

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

/** Checks a link or code without consuming it. */
export const checkRecovery = (proof: MailProof): Promise<{ valid: boolean }> =>
  request('POST', '/api/auth/local/recover/check', { body: proof });

/** Identifies a verified recovery: the token of the link, or the session of the code. */
export type RecoveryKey = { token: string } | { session_id: string };

export interface ResetInput {
  password: string;
  password_confirmation: string;
  revoke: RecoverableCredential['kind'][];
  method?: 'recovery_code';
  code?: string;
}

/** Returns the other credentials of the account. Does not consume the token. */
export const listRecoverable = async (key: RecoveryKey): Promise<RecoverableCredential[]> =>
  (await request<{ data: RecoverableCredential[] }>('POST', '/api/auth/local/recover/identities', { body: key })).data;

export const resetPassword = (key: RecoveryKey, input: ResetInput): Promise<RecoveryDone> =>
  request('POST', '/api/auth/local/recover/reset', { body: { ...key, ...input } });

/** Checks the link of an invitation without consuming it. */
export const checkInvitation = (token: string): Promise<{ valid: boolean }> =>
  request('POST', '/api/auth/invitations/check', { body: { token } });

export const acceptInvitation = (
  token: string,
  input: Pick<ResetInput, 'password' | 'password_confirmation'>,
): Promise<{ data: true }> => request('POST', '/api/auth/invitations/accept', { body: { token, ...input } });

export const revokeCredential = (token: string): Promise<{ data: true }> =>
  request('POST', '/api/auth/credentials/revoke', { body: { token } });

export const confirmEmail = (token: string): Promise<{ message: string }> =>
  request('POST', '/api/auth/local/email/confirm', { body: { token } });

export const cancelEmail = (token: string): Promise<{ message: string }> =>
  request('POST', '/api/auth/local/email/cancel', { body: { token } });

export interface SetupInput extends RegisterInput {
  token: string;
}

export const getSetupState = (): Promise<{ data: { completed: boolean } }> => request('GET', '/api/setup');

export const setUp = (input: SetupInput): Promise<unknown> => request('POST', '/api/setup', { body: input });
