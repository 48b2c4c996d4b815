import { HttpException } from '@nestjs/common';
import { databaseRefusal } from '../database/database-faults.js';
import { AppError } from '../kernel/app-error.js';
import type { ErrorCode } from '../kernel/error-catalogue.js';

/** What a framework's exception means, by its status. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'body_malformed',
  404: 'route_not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'body_too_large',
  415: 'content_type_unsupported',
  431: 'headers_too_large',
  503: 'shutting_down',
};

/** Turns whatever was thrown into an error of the catalogue. What nobody foresaw becomes `internal_error`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof HttpException ? BY_STATUS[error.getStatus()] : undefined;
  if (code !== undefined) return new AppError(code);
  return databaseRefusal(error) ?? new AppError('internal_error', { cause: error });
}
