import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/app-error.js';
import { declareOnModule } from '../../../kernel/module-settings.js';
import { type AccountPrincipal, GUEST, type Principal } from '../../../kernel/principal.types.js';

/** Metadata key of {@link Public} and {@link Resource}. */
const ROUTE_ACCESS = 'lintel:route-access';

/** Declaration of a route: open, or the resource that it is. */
export type RouteAccess =
  | { readonly public: true }
  | {
      readonly public: false;
      readonly resource: string;
      /** True if the service behind the route decides, record by record. */
      readonly byRecord?: true;
    };

/** Opens a route to everybody, signed in or not (specification, "What the service does", 6a). */
export function Public(): MethodDecorator {
  return SetMetadata(ROUTE_ACCESS, { public: true } satisfies RouteAccess);
}

/**
 * Names the resource that a route is, such as `auth.me`; who may reach it is decided by permissions (CONTRACT §5). On a
 * controller it is that of each of its routes that says nothing itself. A module declares the name by
 * {@link DeclaresResources}.
 */
export function Resource(resource: string): MethodDecorator & ClassDecorator {
  return SetMetadata(ROUTE_ACCESS, { public: false, resource } satisfies RouteAccess);
}

/**
 * Names the resource that a route begins with, such as `content`: what is asked for stands in the request, so the service
 * behind the route decides, by the rules of the permissions and record by record (CONTRACT §5).
 */
export function RecordResource(resource: string): MethodDecorator {
  return SetMetadata(ROUTE_ACCESS, { public: false, resource, byRecord: true } satisfies RouteAccess);
}

/** Returns what a route declares, or its controller for it; a controller opens nothing to everybody. */
export function routeAccessOf(handler: object, controller: object): RouteAccess | undefined {
  const own = Reflect.getMetadata(ROUTE_ACCESS, handler) as RouteAccess | undefined;
  if (own !== undefined) return own;
  const shared = Reflect.getMetadata(ROUTE_ACCESS, controller) as RouteAccess | undefined;
  return shared?.public === true ? undefined : shared;
}

/** Metadata key of {@link DeclaresResources}. */
export const RESOURCES = Symbol('RESOURCES');

/**
 * Declares the resources of a module, on its class: those of its routes, and those that its services ask for by `Access`. A
 * name that ends with `.*` declares all that begin so. A route of a resource that no module declares stops the start.
 */
export function DeclaresResources(...names: readonly string[]): ClassDecorator {
  return declareOnModule(RESOURCES, names);
}

/** Metadata key of {@link RefusesKeys}. */
export const CLOSED_TO_KEYS = Symbol('CLOSED_TO_KEYS');

/**
 * Closes resources of a module to API keys, on its class, whatever the owner of the key may do: what is for people themselves
 * (CONTRACT §11). A name that ends with `.*` means all that begin so.
 */
export function RefusesKeys(...names: readonly string[]): ClassDecorator {
  return declareOnModule(CLOSED_TO_KEYS, names);
}

/** A request after the guards: with its principal. */
export interface AuthenticatedRequest extends FastifyRequest {
  user?: Principal;
}

/** The account of the request; a guest is refused even if a permission lets guests through. */
export const CurrentAccount = createParamDecorator((_data: unknown, context: ExecutionContext): AccountPrincipal => {
  const principal = context.switchToHttp().getRequest<AuthenticatedRequest>().user;
  if (principal?.kind !== 'account') throw new AppError('token_missing');
  return principal;
});

/** The principal of the request: the account, or a guest. A public route asks nobody who they are: there it is a guest. */
export const CurrentPrincipal = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  return context.switchToHttp().getRequest<AuthenticatedRequest>().user ?? GUEST;
});
