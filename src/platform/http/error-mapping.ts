import { HttpException } from '@nestjs/common';
import { databaseRefusal } from '../database/database.public.js';
import { AppError } from '../../kernel/app-error.js';
import { ERROR_CATALOGUE, type ErrorCode } from '../../kernel/error-catalogue.js';

/** The parts of a request by which the framework's refusal of its route is known. */
export interface RefusedRequest {
  readonly raw: { readonly method?: string };
  readonly originalUrl: string;
}

/** Refusals of the framework itself, before any handler, by their status. */
const OF_FRAMEWORK: Readonly<Record<number, ErrorCode>> = {
  400: 'body_malformed',
  404: 'route_not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'body_too_large',
  415: 'content_type_unsupported',
  431: 'headers_too_large',
  503: 'shutting_down',
};

/** Values for exceptions of an application that name none, by their status. */
const OF_APPLICATION: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  401: 'unauthorized',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'request_timeout',
  409: 'conflict',
  410: 'gone',
  412: 'precondition_failed',
  413: 'body_too_large',
  415: 'content_type_unsupported',
  418: 'im_a_teapot',
  421: 'misdirected',
  422: 'unprocessable',
  429: 'too_many_requests',
  431: 'headers_too_large',
  500: 'internal_error',
  501: 'not_implemented',
  502: 'bad_gateway',
  503: 'service_unavailable',
  504: 'gateway_timeout',
  505: 'http_version_not_supported',
};

/** An error value: `out_of_stock`, `acme.out-of-stock`, `outOfStock`. The framework's own words (`Not Found`) are none. */
const WORD = /^[a-z][a-zA-Z0-9]*(?:[_.-][a-zA-Z0-9]+)*$/;
const MAX_WORD_LENGTH = 100;

/**
 * Turns what was thrown into an error that is answered. An exception of an application keeps its status and, below 500, its
 * message and its word; unforeseen ones become `internal_error`.
 */
export function toAppError(error: unknown, request: RefusedRequest): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof HttpException) return fromException(error, request);
  return databaseRefusal(error) ?? new AppError('internal_error', { cause: error });
}

function fromException(exception: HttpException, request: RefusedRequest): AppError {
  const status = exception.getStatus();
  const ofFramework = isOfFramework(exception, request) ? OF_FRAMEWORK[status] : undefined;
  if (ofFramework !== undefined) return new AppError(ofFramework);
  // A redirect or a success by exception has no body that could be answered.
  if (!Number.isInteger(status) || status < 400 || status > 599)
    return new AppError('internal_error', { cause: exception });
  // RFC 9110 §15: an unlisted status is treated as the x00 of its class.
  const code = OF_APPLICATION[status] ?? (status < 500 ? 'bad_request' : 'internal_error');
  if (status >= 500) return new AppError(code, { status, cause: exception });
  const body = exception.getResponse();
  return new AppError(code, { status, word: wordIn(body), message: textIn(body, ERROR_CATALOGUE[code].message) });
}

/** Whether the framework itself refused the request: its router, or the parser of its body. */
function isOfFramework(exception: HttpException, { raw, originalUrl }: RefusedRequest): boolean {
  const { cause } = exception;
  if (cause instanceof Error && cause.name === 'FastifyError') return true;
  return exception.message === `Cannot ${raw.method ?? ''} ${originalUrl}`;
}

function wordIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { errorCode, code, error } = body as Readonly<Record<string, unknown>>;
  return [errorCode, code, error].find(isWord);
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_WORD_LENGTH && WORD.test(value);
}

/** The text of an exception; several, as the framework's own validation has them, stand in one line. */
function textIn(body: unknown, otherwise: string): string {
  const message: unknown = typeof body === 'object' && body !== null ? (body as { message?: unknown }).message : body;
  const texts = (Array.isArray(message) ? (message as unknown[]) : [message]).filter(
    (text) => typeof text === 'string',
  );
  return texts.filter((text) => text.trim() !== '').join('; ') || otherwise;
}
