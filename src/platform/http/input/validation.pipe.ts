import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import { validate, type ValidationError } from 'class-validator';
import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import { findFieldCheck } from './field.decorator.js';
import {
  hasFieldsOnly,
  lostMembers,
  undeclaredNames,
  unknownMembers,
  unknownParameters,
  withoutCommon,
} from './unknown-input.js';
import { ignoresUnknown } from './accepts.decorators.js';
import { defineLimit } from '../../../kernel/limits.js';

/** Members of one object of a body, and of all objects. class-transformer needs quadratic time for the members of one object. */
const MAX_MEMBERS = defineLimit(
  1_000,
  'Requests',
  'members of one object in a body (not in the content API)',
  'body_too_large',
);
const MAX_TOTAL_MEMBERS = defineLimit(
  10_000,
  'Requests',
  'members of all objects in a body (not in the content API)',
  'body_too_large',
);

/** Items of all lists of a body. The longest valid list has one checksum for each of 10,000 parts of an upload. */
const MAX_TOTAL_ITEMS = defineLimit(
  20_000,
  'Requests',
  'items of all lists in a body (not in the content API)',
  'body_too_large',
);

/** Reports all invalid fields together, converts no values, and rejects undeclared members. */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      // For nested classes only: `transform` compares the members of the body itself.
      forbidNonWhitelisted: true,
      forbidUnknownValues: false,
      // For `exceptionFactory`, which sends neither to the client.
      validationError: { target: true, value: true },
      transformOptions: { enableImplicitConversion: false },
      exceptionFactory: (errors: ValidationError[]) => AppError.validation(errors.flatMap((error) => faultsOf(error))),
    });
  }

  /** @throws AppError `validation_failed` for a body, `query_invalid` for a query with parameters that are not known. */
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { type, metatype } = metadata;
    if ((type !== 'body' && type !== 'query') || metatype === undefined || !this.toValidate(metadata))
      return super.transform(value, metadata);
    const input = type === 'body' ? asObject(value) : (value as object);
    if (type === 'body') assertFewMembers(input);
    const undeclared = undeclaredNames(input, metatype);
    const declaredInput = undeclared.length === 0 ? input : without(input, undeclared);
    const isCopied = !hasFieldsOnly(metatype);
    const check = async (): Promise<unknown> =>
      isCopied ? super.transform(declaredInput, metadata) : this.checked(declaredInput, metatype as Type<object>);
    const lost = isCopied ? lostMembers(declaredInput) : [];
    const unknown = [...(type === 'query' ? withoutCommon(undeclared) : undeclared), ...lost];
    if (unknown.length === 0 || ignoresUnknown(metatype)) return check();
    if (type === 'query') throw new AppError('query_invalid', { details: { errors: unknownParameters(unknown) } });
    throw AppError.validation([...(await fieldFaultsOf(check)), ...unknownMembers(unknown)]);
  }

  /** Validates without class-transformer, which loses members with names of `Object.prototype`. */
  private async checked(input: object, metatype: Type<object>): Promise<object> {
    const instance = Object.assign(new metatype(), input);
    const errors = await validate(instance, this.validatorOptions);
    if (errors.length > 0) throw await this.exceptionFactory(errors);
    return instance;
  }
}

async function fieldFaultsOf(check: () => Promise<unknown>): Promise<readonly FieldFault[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof AppError) return error.details['errors'] as readonly FieldFault[];
    throw error;
  }
}

function without(input: object, names: readonly string[]): object {
  const removed = new Set(names);
  return Object.fromEntries(Object.entries(input).filter(([name]) => !removed.has(name)));
}

function asObject(value: unknown): object {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('body_malformed', { message: 'The body must be a JSON object.' });
  }
  return value;
}

/** @throws AppError `body_too_large` */
function assertFewMembers(body: object): void {
  let [members, items] = [0, 0];
  const objects: object[] = [body];
  for (let object = objects.pop(); object !== undefined; object = objects.pop()) {
    const values: readonly unknown[] = Array.isArray(object) ? object : Object.values(object);
    if (Array.isArray(object)) items += values.length;
    else members += values.length;
    if (items > MAX_TOTAL_ITEMS) throw tooLarge(`A body can have at most ${MAX_TOTAL_ITEMS} list items in total.`);
    if (members > MAX_TOTAL_MEMBERS || (!Array.isArray(object) && values.length > MAX_MEMBERS))
      throw tooLarge(
        `A body can have at most ${MAX_MEMBERS} members in one object, and ${MAX_TOTAL_MEMBERS} in total.`,
      );
    for (const value of values) if (typeof value === 'object' && value !== null) objects.push(value);
  }
}

function tooLarge(message: string): AppError {
  return new AppError('body_too_large', { message });
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
