import { Injectable, type OnApplicationBootstrap, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { LRUCache } from 'lru-cache';
import { assertOwnedOnce, DefinitionError } from '../../../kernel/errors/definition-error.js';
import { declaredIn } from '../../../kernel/module-settings.js';
import { inputFaultOf } from '../../../platform/http/http.public.js';
import { type LimitOfRoute, rateLimitOf } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { CLOSED_TO_KEYS, RESOURCES, type RouteAccess, routeAccessOf } from './access.decorators.js';
import { assertHttpHandlers } from './handler-kinds.js';
import { covers } from '../../../kernel/permission-rules.js';

const SAFE = new Set([RequestMethod.GET, RequestMethod.HEAD, RequestMethod.OPTIONS]);
/** Only such names can be used in permissions. */
const NAME = /^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*$/i;
/** @internal */
const MAX_NAME_LENGTH = 255;
/** More than any service has. Bounds the cache if requests use other names. @internal */
const MAX_RESOURCES = 2_000;

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

  /** @throws DefinitionError for a class with handlers that do not answer HTTP requests. */
  assertHttpHandlers(): void {
    assertHttpHandlers(this.discovery);
  }

  onApplicationBootstrap(): void {
    const odd = this.declarations().find((name) => !isResourceName(name.replace(/\.\*$/, '')));
    if (odd !== undefined)
      throw new DefinitionError(
        `${JSON.stringify(odd)} is no resource: declare a dotted name such as acme.orders.get.`,
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
    const known = this.closedToKeys.get(resource);
    if (known !== undefined) return known;
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
    const place = `${handler} has @Resource('${access.resource}')`;
    return isResourceName(access.resource)
      ? `${place}, and no module declares it: check its spelling, or add it to resources of the definition`
      : `${place}, which no permission could name: use a dotted name such as acme.orders.get`;
  }
}

function isResourceName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && NAME.test(name);
}

function faultOf({ handler, method, access, limit }: DeclaredRoute): string | null {
  if (access === undefined)
    return `${handler} has none of @Public(), @Authenticated() and @Resource('…') on the method`;
  if (typeof limit === 'object' && [limit.points, limit.durationSeconds].some((n) => !Number.isSafeInteger(n) || n < 1))
    return `${handler} has a @RateLimit of other numbers than whole ones from 1`;
  if (access.public && !SAFE.has(method) && limit === undefined)
    return `${handler} is public and has no @RateLimit('…')`;
  return null;
}
