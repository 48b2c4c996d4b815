import { RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, PATH_METADATA, REDIRECT_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { RouteAccess } from '../../../identity/auth/access/access.decorators.js';
import { refusalsOf } from '../../../identity/auth/access/disabled-when.decorator.js';
import type { DeclaredRoute } from '../../../identity/auth/auth.public.js';
import type { ErrorCode } from '../../../kernel/error-catalogue.js';
import { declaresFields } from './body-schema.js';

/** What the code itself says of a route. */
export interface DescribedRoute {
  /** Method and path as they are declared: `GET /api/content/:schema`. */
  readonly key: string;
  /** Made of controller and method, and so unique: `authMe`. */
  readonly id: string;
  readonly method: string;
  /** With parameters as OpenAPI writes them: `/api/content/{schema}`. */
  readonly path: string;
  readonly access: RouteAccess;
  /** The status of success. */
  readonly status: number;
  /** The class of the body, where its fields are declared. */
  readonly body: Type | null;
  /** Whether the route takes a body at all. */
  readonly takesBody: boolean;
  readonly limited: boolean;
  /** Refusals by configuration. */
  readonly refusals: readonly ErrorCode[];
}

/** Where the framework notes that a parameter is the body. */
const BODY = 3;

/** Describes one handler, once for each path that it answers. */
export function describeRoute({ controller, name, method, access, limit }: DeclaredRoute): readonly DescribedRoute[] {
  const handler = (controller.prototype as Record<string, object | undefined>)[name];
  if (handler === undefined || access === undefined) return [];
  const verb = RequestMethod[method].toLowerCase();
  return pathsOf(controller, handler).map((path) => ({
    key: `${verb.toUpperCase()} ${path}`,
    id: idOf(controller, name),
    method: verb,
    path: path.replace(/:(\w+)/g, '{$1}'),
    access,
    status: statusOf(handler, method),
    ...bodyOf(controller, name),
    limited: limit !== undefined,
    refusals: [...refusalsOf(controller), ...refusalsOf(handler)],
  }));
}

function pathsOf(controller: object, handler: object): readonly string[] {
  const of = (place: object): string[] => [Reflect.getMetadata(PATH_METADATA, place) as string | string[]].flat();
  return of(controller).flatMap((base) =>
    of(handler).map((path) => `/${base}/${path}`.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')),
  );
}

/** `AuthController.me` is `authMe`. */
function idOf({ name: className }: Type, name: string): string {
  const subject = className.replace(/Controller$/, '');
  return subject[0]?.toLowerCase() + subject.slice(1) + (name[0] ?? '').toUpperCase() + name.slice(1);
}

function statusOf(handler: object, method: RequestMethod): number {
  if (Reflect.hasMetadata(REDIRECT_METADATA, handler)) return 302;
  const declared = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  return declared ?? (method === RequestMethod.POST ? 201 : 200);
}

function bodyOf(controller: Type, name: string): Pick<DescribedRoute, 'body' | 'takesBody'> {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, unknown>;
  const place = Object.keys(parameters).find((key) => key.startsWith(`${BODY}:`));
  if (place === undefined) return { body: null, takesBody: false };
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as readonly (Type | undefined)[];
  const type = types[Number(place.split(':')[1])];
  return { body: typeof type === 'function' && declaresFields(type) ? type : null, takesBody: true };
}
