import { RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, REDIRECT_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { RouteAccess } from '../../../identity/auth/access/access.decorators.js';
import { type DeclaredRoute, routePaths } from '../../../identity/auth/auth.public.js';
import { type DocumentedError, errorsOf } from '../../../platform/http/output/documentation.decorators.js';
import { declaresFields } from './body-schema.js';

export interface DescribedRoute {
  /** Declared method and path: `GET /api/content/:schema`. */
  readonly key: string;
  /** Derived from controller and method, and therefore unique: `authMe`. */
  readonly id: string;
  readonly method: string;
  /** With parameters in OpenAPI syntax: `/api/content/{schema}`. */
  readonly path: string;
  readonly access: RouteAccess;
  /** Whether API keys are refused, regardless of the permissions of their owner. */
  readonly closedToKeys: boolean;
  readonly status: number;
  /** Class of the body, if its fields are declared. */
  readonly body: Type | null;
  readonly hasBody: boolean;
  readonly limited: boolean;
  readonly errors: readonly DocumentedError[];
  /** Description by decorators of @nestjs/swagger. */
  readonly described: DescribedOperation;
  /** Media types that the body accepts besides JSON. */
  readonly otherBodies: readonly string[];
}

export type DescribedOperation = Partial<NonNullable<OpenAPIObject['paths'][string]['get']>>;

const EXCLUDED_ENDPOINT = 'swagger/apiExcludeEndpoint';
const OPERATION = 'swagger/apiOperation';
const EXCLUDED_CONTROLLER = 'swagger/apiExcludeController';
/** Nest's number for a parameter with the body. */
const BODY = 3;

/** Describes a handler, once for each of its paths. Empty if its documentation is disabled. */
export function describeRoute(
  { controller, name, method, access, closedToKeys, limit }: DeclaredRoute,
  { paths }: Pick<OpenAPIObject, 'paths'>,
): readonly DescribedRoute[] {
  const handler = (controller.prototype as Record<string, object | undefined>)[name];
  if (handler === undefined || access === undefined || isExcluded(controller, handler)) return [];
  const verb = RequestMethod[method].toLowerCase();
  return documentedPaths(controller, handler).map((declared) => {
    const path = declared.replace(/:(\w+)/g, '{$1}');
    const described: DescribedOperation = paths[path]?.[verb as 'get'] ?? {};
    return {
      key: `${verb.toUpperCase()} ${declared}`,
      id: described.operationId ?? operationId(controller.name, name),
      method: verb,
      path,
      access,
      closedToKeys,
      status: statusOf(handler, method),
      ...bodyOf(controller, name),
      limited: limit !== undefined,
      errors: [...errorsOf(controller), ...errorsOf(handler)],
      described,
      otherBodies: otherBodiesOf(handler),
    };
  });
}

/** Returns the documented paths of a handler: those below `/api`, and all paths of a handler with `@ApiOperation`. */
function documentedPaths(controller: object, handler: object): readonly string[] {
  const isDescribed = Reflect.hasMetadata(OPERATION, handler);
  return routePaths(controller, handler).filter((path) => isDescribed || `${path}/`.startsWith('/api/'));
}

/** Returns the paths of a handler that documents omit although no decorator excludes them. */
export function undocumentedPaths({ controller, name }: DeclaredRoute): readonly string[] {
  const handler = (controller.prototype as Record<string, object | undefined>)[name];
  if (handler === undefined || isExcluded(controller, handler)) return [];
  const documented = documentedPaths(controller, handler);
  return routePaths(controller, handler).filter((path) => !documented.includes(path));
}

/** Returns the id of an operation: `AuthController.me` is `authMe`. */
export function operationId(className: string, name: string): string {
  const subject = className.replace(/Controller$/, '');
  return `${subject[0]?.toLowerCase()}${subject.slice(1)}${(name[0] ?? '').toUpperCase()}${name.slice(1)}`;
}

/** Returns whether `@ApiExcludeEndpoint` or `@ApiExcludeController` excludes a route. */
function isExcluded(controller: Type, handler: object): boolean {
  const endpoint = Reflect.getMetadata(EXCLUDED_ENDPOINT, handler) as { readonly disable: boolean } | undefined;
  const all = Reflect.getMetadata(EXCLUDED_CONTROLLER, controller) as readonly boolean[] | undefined;
  return endpoint?.disable === true || all?.[0] === true;
}

/** Returns the media types that `@AcceptsForm` and `@AcceptsZip` allow. */
function otherBodiesOf(handler: object): readonly string[] {
  const config = (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) ?? {}) as Record<string, unknown>;
  return [
    ...(config['acceptsForm'] === true ? ['application/x-www-form-urlencoded'] : []),
    ...(config['acceptsZip'] === true ? ['application/zip'] : []),
  ];
}

function statusOf(handler: object, method: RequestMethod): number {
  if (Reflect.hasMetadata(REDIRECT_METADATA, handler)) return 302;
  const declared = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  return declared ?? (method === RequestMethod.POST ? 201 : 200);
}

function bodyOf(controller: Type, name: string): Pick<DescribedRoute, 'body' | 'hasBody'> {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, unknown>;
  const bodyKey = Object.keys(parameters).find((key) => key.startsWith(`${BODY}:`));
  if (bodyKey === undefined) return { body: null, hasBody: false };
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as readonly (Type | undefined)[];
  const type = types[Number(bodyKey.split(':')[1])];
  return { body: typeof type === 'function' && declaresFields(type) ? type : null, hasBody: true };
}
