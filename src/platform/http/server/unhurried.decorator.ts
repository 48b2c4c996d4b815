import { RouteConfig } from '@nestjs/platform-fastify';

/** Marks a route that is asked over and over by who waits for something else, such as the end of an import: long work does not rest for its requests. */
export function Unhurried(): MethodDecorator {
  return RouteConfig({ unhurried: true });
}
