import { Injectable, type OnApplicationBootstrap, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { LRUCache } from 'lru-cache';
import { assertOwnedOnce, DefinitionError } from '../../../kernel/errors/definition-error.js';
import { declaredIn } from '../../../platform/extension/module-settings.js';
import { inputFaultOf } from '../../../platform/http/input/declared-input.guard.js';
import { type LimitOfRoute, rateLimitOf } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { CLOSED_TO_KEYS, RESOURCES, type RouteAccess, routeAccessOf } from './access.decorators.js';
import { covers } from '../../../kernel/permission-rules.js';

const SAFE = new Set([RequestMethod.GET, RequestMethod.HEAD, RequestMethod.OPTIONS]);
/** Only such names can be used in permissions. */
const NAME = /^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*$/i;
/** @internal */
const MAX_NAME_LENGTH = 255;
/** More than any service has. Bounds the cache if requests use other names. @internal */
const MAX_RESOURCES = 2_000;

/** Metadata keys of handlers without an HTTP request. Their packages are not dependencies, so the keys are repeated here. */
const KINDS: readonly (readonly [key: string, kind: string])[] = [
  ['graphql:resolver_type', 'a GraphQL resolver'],
  ['graphql:resolve_property', 'a GraphQL resolver'],
  ['graphql:resolve_reference', 'a GraphQL resolver'],
  ['websockets:is_gateway', 'a WebSocket gateway'],
  ['microservices:handler_type', 'a handler of microservice messages'],
];

export interface DeclaredRoute {
  readonly handler: string;
  readonly controller: Type;
  readonly name: string;
  readonly method: RequestMethod;
  readonly access: RouteAccess | undefined;
  /** Whether API keys are rejected, whatever the owner may do. */
  readonly closedToKeys: boolean;
  readonly limit: LimitOfRoute | undefined;
}

/** Stops the start for undeclared access or resources, public writes without a rate limit, and inputs without a declared field. */
@Injectable()
export class RouteAccessInspector implements OnApplicationBootstrap {
  private declared: readonly string[] | null = null;
  private readonly closedToKeys = new LRUCache<string, boolean>({ max: MAX_RESOURCES });

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly modules: ModulesContainer,
  ) {}

  /** The guards need an HTTP request, so every call of another handler would fail. @throws DefinitionError for the first such class. */
  assertHttpHandlers(): void {
    const classes = [...this.discovery.getProviders(), ...this.discovery.getControllers()].flatMap(
      ({ metatype, instance }) => [metatype as unknown, (instance as object | null | undefined)?.constructor],
    );
    for (const type of new Set(classes)) {
      const kind = isClass(type) ? kindOf(type, this.scanner) : undefined;
      if (kind !== undefined)
        throw new DefinitionError(
          `${(type as Type).name} is ${kind}, and a definition supports HTTP requests only. Move it to the application that imports LintelModule, and authenticate there with Application.authenticate().`,
        );
    }
  }

  onApplicationBootstrap(): void {
    const odd = this.declarations().find((name) => !isResourceName(name.replace(/\.\*$/, '')));
    if (odd !== undefined)
      throw new DefinitionError(
        `${JSON.stringify(odd)} is not a valid resource name. Use a dotted name such as acme.orders.get.`,
      );
    const faults = this.list().flatMap((route) => faultOf(route) ?? this.resourceFault(route) ?? []);
    if (faults.length > 0)
      throw new DefinitionError(`Routes are not declared:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    for (const { handler, controller, name } of this.list()) {
      const fault = inputFaultOf(controller, name);
      if (fault !== null) throw new DefinitionError(`${handler} ${fault}.`);
    }
  }

  list(): DeclaredRoute[] {
    return this.discovery.getControllers().flatMap(({ instance }) => {
      if (instance === null || instance === undefined) return [];
      const prototype = Object.getPrototypeOf(instance) as Record<string, (...parameters: never[]) => unknown>;
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = prototype[name];
        if (handler === undefined) return [];
        const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
        if (method === undefined) return [];
        const controller = prototype.constructor as unknown as Type;
        const limit = rateLimitOf(handler, controller);
        const access = routeAccessOf(handler, controller);
        const closedToKeys =
          access?.public === false && (access.resource === null || this.isClosedToKeys(access.resource));
        return [{ handler: `${controller.name}.${name}`, controller, name, method, access, closedToKeys, limit }];
      });
    });
  }

  /** Returns the resources that permissions allow as a whole, in alphabetical order: those of routes, and others that modules declare. */
  resources(): readonly string[] {
    const ofRoutes = this.list().flatMap(({ access }) =>
      access?.public === false && access.byRecord !== true ? (access.resource ?? []) : [],
    );
    return [...new Set([...ofRoutes, ...this.declarations().filter((name) => !name.endsWith('.*'))])].sort();
  }

  /** Also true if a module declares a prefix of the resource. */
  isDeclared(resource: string): boolean {
    return this.declarations().some((name) => covers(name, resource));
  }

  /** Cached, because every request with an API key needs it. */
  isClosedToKeys(resource: string): boolean {
    const cached = this.closedToKeys.get(resource);
    if (cached !== undefined) return cached;
    const closed = this.patternsClosedToKeys().some((name) => covers(name, resource));
    this.closedToKeys.set(resource, closed);
    return closed;
  }

  /** Prefixes end with `.*`. */
  patternsClosedToKeys(): readonly string[] {
    return declaredIn<readonly string[]>(this.modules, CLOSED_TO_KEYS).flatMap(({ declared }) => declared);
  }

  /** @throws DefinitionError for a name that two modules declare. */
  private declarations(): readonly string[] {
    if (this.declared !== null) return this.declared;
    const owned = declaredIn<readonly string[]>(this.modules, RESOURCES).flatMap(({ owner, declared }) =>
      declared.map((name) => [name, owner.name] as const),
    );
    assertOwnedOnce('the resource', owned);
    this.declared = owned.map(([name]) => name);
    return this.declared;
  }

  private resourceFault({ handler, access }: DeclaredRoute): string | null {
    if (access?.public !== false || access.resource === null || this.isDeclared(access.resource)) return null;
    const subject = `${handler} has @Resource('${access.resource}')`;
    return isResourceName(access.resource)
      ? `${subject}, which no module declares: check the spelling, or add it to resources of the definition`
      : `${subject}, which is not a valid resource name: use a dotted name such as acme.orders.get`;
  }
}

function isResourceName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && NAME.test(name);
}

function faultOf({ handler, method, access, limit }: DeclaredRoute): string | null {
  if (access === undefined) return `${handler} has no @Public(), @Authenticated() or @Resource('…') on the method`;
  if (typeof limit === 'object' && [limit.points, limit.durationSeconds].some((n) => !Number.isSafeInteger(n) || n < 1))
    return `${handler} has a @RateLimit with numbers that are not whole or are below 1`;
  if (access.public && !SAFE.has(method) && limit === undefined)
    return `${handler} is public and has no @RateLimit('…')`;
  return null;
}

function isClass(type: unknown): type is Type {
  return typeof type === 'function' && typeof type.prototype === 'object' && type !== Object;
}

function kindOf(type: Type, scanner: MetadataScanner): string | undefined {
  const prototype = type.prototype as Readonly<Record<string, object>>;
  const targets = [type, ...scanner.getAllMethodNames(prototype).map((name) => prototype[name])];
  const isMarked = (key: string): boolean =>
    targets.some((subject) => subject !== undefined && Reflect.hasMetadata(key, subject));
  return KINDS.find(([key]) => isMarked(key))?.[1];
}

/** Returns the declared paths of a handler, such as `/api/content/:schema`. */
export function routePaths(controller: object, handler: object): readonly string[] {
  const of = (subject: object): string[] => [Reflect.getMetadata(PATH_METADATA, subject) as string | string[]].flat();
  return of(controller).flatMap((base) =>
    of(handler).map((path) => `/${base}/${path}`.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')),
  );
}
