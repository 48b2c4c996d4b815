import { RouteConfig } from '@nestjs/platform-fastify';

/** Lets a route take form posts beside JSON, where the contract names a form. Every other route answers them with 415. */
export function AcceptsForm(): MethodDecorator {
  return RouteConfig({ acceptsForm: true });
}
