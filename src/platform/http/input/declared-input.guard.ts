import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors/app-error.js';
import { type InputPart, inputPartsOf } from './accepts.decorators.js';
import { declaresMembers, unknownMembers, unknownParameters, withoutCommon } from './unknown-input.js';

/** `RouteParamtypes` of Nest. `@nestjs/common` does not export them, and its internal files load only after `reflect-metadata`. */
const ROUTE_PARAMETER = { BODY: 3, QUERY: 4, PARAM: 5, FILE: 8, FILES: 9, RAW_BODY: 12 } as const;

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

const READ_BY: Readonly<Record<number, InputPart>> = {
  [ROUTE_PARAMETER.BODY]: 'body',
  [ROUTE_PARAMETER.RAW_BODY]: 'body',
  [ROUTE_PARAMETER.FILE]: 'body',
  [ROUTE_PARAMETER.FILES]: 'body',
  [ROUTE_PARAMETER.QUERY]: 'query',
};

/**
 * Rejects a query or a body on a route that changes data and reads none. A misspelt or unsupported option such as `dry_run` must not be
 * ignored. Other input is checked by the validation pipe, or by the route itself.
 */
@Injectable()
export class DeclaredInputGuard implements CanActivate {
  private readonly parts = new WeakMap<object, ReadonlySet<InputPart>>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (SAFE.has(request.method)) return true;
    const parts = this.partsOf(context);
    if (!parts.has('query')) assertEmptyQuery(request.query as object | undefined);
    if (!parts.has('body')) assertEmptyBody(request.body);
    return true;
  }

  private partsOf(context: ExecutionContext): ReadonlySet<InputPart> {
    const handler = context.getHandler();
    const found = this.parts.get(handler) ?? readParts(handler, context.getClass());
    this.parts.set(handler, found);
    return found;
  }
}

function readParts(handler: object & { readonly name: string }, controller: object): ReadonlySet<InputPart> {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) as object | undefined;
  // A key is `type:index`; keys of custom decorators begin with an id.
  const read = Object.keys(parameters ?? {}).flatMap((key) => READ_BY[Number(key.split(':')[0])] ?? []);
  return new Set([...read, ...inputPartsOf(handler)]);
}

/** @throws AppError `query_invalid` */
function assertEmptyQuery(query: object | undefined): void {
  const names = withoutCommon(Object.keys(query ?? {}));
  if (names.length > 0) throw new AppError('query_invalid', { details: { errors: unknownParameters(names) } });
}

/** @throws AppError `validation_failed`, or `body_malformed` for a body that is no object. */
function assertEmptyBody(body: unknown): void {
  if (body === undefined || body === null) return;
  if (typeof body !== 'object' || Array.isArray(body))
    throw new AppError('body_malformed', { message: 'This route accepts no body. Send no body, or an empty object.' });
  const names = Object.keys(body);
  if (names.length > 0) throw AppError.validation(unknownMembers(names));
}

const CHECKED: Readonly<Record<number, string>> = {
  [ROUTE_PARAMETER.BODY]: 'body',
  [ROUTE_PARAMETER.QUERY]: 'query',
  [ROUTE_PARAMETER.PARAM]: 'path parameters',
};

const UNCHECKED = new Set<unknown>([String, Boolean, Number, Array, Object, Buffer, Date]);

/** The pipe rejects or removes members without a check, so a class without checks would always be empty. */
export function inputFaultOf(controller: Type, name: string): string | null {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as object | undefined;
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) as unknown[] | undefined;
  for (const key of Object.keys(parameters ?? {})) {
    // A key is `type:index`; keys of custom decorators begin with an id.
    const [source = '', at = ''] = key.split(':');
    const [part, type] = [CHECKED[Number(source)], types?.[Number(at)]];
    if (part === undefined || typeof type !== 'function' || UNCHECKED.has(type) || declaresMembers(type as Type))
      continue;
    return `uses ${type.name} for its ${part}, which declares no field: add @Field() or decorators of class-validator to each field`;
  }
  return null;
}
