import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

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

/** A part of a request that a route may read. */
export type InputPart = 'body' | 'query';

const READS_INPUT = 'lintel:reads-input';

/**
 * Declares that a route reads its query or its body from the request itself, and refuses unknown names there. A route that changes
 * something and reads neither by `@Query()` or `@Body()` nor by this decorator refuses requests that have them.
 */
export function ReadsInput(...parts: readonly InputPart[]): MethodDecorator {
  return (_target, _name, method) => {
    const declared = partsOf(method.value as object);
    Reflect.defineMetadata(READS_INPUT, [...declared, ...parts], method.value as object);
  };
}

/** Returns the parts that a handler reads by {@link ReadsInput} or as a stream. */
export function inputPartsOf(handler: object): readonly InputPart[] {
  const config = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as
    | { readonly acceptsStream?: boolean }
    | undefined;
  return config?.acceptsStream === true ? ['body', ...partsOf(handler)] : partsOf(handler);
}

function partsOf(handler: object): readonly InputPart[] {
  return (Reflect.getMetadata(READS_INPUT, handler) as readonly InputPart[] | undefined) ?? [];
}
