import { STATUS_CODES } from 'node:http';
import type { AppError } from '../../kernel/app-error.js';
import { newId } from '../../kernel/random.js';

/** The body of every failure (specification, "Envelope"). */
export interface Envelope {
  readonly code: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly error: string };
}

/** Makes the envelope of an error. */
export function toEnvelope(error: AppError): Envelope {
  return { code: String(error.status), message: error.message, data: { error: error.word, ...error.details } };
}

/** Returns a whole HTTP/1.1 answer with an envelope, for a connection whose request could not even be parsed. */
export function rawAnswer(error: AppError): string {
  const body = JSON.stringify(toEnvelope(error));
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Error'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${newId()}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
