import { ApiError, toApiError } from './api-error.js';

/** No request of these pages may hang for longer. */
const TIMEOUT_MS = 30_000;

export interface RequestOptions {
  body?: object;
  /** Access token, sent as a header. */
  token?: string;
  /** Whether it is about the session of this browser, whose cookie the answer may bring: it comes to its end without the page. */
  session?: true;
}

export interface Answer<T> {
  body: T;
  /** The service's clock when it answered, in milliseconds since 1970; this machine's where it does not say. */
  serverTime: number;
}

/** Sends one JSON request to the service. Throws {@link ApiError}, and nothing else. */
export async function send<T>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<T>> {
  const response = await reach(method, path, options);
  const body = await readJson(response);
  if (!response.ok) throw toApiError(response, body);
  if (body === undefined && response.status !== 204) throw unreadable(response.status);
  const serverTime = Date.parse(response.headers.get('date') ?? '');
  return { body: body as T, serverTime: Number.isNaN(serverTime) ? Date.now() : serverTime };
}

/** Like {@link send}, for those who need the body only. */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  return (await send<T>(method, path, options)).body;
}

async function reach(method: string, path: string, { body, token, session }: RequestOptions): Promise<Response> {
  const headers = new Headers({ Accept: 'application/json' });
  if (body) headers.set('Content-Type', 'application/json');
  if (token) headers.set('Authorization', `Bearer ${token}`);
  if (session) headers.set('Lintel-Session', 'cookie');
  try {
    return await fetch(path, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      keepalive: session === true,
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    throw new ApiError({ status: 0, code: 'unreachable', message: '' });
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    const text = await response.text();
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    if (response.ok) throw unreadable(response.status);
    return undefined;
  }
}

function unreadable(status: number): ApiError {
  return new ApiError({ status, code: 'unreadable', message: '' });
}
