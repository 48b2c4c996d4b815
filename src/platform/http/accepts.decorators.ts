import { RouteConfig } from '@nestjs/platform-fastify';

/** Lets a route take form posts beside JSON, where the contract names a form. Every other route answers them with 415. */
export function AcceptsForm(): MethodDecorator {
  return RouteConfig({ acceptsForm: true });
}

/** Lets a route take a zip archive beside JSON: its body is then a Buffer. Every other route answers it with 415. */
export function AcceptsZip(): MethodDecorator {
  return RouteConfig({ acceptsZip: true });
}

/**
 * Hands the body to the route as it arrives, of any type and of any length: a Readable, of which the route says how much it takes. The
 * type that the client names stands in `request.raw.headers`.
 *
 * @param options `packed: true` for a route that unpacks a body by gzip itself; every other route answers one with 415.
 */
export function AcceptsStream({ packed = false }: { readonly packed?: boolean } = {}): MethodDecorator {
  return RouteConfig({ acceptsStream: true, acceptsGzip: packed });
}
