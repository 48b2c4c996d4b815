import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  Authenticated,
  DeclaresAccess,
  Public,
  requestOf,
  Resource,
  type RouteAccess,
  routeAccessOf,
} from '../../../../packages/guards/src/guards.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { declareOnModule } from '../../../kernel/module-settings.js';
import { type AccountPrincipal, GUEST, type Principal } from '../../../kernel/principal.types.js';

export { Authenticated, Public, Resource, type RouteAccess, routeAccessOf };

/**
 * Names the resource that a route begins with, such as `content`: what is asked for stands in the request, so the service
 * behind the route decides, by the rules of the permissions and record by record (CONTRACT §5).
 */
export function RecordResource(resource: string): MethodDecorator {
  return DeclaresAccess({ public: false, resource, byRecord: true });
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
  const principal = requestOf<AuthenticatedRequest>(context)?.user;
  if (principal?.kind !== 'account') throw new AppError('token_missing');
  return principal;
});

/** The principal of the request: the account, or a guest. A public route asks nobody who they are: there it is a guest. */
export const CurrentPrincipal = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  return requestOf<AuthenticatedRequest>(context)?.user ?? GUEST;
});
