import type { Type } from '@nestjs/common';
import { type DiscoveryService, MetadataScanner } from '@nestjs/core';
import { DefinitionError } from '../../../kernel/errors/definition-error.js';

/** Metadata keys of handlers without an HTTP request. Their packages are not dependencies, so the keys are repeated here. */
const KINDS: readonly (readonly [key: string, kind: string])[] = [
  ['graphql:resolver_type', 'a GraphQL resolver'],
  ['graphql:resolve_property', 'a GraphQL resolver'],
  ['graphql:resolve_reference', 'a GraphQL resolver'],
  ['websockets:is_gateway', 'a WebSocket gateway'],
  ['microservices:handler_type', 'a handler of microservice messages'],
];

/** The guards need an HTTP request, so every call of another handler would fail. @throws DefinitionError for the first such class. */
export function assertHttpHandlers(discovery: DiscoveryService): void {
  const scanner = new MetadataScanner();
  const classes = [...discovery.getProviders(), ...discovery.getControllers()].flatMap(({ metatype, instance }) => [
    metatype as unknown,
    (instance as object | null | undefined)?.constructor,
  ]);
  for (const type of new Set(classes)) {
    const kind = isClass(type) ? kindOf(type, scanner) : undefined;
    if (kind !== undefined)
      throw new DefinitionError(
        `${(type as Type).name} is ${kind}, and a definition answers HTTP requests only: move it to the application around LintelModule, and authenticate there by Application.authenticate().`,
      );
  }
}

function isClass(type: unknown): type is Type {
  return typeof type === 'function' && typeof type.prototype === 'object' && type !== Object;
}

function kindOf(type: Type, scanner: MetadataScanner): string | undefined {
  const prototype = type.prototype as Readonly<Record<string, object>>;
  const places = [type, ...scanner.getAllMethodNames(prototype).map((name) => prototype[name])];
  const isMarked = (key: string): boolean =>
    places.some((place) => place !== undefined && Reflect.hasMetadata(key, place));
  return KINDS.find(([key]) => isMarked(key))?.[1];
}
