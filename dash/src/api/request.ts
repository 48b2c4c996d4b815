import { ApiError, toApiError } from './api-error.js';
import { addressOf } from './base-path.js';
import type { OnSent } from './upload.js';

/** Timeouts of requests and of file transfers. */
const TIMEOUT_MS = 30_000;
const FILE_TIMEOUT_MS = 600_000;

export interface RequestOptions {
  /** JSON, or a file with its media type. */
  body?: object;
  token?: string;
  /** Whether the response can set the session cookie. The request then completes even if the page is closed. */
  session?: true;
  /** Whether the response is a file. Files have a longer timeout and are not parsed as JSON. */
  file?: true;
  headers?: Readonly<Record<string, string>>;
  onSent?: OnSent;
}

export interface Answer<T> {
  body: T;
  /** Time of the response by the clock of the service, in milliseconds since 1970; the local time if there is no `Date` header. */
  serverTime: number;
  tag: string | null;
}

/** Sends a JSON request to the service. Throws only {@link ApiError}. */
export async function send<T>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<T>> {
  const response = await reach(method, path, options);
  const body = options.file && response.ok ? await readFile(response) : await readJson(response);
  if (!response.ok) throw toApiError(response, body);
  if (body === undefined && response.status !== 204) throw unreadableResponse(response.status);
  const serverTime = Date.parse(response.headers.get('date') ?? '');
  const tag = response.headers.get('etag');
  return { body: body as T, serverTime: Number.isNaN(serverTime) ? Date.now() : serverTime, tag };
}

export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  return (await send<T>(method, path, options)).body;
}

async function reach(method: string, path: string, options: RequestOptions): Promise<Response> {
  const { body, token, session, file, onSent } = options;
  // The service sends mails in the language of the page.
  const headers = new Headers({ Accept: 'application/json', 'Accept-Language': document.documentElement.lang });
  if (body) headers.set('Content-Type', body instanceof Blob ? body.type : 'application/json');
  if (token) headers.set('Authorization', `Bearer ${token}`);
  if (session) headers.set('Lintel-Session', 'cookie');
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  const timeoutMs = file || body instanceof Blob ? FILE_TIMEOUT_MS : TIMEOUT_MS;
  try {
    if (onSent && body instanceof Blob) {
      const { upload } = await import('./upload.js');
      return await upload(addressOf(path), { method, headers, body, timeoutMs, onSent });
    }
    return await fetch(addressOf(path), {
      method,
      headers,
      body: body instanceof Blob ? body : body ? JSON.stringify(body) : null,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      keepalive: session === true,
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(timeoutMs),
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
    if (response.ok) throw unreadableResponse(response.status);
    return undefined;
  }
}

/** A truncated file is an error. */
async function readFile(response: Response): Promise<Blob> {
  try {
    return await response.blob();
  } catch {
    throw unreadableResponse(response.status);
  }
}

function unreadableResponse(status: number): ApiError {
  return new ApiError({ status, code: 'unreadable', message: '' });
}
