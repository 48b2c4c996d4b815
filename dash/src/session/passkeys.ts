import { verifyFactor } from '../api/auth-api.js';
import { send, request, type Answer } from '../api/request.js';
import type { BrowserToken } from '../api/openapi.js';
import { authorized, withToken } from './authorized.js';
import type { WaitingSignIn } from './due-factor.js';

type CreationOptions = PublicKeyCredentialCreationOptionsJSON;
type RequestOptions = PublicKeyCredentialRequestOptionsJSON;

const FACTORS = '/api/auth/mfa/passkeys';

/** Whether this browser has passkeys, in the form in which the service speaks of them. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' && typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  );
}

/** Whether the browser offers passkeys in the field of the name. */
export async function offersInField(): Promise<boolean> {
  return hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;
}

/** Makes a passkey, and adds it to the account of who is signed in. */
export async function addPasskey(name: string): Promise<void> {
  const { data } = await authorized<{ data: CreationOptions }>('POST', `${FACTORS}/options`, {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(data);
  const credential = toJson(await navigator.credentials.create({ publicKey }));
  await authorized('POST', FACTORS, { credential, ...(name !== '' && { name }) });
}

/** Signs in by a passkey. @param signal takes the question back; with it, the browser asks in the field of the name. */
export async function loginWithPasskey(signal?: AbortSignal): Promise<Answer<BrowserToken>> {
  const { data } = await request<{ data: RequestOptions }>('POST', '/api/auth/passkeys/options', { body: {} });
  const credential = await ask(data, signal);
  return send('POST', '/api/auth/passkeys/login', { body: { credential }, session: true });
}

/** Finishes a sign-in by a passkey as second factor. */
export async function verifyPasskey(signIn: WaitingSignIn): Promise<Answer<BrowserToken>> {
  const body = { mfa_token: signIn.token };
  const { data } = await request<{ data: RequestOptions }>('POST', `${FACTORS}/challenge`, { body });
  return verifyFactor(signIn, { method: 'passkey', credential: await ask(data) });
}

/** Proves once more who is signed in. */
export async function stepUpByPasskey(): Promise<unknown> {
  const { data } = await withToken<{ data: RequestOptions }>('POST', `${FACTORS}/step-up`, {});
  return withToken('POST', '/api/auth/mfa/step-up', { method: 'passkey', credential: await ask(data) });
}

/** Whether the person, or the browser, gave up: nobody needs a word about it. */
export function isGivenUp(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError');
}

async function ask(options: RequestOptions, signal?: AbortSignal): Promise<object> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return toJson(
    await navigator.credentials.get(signal ? { publicKey, signal, mediation: 'conditional' } : { publicKey }),
  );
}

function toJson(credential: Credential | null): object {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('No passkey.', 'NotAllowedError');
  return credential.toJSON() as object;
}
