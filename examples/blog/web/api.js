import { forgetSession, session } from './session.js';

/** A refusal of the service, in its own words. */
export class ApiError extends Error {
  /** @param {number} status @param {{message?: string, data?: {error?: string, errors?: object[]}}} body */
  constructor(status, { message, data }) {
    super(message ?? `The service answered ${status}.`);
    this.status = status;
    /** Which error it is, for programs: `validation_failed`, `unique_violation`, … */
    this.error = data?.error ?? 'unknown';
    /** @type {{field: string, code: string, message: string}[]} What is wrong with single fields. */
    this.faults = data?.errors ?? [];
    /** What else it says, such as `max_size`. */
    this.data = data ?? {};
  }
}

/**
 * Asks the service. Answers the body and the headers; a refusal is thrown as an {@link ApiError}.
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
    throw new ApiError(0, { message: 'There is no connection. Try again.' });
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return { body: answer, headers: response.headers };
  throw refusalOf(response.status, answer);
}

function refusalOf(status, answer) {
  // The session has ended: whoever it was goes on as a guest.
  if (status === 401) forgetSession();
  return new ApiError(status, answer);
}

/**
 * Sends a file. `fetch` does not tell how much has gone, so this is the older way.
 *
 * @param {File} file
 * @param {(share: number) => void} onProgress is told how much of it has gone, from 0 to 1.
 * @returns {{done: Promise<{id: string}>, stop: () => void}} what the service knows of it, and what ends it before.
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
    request.addEventListener('error', fail('There is no connection. Try again.'));
    request.addEventListener('abort', fail('You have stopped it.'));
  });
  request.send(file);
  return { done, stop: () => request.abort() };
}

/** A name as a header has it (RFC 8187 §3.2.1). */
function escaped(name) {
  return encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** Records of a schema. `filter` is an object; see docs/content.md for the rest. */
export async function list(schema, { filter, ...rest }) {
  const query = { ...rest, ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }) };
  const { body } = await ask('GET', `/content/${schema}`, { query });
  return body.data;
}
