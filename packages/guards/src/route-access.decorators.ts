import { SetMetadata } from '@nestjs/common';

/** Metadata key of {@link DeclaresAccess}. A string, so that several copies of the package in one process share it. */
const ROUTE_ACCESS = 'lintel:route-access';

/** Access that a route declares. */
export type RouteAccess =
  | { readonly public: true }
  | {
      readonly public: false;
      /** Resource that the permissions of the caller must allow; null for any signed-in user. */
      readonly resource: string | null;
      /** True if the service behind the route decides for each record. */
      readonly byRecord?: true;
    };

/** Declares the access of a route, or of all routes of a controller, for custom decorators. */
export function DeclaresAccess(access: RouteAccess): MethodDecorator & ClassDecorator {
  return SetMetadata(ROUTE_ACCESS, access);
}

/** Opens a route to all requests. They are not authenticated: the principal is a guest, even if the request has a token. */
export function Public(): MethodDecorator {
  return DeclaresAccess({ public: true });
}

/**
 * Allows every signed-in user on a route, regardless of permissions. On a controller it applies to the routes without a declaration. It
 * rejects guests (401 `token_missing`), API keys (403 `key_not_allowed`), and sessions without a second factor that a role requires.
 */
export function Authenticated(): MethodDecorator & ClassDecorator {
  return DeclaresAccess({ public: false, resource: null });
}

/**
 * Sets the resource of a route, such as `acme.orders.list`. The permissions of the caller must allow it. Every signed-in user has `auth.*`,
 * unless a permission denies it. On a controller it applies to the routes without a declaration. In an application of Lintel a module
 * declares the name by `@DeclaresResources`.
 */
export function Resource(resource: string): MethodDecorator & ClassDecorator {
  return DeclaresAccess({ public: false, resource });
}

/** Returns the declaration of a route, or of its controller. `@Public()` on a controller has no effect. */
export function routeAccessOf(handler: object, controller: object): RouteAccess | undefined {
  const own = Reflect.getMetadata(ROUTE_ACCESS, handler) as RouteAccess | undefined;
  if (own !== undefined) return own;
  const shared = Reflect.getMetadata(ROUTE_ACCESS, controller) as RouteAccess | undefined;
  return shared?.public === true ? undefined : shared;
}
