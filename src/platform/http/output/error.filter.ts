import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readDriverFault, databaseRefusal } from '../../database/database.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { toEnvelope } from './envelope.js';
import type { ErrorPage } from './error-page.service.js';
import type { RouteTable } from '../route-table.js';
import { errorRow, type ErrorCode, FALLBACKS } from '../../../kernel/errors/error-catalogue.js';
import { isPortFault } from '../../extension/ports.js';

/** Codes for errors that Nest or Fastify throws before any handler, by HTTP status. */
const FRAMEWORK_ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'body_malformed',
  404: 'route_not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'body_too_large',
  415: 'content_type_unsupported',
  431: 'headers_too_large',
  503: 'shutting_down',
};

/** Codes for an `HttpException` of an application that contains no code, by HTTP status. */
const APPLICATION_ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  ...FRAMEWORK_ERROR_CODES,
  500: 'internal_error',
  ...Object.fromEntries(Object.entries(FALLBACKS).map(([code, { status }]) => [status, code as ErrorCode])),
};

/** An error code: `out_of_stock`, `acme.out-of-stock`, `outOfStock`. Status texts of Nest (`Not Found`) do not match. */
const IDENTIFIER = /^[a-z][a-zA-Z0-9]*(?:[_.-][a-zA-Z0-9]+)*$/;

/** @internal */
const MAX_CODE_LENGTH = 100;

/** Challenge for a more recent or stronger authentication (RFC 9470 §3). */
const STEP_UP = 'Bearer error="insufficient_user_authentication"';
const STEP_UP_PARAMETERS = ['acr_values', 'max_age'] as const;

@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  constructor(
    private readonly routes: RouteTable,
    private readonly errorPage: ErrorPage,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // Middleware has Node's own response: pass the error to the server, which calls this filter again with a reply.
    if (reply.raw === undefined) return http.getNext<(fault: unknown) => void>()(thrown);
    const error = this.refine(toAppError(thrown, request), request, reply);
    this.report(error, request);
    if (reply.sent || reply.raw.headersSent) return;
    if (error.code === 'route_not_found' && this.errorPage.send(request, reply)) return;
    // Fastify wants to close the connection after an error of a body. Instead, the rest of the body is discarded (streamed-body.ts).
    if (!request.raw.complete) void reply.removeHeader('connection');
    if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', String(error.retryAfterSeconds));
    if (error.code === 'step_up_required') void reply.header('www-authenticate', stepUpChallenge(error));
    void reply
      .header('cache-control', 'no-store')
      .header('x-request-id', request.id)
      .code(error.status)
      .send(this.body(error, request));
  }

  /** Changes 404 to 405 if the path exists for other methods (RFC 9110 §15.5.6). */
  private refine(error: AppError, request: FastifyRequest, reply: FastifyReply): AppError {
    if (error.code !== 'route_not_found') return error;
    const methods = this.routes.allowedMethods(request.url.split('?', 1)[0] ?? '');
    if (methods.length === 0 || methods.includes(request.method)) return error;
    void reply.header('allow', methods.join(', '));
    return new AppError('method_not_allowed');
  }

  private body(error: AppError, request: FastifyRequest): unknown {
    const envelope = toEnvelope(error);
    return isFault(error) ? { ...envelope, data: { ...envelope.data, request_id: request.id } } : envelope;
  }

  private report(error: AppError, request: FastifyRequest): void {
    const fields = { requestId: request.id, method: request.method, route: request.routeOptions.url };
    if (isFault(error)) this.logger.error({ ...fields, err: error.cause ?? error, msg: 'A request failed.' });
    else if (error.code === 'database_unavailable')
      this.logger.warn({ ...fields, reason: reasonOf(error.cause), msg: 'The database is not available.' });
  }
}

/** Returns whether the cause is for the log only: an unexpected error, or a server error of an application or a port. */
function isFault({ status, cause }: AppError): boolean {
  return status === 500 || cause instanceof HttpException || isPortFault(cause);
}

function reasonOf(cause: unknown): string {
  const fault = readDriverFault(cause);
  return fault?.code ?? fault?.message ?? '';
}

/** Exceptions of an application keep their status and, below 500, their message and error code. */
function toAppError(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof HttpException) return fromException(error, request);
  // The client aborted its own upload. It gets no response, and this is no server error.
  if (request.raw.readableAborted === true && isConnectionReset(error)) return new AppError('body_malformed');
  const refusal = databaseRefusal(error);
  if (refusal !== null) return refusal;
  if (isPortFault(error)) return new AppError('service_unavailable', { retryAfterSeconds: 1, cause: error });
  return new AppError('internal_error', { cause: error });
}

function fromException(exception: HttpException, request: FastifyRequest): AppError {
  const status = exception.getStatus();
  const frameworkCode = isFrameworkError(exception, request) ? FRAMEWORK_ERROR_CODES[status] : undefined;
  if (frameworkCode !== undefined) return new AppError(frameworkCode);
  // An exception with a redirect or success status has no error body.
  if (!Number.isInteger(status) || status < 400 || status > 599)
    return new AppError('internal_error', { cause: exception });
  // RFC 9110 §15: an unlisted status is treated as the x00 of its class.
  const code = APPLICATION_ERROR_CODES[status] ?? (status < 500 ? 'bad_request' : 'internal_error');
  if (status >= 500) return new AppError(code, { status, cause: exception });
  const body = exception.getResponse();
  return new AppError(code, { status, publicCode: publicCodeIn(body), message: textIn(body, errorRow(code).message) });
}

function isConnectionReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

function isFrameworkError(exception: HttpException, { raw, originalUrl }: FastifyRequest): boolean {
  const { cause } = exception;
  if (cause instanceof Error && cause.name === 'FastifyError') return true;
  return exception.message === `Cannot ${raw.method} ${originalUrl}`;
}

function publicCodeIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { errorCode, code, error } = body as Readonly<Record<string, unknown>>;
  return [errorCode, code, error].find(isPublicCode);
}

function isPublicCode(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_CODE_LENGTH && IDENTIFIER.test(value);
}

function textIn(body: unknown, otherwise: string): string {
  const message: unknown = typeof body === 'object' && body !== null ? (body as { message?: unknown }).message : body;
  const texts = (Array.isArray(message) ? (message as unknown[]) : [message]).filter(
    (text) => typeof text === 'string',
  );
  return texts.filter((text) => text.trim() !== '').join('; ') || otherwise;
}

function stepUpChallenge({ details }: AppError): string {
  const parameters = STEP_UP_PARAMETERS.flatMap((name) =>
    name in details ? [`${name}="${String(details[name])}"`] : [],
  );
  return [STEP_UP, ...parameters].join(', ');
}
