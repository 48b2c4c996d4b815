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
  const refusal = new ApiError(response.status, answer);
  // The session has ended: whoever it was goes on as a guest.
  if (response.status === 401 && token !== undefined) forgetSession();
  throw refusal;
}

/** Records of a schema. `filter` is an object; see docs/content.md for the rest. */
export async function list(schema, { filter, ...rest }) {
  const query = { ...rest, ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }) };
  const { body } = await ask('GET', `/content/${schema}`, { query });
  return body.data;
}
