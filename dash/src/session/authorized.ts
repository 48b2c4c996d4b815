import { ApiError } from '../api/api-error.js';
import { request, type RequestOptions } from '../api/request.js';
import { accessToken, replaceToken } from './tokens.js';

/** Sends a request as the signed-in person; a refused access token is replaced once. */
export async function authorized<T>(
  method: string,
  path: string,
  body?: object,
  options: Pick<RequestOptions, 'session' | 'file'> = {},
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
