import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/app-error.js';
import type { AccountPrincipal, Principal } from '../../../kernel/principal.types.js';

/** Metadata key of {@link Public} and {@link Resource}. */
export const ROUTE_ACCESS = 'lintel:route-access';

/** What a route declares: that it is open, or the resource that it is. */
export type RouteAccess =
  | { readonly public: true }
  | {
      readonly public: false;
      readonly resource: string;
      /** True where the service behind the route decides, record by record. */
      readonly byRecord?: true;
    };

/** Opens a route to everybody, signed in or not (specification, "What the service does", 6a). */
export function Public(): MethodDecorator {
  return SetMetadata(ROUTE_ACCESS, { public: true } satisfies RouteAccess);
}

/** Names the resource that a route is, such as `auth.me`; who may reach it is decided by permissions (CONTRACT §5). */
export function Resource(resource: string): MethodDecorator {
  return SetMetadata(ROUTE_ACCESS, { public: false, resource } satisfies RouteAccess);
}

/**
 * Names the resource that a route begins with, such as `content`: what is asked for stands in the request, so the service
 * behind the route decides, by the rules of the permissions and record by record (CONTRACT §5).
 */
export function RecordResource(resource: string): MethodDecorator {
  return SetMetadata(ROUTE_ACCESS, { public: false, resource, byRecord: true } satisfies RouteAccess);
}

/** A request after the guards: with its principal. */
export interface AuthenticatedRequest extends FastifyRequest {
  user?: Principal;
}

/** The signed-in account of the request; a guest is refused even where a permission lets guests through. */
export const CurrentAccount = createParamDecorator((_data: unknown, context: ExecutionContext): AccountPrincipal => {
  const principal = context.switchToHttp().getRequest<AuthenticatedRequest>().user;
  if (principal?.kind !== 'account') throw new AppError('token_missing');
  return principal;
});
