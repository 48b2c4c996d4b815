import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readDriverFault } from '../database/database.public.js';
import { AppError } from '../../kernel/app-error.js';
import { toEnvelope } from './envelope.js';
import { toAppError } from './error-mapping.js';
import type { NotFoundPage } from './not-found-page.service.js';
import type { RouteTable } from './route-table.js';

/** How a client learns that a newer sign-in would do (RFC 9470 §3). */
const STEP_UP = 'Bearer error="insufficient_user_authentication"';

/** The one place where a failure becomes an answer: the envelope, and a log line where the fault is ours. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  constructor(
    private readonly routes: RouteTable,
    private readonly notFoundPage: NotFoundPage,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // Middleware sees Node's own response: the server hands the fault on, and it comes back here with its reply.
    if (reply.raw === undefined) return http.getNext<(fault: unknown) => void>()(thrown);
    const error = this.refine(toAppError(thrown, request), request, reply);
    this.report(error, request);
    if (reply.sent || reply.raw.headersSent) return;
    if (error.code === 'route_not_found' && this.notFoundPage.send(request, reply)) return;
    if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', String(error.retryAfterSeconds));
    if (error.code === 'step_up_required') void reply.header('www-authenticate', STEP_UP);
    void reply
      .header('cache-control', 'no-store')
      .header('x-request-id', request.id)
      .code(error.status)
      .send(this.body(error, request));
  }

  /** A path that exists, asked with a method that it does not answer, is told so (RFC 9110 §15.5.6). */
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

/** Whether the cause is for the log alone: an unforeseen fault, or an exception of an application that blames the server. */
function isFault({ status, cause }: AppError): boolean {
  return status === 500 || cause instanceof HttpException;
}

/** The SQLSTATE or code of the network; the words where there is neither. */
function reasonOf(cause: unknown): string {
  const fault = readDriverFault(cause);
  return fault?.code ?? fault?.message ?? '';
}
