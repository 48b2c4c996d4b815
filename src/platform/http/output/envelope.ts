import { STATUS_CODES } from 'node:http';
import type { AppError } from '../../../kernel/errors/app-error.js';
import { newId } from '../../../kernel/keys/random.js';

export interface Envelope {
  readonly code: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly error: string };
}

export function toEnvelope(error: AppError): Envelope {
  return { code: String(error.status), message: error.message, data: { error: error.publicCode, ...error.details } };
}

/** Returns a raw HTTP/1.1 error response, for a request that could not be parsed or did not arrive. */
export function rawAnswer(error: AppError, headers: Readonly<Record<string, string>>): string {
  const body = JSON.stringify(toEnvelope(error));
  const lines = Object.entries({ 'x-request-id': newId(), ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Error'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    ...lines,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
