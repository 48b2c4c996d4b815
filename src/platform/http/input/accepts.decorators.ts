import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

/** Lets a route accept form posts in addition to JSON, where the contract requires it. Other routes answer with 415. */
export function AcceptsForm(): MethodDecorator {
  return RouteConfig({ acceptsForm: true });
}

/** Lets a route accept a zip archive in addition to JSON; the body is then a Buffer. Other routes answer with 415. */
export function AcceptsZip(): MethodDecorator {
  return RouteConfig({ acceptsZip: true });
}

/**
 * Passes the body to the route as a Readable, of any type and any length. The route limits the size itself. The content type of the client
 * is in `request.raw.headers`.
 *
 * @param options `packed: true` for a route that decompresses gzip itself. Other routes answer compressed bodies with 415.
 */
export function AcceptsStream({ packed = false }: { readonly packed?: boolean } = {}): MethodDecorator {
  return RouteConfig({ acceptsStream: true, acceptsGzip: packed });
}

export type InputPart = 'body' | 'query';

const READS_INPUT = 'lintel:reads-input';

/**
 * Declares that a route reads its query or its body from the request itself, and rejects unknown names there. A route that changes data and
 * declares neither by `@Query()`, `@Body()` nor this decorator rejects requests that have them.
 */
export function ReadsInput(...parts: readonly InputPart[]): MethodDecorator {
  return (_target, _name, method) => {
    const declared = partsOf(method.value as object);
    Reflect.defineMetadata(READS_INPUT, [...declared, ...parts], method.value as object);
  };
}

export function inputPartsOf(handler: object): readonly InputPart[] {
  const config = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as
    | { readonly acceptsStream?: boolean }
    | undefined;
  return config?.acceptsStream === true ? ['body', ...partsOf(handler)] : partsOf(handler);
}

function partsOf(handler: object): readonly InputPart[] {
  return (Reflect.getMetadata(READS_INPUT, handler) as readonly InputPart[] | undefined) ?? [];
}

const IGNORES_UNKNOWN = 'lintel:ignores-unknown';

/** Ignores the unknown members of a body or a query, where a standard requires it. All other classes reject them. */
export function IgnoresUnknown(): ClassDecorator {
  return (target) => Reflect.defineMetadata(IGNORES_UNKNOWN, true, target);
}

export function ignoresUnknown(type: object): boolean {
  return Reflect.getMetadata(IGNORES_UNKNOWN, type) === true;
}
