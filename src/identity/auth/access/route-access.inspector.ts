import { Injectable, type OnApplicationBootstrap, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { DefinitionError } from '../../../kernel/definition-error.js';
import { RATE_LIMIT } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { ROUTE_ACCESS, type RouteAccess } from './access.decorators.js';

const SAFE = new Set([RequestMethod.GET, RequestMethod.HEAD, RequestMethod.OPTIONS]);

/** One handler of a controller and what it declares. */
export interface DeclaredRoute {
  readonly handler: string;
  readonly controller: Type;
  /** The method of the controller that answers. */
  readonly name: string;
  readonly method: RequestMethod;
  readonly access: RouteAccess | undefined;
  readonly limit: string | undefined;
}

/** Closed until opened: a route that declares no access, or a public write without a limit, stops the start. */
@Injectable()
export class RouteAccessInspector implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onApplicationBootstrap(): void {
    const faults = this.list().flatMap((route) => faultOf(route) ?? []);
    if (faults.length > 0)
      throw new DefinitionError(`Routes are not declared:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }

  /** Every handler of every controller. */
  list(): DeclaredRoute[] {
    return this.discovery.getControllers().flatMap(({ instance }) => {
      if (instance === null || instance === undefined) return [];
      const prototype = Object.getPrototypeOf(instance) as Record<string, (...parameters: never[]) => unknown>;
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = prototype[name];
        if (handler === undefined) return [];
        const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
        if (method === undefined) return [];
        const access = this.reflector.get<RouteAccess | undefined>(ROUTE_ACCESS, handler);
        const limit = this.reflector.get<string | undefined>(RATE_LIMIT, handler);
        const controller = prototype.constructor as unknown as Type;
        return [{ handler: `${controller.name}.${name}`, controller, name, method, access, limit }];
      });
    });
  }
}

function faultOf({ handler, method, access, limit }: DeclaredRoute): string | null {
  if (access === undefined) return `${handler} has neither @Public() nor @Resource('…')`;
  if (access.public && !SAFE.has(method) && limit === undefined)
    return `${handler} is public and has no @RateLimit('…')`;
  return null;
}
