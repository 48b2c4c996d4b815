import { forgetSession, session } from './session.js';

/** An error response of Lintel. */
export class ApiError extends Error {
  /** @param {number} status @param {{message?: string, data?: {error?: string, errors?: object[]}}} body */
  constructor(status, { message, data }) {
    super(message ?? `The request failed with status ${status}.`);
    this.status = status;
    /** Error code, such as `field_invalid` or `unique_violation`. */
    this.error = data?.error ?? 'unknown';
    /** @type {{field: string, code: string, message: string}[]} Errors of single fields. */
    this.faults = data?.errors ?? [];
    /** Further members, such as `max_size`. */
    this.data = data ?? {};
  }
}

/**
 * Sends a request. Returns the body and the headers, and throws an {@link ApiError} for an error response.
 *
 * @param {string} method
 * @param {string} path below `/api`.
 * @param {{query?: Record<string, string>, body?: unknown, headers?: Record<string, string>}} [more]
 */
export async function ask(method, path, { query = {}, body, headers = {} } = {}) {
  const token = session()?.token;
  const request = { method, headers: { ...headers } };
  if (token !== undefined) request.headers.authorization ??= `Bearer ${token}`;
  if (body !== undefined) {
    request.headers['content-type'] = 'application/json';
    request.body = JSON.stringify(body);
  }
  const response = await fetch(`/api${path}?${new URLSearchParams(query)}`, request).catch(() => {
    throw new ApiError(0, { message: 'The server cannot be reached. Try again.' });
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return { body: answer, headers: response.headers };
  throw refusalOf(response.status, answer);
}

function refusalOf(status, answer) {
  // The session has ended. The user continues as a guest.
  if (status === 401) forgetSession();
  return new ApiError(status, answer);
}

/**
 * Uploads a file. `fetch` reports no upload progress, so this uses `XMLHttpRequest`.
 *
 * @param {File} file
 * @param {(share: number) => void} onProgress receives the sent share, from 0 to 1.
 * @returns {{done: Promise<{id: string}>, stop: () => void}} the uploaded file, and a function that aborts the upload.
 */
export function sendFile(file, onProgress) {
  const request = new XMLHttpRequest();
  request.open('POST', '/api/files');
  request.setRequestHeader('authorization', `Bearer ${session()?.token}`);
  request.setRequestHeader('content-type', file.type);
  request.setRequestHeader('content-disposition', `attachment; filename*=UTF-8''${escaped(file.name)}`);
  request.responseType = 'json';
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
  const done = new Promise((resolve, reject) => {
    const fail = (message) => () => reject(new ApiError(0, { message }));
    request.addEventListener('load', () =>
      request.status === 200 || request.status === 201
        ? resolve(request.response.data)
        : reject(refusalOf(request.status, request.response ?? {})),
    );
    request.addEventListener('error', fail('The server cannot be reached. Try again.'));
    request.addEventListener('abort', fail('The upload was cancelled.'));
  });
  request.send(file);
  return { done, stop: () => request.abort() };
}

/** Encodes a file name for a header (RFC 8187 §3.2.1). */
function escaped(name) {
  return encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** Lists records of a schema. `filter` is an object. All parameters: docs/guides/data/reading-records.md. */
export async function list(schema, { filter, ...rest }) {
  const query = { ...rest, ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }) };
  const { body } = await ask('GET', `/content/${schema}`, { query });
  return body.data;
}
