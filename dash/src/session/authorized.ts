import { ApiError } from '../api/api-error.js';
import { request, type RequestOptions } from '../api/request.js';
import { askForProof } from './fresh-proof.js';
import { accessToken, replaceToken } from './tokens.js';

type Options = Pick<RequestOptions, 'session' | 'file'>;

/**
 * Sends a request as the signed-in person. Where the service wants to know once more who it is, they are asked, and it is sent
 * again.
 */
export async function authorized<T>(method: string, path: string, body?: object, options?: Options): Promise<T> {
  try {
    return await withToken<T>(method, path, body, options);
  } catch (error) {
    const isAsked = error instanceof ApiError && error.code === 'step_up_required';
    if (!isAsked || !(await askForProof())) throw error;
    return withToken<T>(method, path, body, options);
  }
}

/** Sends a request as the signed-in person; a refused access token is replaced once. */
export async function withToken<T>(
  method: string,
  path: string,
  body: object | undefined,
  options: Options = {},
): Promise<T> {
  const token = await accessToken();
  try {
    return await request<T>(method, path, { ...options, body, token });
  } catch (error) {
    if (!isTokenRefused(error)) throw error;
    const newer = await replaceToken(token);
    if (!newer) throw error;
    return request<T>(method, path, { ...options, body, token: newer });
  }
}

const TOKEN_FAULTS = ['token_missing', 'token_invalid', 'token_expired', 'unreadable'];

function isTokenRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && TOKEN_FAULTS.includes(error.code);
}
