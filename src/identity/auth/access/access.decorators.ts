import { applyDecorators, createParamDecorator, type ExecutionContext, HttpCode } from '@nestjs/common';
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
import { declareOnModule } from '../../../platform/extension/module-settings.js';
import { type LimitOfRoute, RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { type AccountPrincipal, GUEST, type Principal } from '../../../kernel/principal.types.js';

export { Authenticated, Public, Resource, type RouteAccess, routeAccessOf };

/** A `POST` that everyone may send within the rate limit, and that creates no resource: its status is 200. */
export function PublicAction(limit: LimitOfRoute): MethodDecorator {
  return applyDecorators(HttpCode(200), Public(), RateLimit(limit));
}

/** The service behind the route checks the rest of the resource, which is in the request, for each record. */
export function RecordResource(resource: string): MethodDecorator {
  return DeclaresAccess({ public: false, resource, byRecord: true });
}

export const RESOURCES = Symbol('RESOURCES');

/**
 * Declares the resources of a module on its class: those of its routes, and those that its services check by `Access`. A name that ends
 * with `.*` declares all resources with that prefix. A route of an undeclared resource stops the start.
 */
export function DeclaresResources(...names: readonly string[]): ClassDecorator {
  return declareOnModule(RESOURCES, names);
}

export const CLOSED_TO_KEYS = Symbol('CLOSED_TO_KEYS');

/**
 * Closes resources of a module to API keys, whatever the owner of the key may do. A name that ends with `.*` covers all
 * resources with that prefix.
 */
export function RefusesKeys(...names: readonly string[]): ClassDecorator {
  return declareOnModule(CLOSED_TO_KEYS, names);
}

export interface AuthenticatedRequest extends FastifyRequest {
  user?: Principal;
}

/** The account of the request. A guest is rejected with `token_missing`, even if a permission allows guests. */
export const CurrentAccount = createParamDecorator((_data: unknown, context: ExecutionContext): AccountPrincipal => {
  const principal = requestOf<AuthenticatedRequest>(context)?.user;
  if (principal?.kind !== 'account') throw new AppError('token_missing');
  return principal;
});

/** The principal of the request: the account, or a guest. Public routes do not authenticate, so there it is always a guest. */
export const CurrentPrincipal = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  return requestOf<AuthenticatedRequest>(context)?.user ?? GUEST;
});
