import { type ArgumentMetadata, Injectable, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { AppError, type FieldFault } from '../../kernel/app-error.js';
import { findFieldCheck } from './field.decorator.js';

/**
 * Checks bodies and queries against their classes: all faulty fields at once, nothing coerced, and what a class does not
 * name never reaches the handler.
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidUnknownValues: false,
      // For the factory below, which answers neither.
      validationError: { target: true, value: true },
      transformOptions: { enableImplicitConversion: false },
      exceptionFactory: (errors: ValidationError[]) => AppError.validation(errors.flatMap((error) => faultsOf(error))),
    });
  }

  /** A body that is no JSON object is refused before its fields are looked at. */
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body' && this.toValidate(metadata)) return super.transform(asObject(value), metadata);
    return super.transform(value, metadata);
  }
}

function asObject(value: unknown): object {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('body_malformed', { message: 'The body must be a JSON object.' });
  }
  return value;
}

function faultsOf(error: ValidationError, path = ''): FieldFault[] {
  const field = path === '' ? error.property : `${path}.${error.property}`;
  const check = error.target === undefined ? null : findFieldCheck(error.target, error.property);
  const fault = check?.(error.value) ?? null;
  if (fault !== null) return [{ field, ...fault }];
  const own = Object.entries(error.constraints ?? {}).map(([name, message]) => ({
    field,
    code: snakeCase(name),
    message,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => faultsOf(child, field))];
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
