import { verifyFactor } from '../api/auth-api.js';
import { send, request, type Answer } from '../api/request.js';
import type { BrowserToken, IssuedMfaToken } from '../api/openapi.js';
import { authorized, withToken } from '../session/authorized.js';
import type { WaitingSignIn } from '../session/due-factor.js';

type CreationOptions = PublicKeyCredentialCreationOptionsJSON;
type RequestOptions = PublicKeyCredentialRequestOptionsJSON;

const FACTORS = '/api/auth/mfa/passkeys';

/** Returns whether the browser supports passkeys and their JSON format. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' && typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  );
}

export async function offersInField(): Promise<boolean> {
  return hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;
}

/** Creates a passkey and adds it to the account of the current user. */
export async function addPasskey(name: string): Promise<void> {
  const { data } = await authorized<{ data: CreationOptions }>('POST', `${FACTORS}/options`, {});
  await authorized('POST', FACTORS, { credential: await createCredential(data), ...(name !== '' && { name }) });
}

/** Creates a passkey during a sign-in that requires one. See {@link enrolPasskey}. */
export async function createPasskey({ token }: WaitingSignIn): Promise<object> {
  const body = { mfa_token: token };
  const { data } = await request<{ data: CreationOptions }>('POST', `${FACTORS}/options`, { body });
  return createCredential(data);
}

/**
 * Adds a passkey to the account of a sign-in that requires one. Returns the tokens of the sign-in, or the response for the form of an app.
 */
export function enrolPasskey<T extends BrowserToken | { data: IssuedMfaToken }>(
  { token, verifier }: WaitingSignIn,
  name: string,
  credential: object,
): Promise<Answer<T>> {
  const input = { credential, ...(name !== '' && { name }) };
  const body = { mfa_token: token, ...input, ...(verifier && { code_verifier: verifier }) };
  return send('POST', FACTORS, { body, session: true });
}

export function loginWithPasskey(credential: object): Promise<Answer<BrowserToken>> {
  return send('POST', '/api/auth/passkeys/login', { body: { credential }, session: true });
}

/**
 * Returns the assertion of a passkey for a sign-in without a username.
 *
 * @param signal cancels the request; with it, the browser offers passkeys in the username input.
 */
export async function assertForSignIn(signal?: AbortSignal): Promise<object> {
  const { data } = await request<{ data: RequestOptions }>('POST', '/api/auth/passkeys/options', { body: {} });
  return getCredential(data, signal);
}

/** Completes a sign-in with the assertion of a passkey. @param isRemembered whether to remember the browser. */
export function verifyPasskey(
  signIn: WaitingSignIn,
  credential: object,
  isRemembered: boolean,
): Promise<Answer<BrowserToken>> {
  return verifyFactor(signIn, { method: 'passkey', credential, ...(isRemembered && { remember: true }) });
}

export async function assertForFactor({ token }: WaitingSignIn): Promise<object> {
  const body = { mfa_token: token };
  const { data } = await request<{ data: RequestOptions }>('POST', `${FACTORS}/challenge`, { body });
  return getCredential(data);
}

export async function stepUpByPasskey(): Promise<unknown> {
  const { data } = await withToken<{ data: RequestOptions }>('POST', `${FACTORS}/step-up`, {});
  return withToken('POST', '/api/auth/mfa/step-up', { method: 'passkey', credential: await getCredential(data) });
}

/** Returns whether the user or the browser cancelled. This needs no error message. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError');
}

async function createCredential(options: CreationOptions): Promise<object> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return toJson(await navigator.credentials.create({ publicKey }));
}

async function getCredential(options: RequestOptions, signal?: AbortSignal): Promise<object> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return toJson(
    await navigator.credentials.get(signal ? { publicKey, signal, mediation: 'conditional' } : { publicKey }),
  );
}

function toJson(credential: Credential | null): object {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('No passkey.', 'NotAllowedError');
  return credential.toJSON() as object;
}
