import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type AuthenticatedRequest, routeAccessOf } from './access.decorators.js';
import { activeTracer, traced } from '../../../platform/tracing/tracing.public.js';
import { Authenticators } from './authenticators.service.js';
import type { Principal } from '../../../kernel/principal.types.js';

/** Authenticates the request. Public routes pass. A request without credentials is a guest; invalid credentials are rejected. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(private readonly authenticators: Authenticators) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = routeAccessOf(context.getHandler(), context.getClass());
    if (access?.public === true) return true;
    return activeTracer() === null ? this.admit(context) : traced('authenticate', {}, () => this.admit(context));
  }

  private admit(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const found = this.authenticators.principalOf(request, context);
    return found instanceof Promise ? found.then((principal) => admit(request, principal)) : admit(request, found);
  }
}

function admit(request: AuthenticatedRequest, principal: Principal): true {
  request.user = principal;
  return true;
}
