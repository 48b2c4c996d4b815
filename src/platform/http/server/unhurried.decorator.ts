import { RouteConfig } from '@nestjs/platform-fastify';

/** Marks a route that clients poll, for example to wait for an import. Background work does not pause for its requests. */
export function Unhurried(): MethodDecorator {
  return RouteConfig({ unhurried: true });
}
