import { applyDecorators, type Type } from '@nestjs/common';
import { ApiDefaultResponse, ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { DefinedError } from '../../../kernel/errors/define-error.js';
import type { ErrorCode } from '../../../kernel/errors/error-catalogue.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Schema of a response, or of a part of it: a class with `@ApiProperty`, a list of such a class, or a JSON Schema. */
type Form = Type | readonly [Type] | JsonSchema;

/** An error of a route, with a status if it differs from the catalogue. */
export type DocumentedError =
  | ErrorCode
  | { readonly code: ErrorCode; readonly status: number; readonly message?: string };

/** Options of `@ApiProperty` for a time that can be null. */
export const TIME_OR_NULL = { type: String, format: 'date-time', nullable: true } as const;

const ERRORS = 'lintel:errors';

/**
 * Documents the errors of a route, or of every route of a controller. Errors of `@Resource`, `@RateLimit`, `@DisabledWhen` and of request
 * bodies are documented automatically.
 */
export function Throws(...errors: readonly (DocumentedError | DefinedError)[]): MethodDecorator & ClassDecorator {
  return (target: object, _name?: string | symbol, method?: PropertyDescriptor) => {
    const subject = (method?.value ?? target) as object;
    Reflect.defineMetadata(ERRORS, [...errorsOf(subject), ...errors.map(documented)], subject);
  };
}

function documented(error: DocumentedError | DefinedError): DocumentedError {
  return typeof error === 'function' ? { code: error.code as ErrorCode, ...error.row } : error;
}

export function errorsOf(target: object): readonly DocumentedError[] {
  return (Reflect.getMetadata(ERRORS, target) as readonly DocumentedError[] | undefined) ?? [];
}

/** Documents the response `{"data": …}`. Its status is the default status of the route. */
export function AnswersData(form: Form): MethodDecorator {
  return AnswersObject({ data: form });
}

/** Documents a response with these required members. Its status is the default status of the route. */
export function AnswersObject(members: Readonly<Record<string, Form>>): MethodDecorator {
  const models = Object.values(members).flatMap(modelOf);
  return applyDecorators(ApiExtraModels(...models), ApiDefaultResponse({ schema: objectOf(members) }));
}

function objectOf(members: Readonly<Record<string, Form>>): JsonSchema {
  const properties = Object.fromEntries(Object.entries(members).map(([name, form]) => [name, schemaOf(form)]));
  return { type: 'object', required: Object.keys(properties), properties };
}

function schemaOf(form: Form): JsonSchema {
  if (isList(form)) return { type: 'array', items: schemaOf(form[0]) };
  return typeof form === 'function' ? { $ref: getSchemaPath(form) } : form;
}

function modelOf(form: Form): readonly Type[] {
  if (isList(form)) return form;
  return typeof form === 'function' ? [form] : [];
}

function isList(form: Form): form is readonly [Type] {
  return Array.isArray(form);
}

/** The response of an action without a result. */
export class Message {
  @ApiProperty() readonly message: string;
}
