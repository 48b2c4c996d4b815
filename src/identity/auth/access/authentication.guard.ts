import { type CanActivate, type ExecutionContext, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { assertDistinct } from '../../../kernel/definition-error.js';
import { type AuthenticatedRequest, routeAccessOf } from './access.decorators.js';
import { activeTracer, traced } from '../../../kernel/tracing.js';
import { Authenticator } from './authenticator.port.js';
import { GUEST, type Principal } from '../../../kernel/principal.types.js';

/** Who is it? Public routes pass; a request that brings nothing is a guest's; what it brings must be good. */
@Injectable()
export class AuthenticationGuard implements CanActivate, OnModuleInit {
  private authenticators: readonly Authenticator[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * Collects the authenticators of the application, in their order.
   *
   * @throws DefinitionError for two of one name.
   */
  onModuleInit(): void {
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    const found = [...instances].filter((instance) => instance instanceof Authenticator);
    assertDistinct(
      found.map(({ name }) => name),
      'Two authenticators are called',
    );
    this.authenticators = found.toSorted((one, other) => one.order - other.order);
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = routeAccessOf(context.getHandler(), context.getClass());
    if (access?.public === true) return true;
    return activeTracer() === null ? this.admit(context) : traced('authenticate', {}, () => this.admit(context));
  }

  private admit(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    for (const authenticator of this.authenticators) {
      const presented = authenticator.find(request);
      if (presented === null) continue;
      const found = authenticator.authenticate(presented, context);
      return found instanceof Promise ? found.then((principal) => admit(request, principal)) : admit(request, found);
    }
    return admit(request, GUEST);
  }
}

function admit(request: AuthenticatedRequest, principal: Principal): true {
  request.user = principal;
  return true;
}
