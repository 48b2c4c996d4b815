import { RouteConfig } from '@nestjs/platform-fastify';

/** Lets a route take form posts beside JSON, where the contract names a form. Every other route answers them with 415. */
export function AcceptsForm(): MethodDecorator {
  return RouteConfig({ acceptsForm: true });
}

/** Lets a route take a zip archive beside JSON: its body is then a Buffer. Every other route answers it with 415. */
export function AcceptsZip(): MethodDecorator {
  return RouteConfig({ acceptsZip: true });
}
