import { ApiError } from '../api/api-error.js';
import { type Answer, type RequestOptions, send } from '../api/request.js';
import { requestProof } from './fresh-proof.js';
import { accessToken, replaceToken } from './tokens.js';

type Options = Pick<RequestOptions, 'session' | 'file' | 'headers' | 'onSent'>;

let extraHeaders: (path: string) => Options['headers'] | null = () => null;

/** Sets a function that adds headers to requests, by path. */
export function setExtraHeaders(next: typeof extraHeaders): void {
  extraHeaders = next;
}

/** Sends a request as the current user. If the service requires a step-up, asks for it and repeats the request. */
export async function authorized<T>(method: string, path: string, body?: object, options?: Options): Promise<T> {
  return (await requestWithMeta<T>(method, path, body, options)).body;
}

/** Like {@link authorized}, but also returns the ETag and the server time. */
export async function requestWithMeta<T>(
  method: string,
  path: string,
  body?: object,
  options?: Options,
): Promise<Answer<T>> {
  try {
    return await sendAuthorized<T>(method, path, body, options);
  } catch (error) {
    const needsStepUp = error instanceof ApiError && error.code === 'step_up_required';
    if (!needsStepUp || !(await requestProof())) throw error;
    return sendAuthorized<T>(method, path, body, options);
  }
}

/** Sends a request as the current user, without a step-up. Renews a rejected access token once. */
export async function withToken<T>(
  method: string,
  path: string,
  body: object | undefined,
  options: Options = {},
): Promise<T> {
  return (await sendAuthorized<T>(method, path, body, options)).body;
}

async function sendAuthorized<T>(
  method: string,
  path: string,
  body: object | undefined,
  options: Options = {},
): Promise<Answer<T>> {
  const token = await accessToken();
  const sent = { ...options, headers: { ...options.headers, ...extraHeaders(path) } };
  try {
    return await send<T>(method, path, { ...sent, body, token });
  } catch (error) {
    if (!isTokenRefused(error)) throw error;
    const newer = await replaceToken(token);
    if (!newer) throw error;
    return send<T>(method, path, { ...sent, body, token: newer });
  }
}

const TOKEN_FAULTS = ['token_missing', 'token_invalid', 'token_expired', 'unreadable'];

function isTokenRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && TOKEN_FAULTS.includes(error.code);
}
